"""Texts for arguments of which nothing is known: arrays of any rank, and no lists."""

import numpy as np
import pytest

import yota_ast as ya

A = np.array([[2.0, 0.3, -0.7], [0.4, 1.5, 0.2], [-0.1, 0.6, 1.8]])


def unpacked(a):
    gx, gy = np.gradient(a)
    return float((gx * gy).sum())


def with_steps(a):
    g = np.gradient(a, 0.5, 2.0)
    return float((g[0] * g[1]).sum())


def in_turn(a):
    return float(sum((t * t).sum() for t in np.gradient(a)))


def one_of_two(a):
    g, _ = np.gradient(a, axis=(1, 0))
    return float((g * g).sum())


def along_one(a):
    g = np.gradient(a, axis=-1)
    return float((g * g).sum())


@pytest.mark.parametrize("fn", [unpacked, with_steps, in_turn, one_of_two, along_one])
def test_several_slopes(fn):
    value, da = ya.simplegrad(fn)(A)
    expected, known = ya.grad(fn, A)
    assert value == expected
    np.testing.assert_allclose(da, known["a"], rtol=1e-12, atol=1e-12)


def test_slope_of_one_axis():
    def curve(a):
        g = np.gradient(a)
        return float((g * g).sum())

    for each in (curve, along_one):
        expected = ya.grad(each, A[0])[1]["a"]
        np.testing.assert_allclose(ya.simplegrad(each)(A[0])[1], expected)


@pytest.mark.parametrize("given", [[0.7], [0.7, 0.3], (0.7, 0.3)])
def test_a_list_is_no_array(given):
    text = ya.simplegrad(lambda v: float(np.sum(np.sin(v))))
    with pytest.raises(ValueError, match="made for a number or an array of floats v"):
        text(given)
