"""A text that was made for arrays longer than one element is asked of one of one."""

import numpy as np
import pytest

import yota_ast as ya

V = np.array([0.3, 1.2, -0.5, 2.0])
A = np.array([[2.0, 0.3, -0.7], [0.4, 1.5, 0.2], [-0.1, 0.6, 1.8]])


def apart(v):
    return float(np.sum((v - np.unique([1, 2, 3, 4.0])) ** 2))


def counted(v):
    return float(np.sum(np.sin(v) * np.bincount([0, 1, 2, 3])))


def chosen(v):
    return float(np.sum(np.where(np.unique([1, 2, 3, 4.0]) > 2, v, 0.0)))


def in_loop(v):
    u, s = np.unique([1, 2, 3, 4.0]), v * 1
    for _ in range(2):
        s = s * u
    return float(s.sum())


def of_slice(v):
    return float(np.sum(v[:3] * np.unique([1, 2, 3.0])))


@pytest.mark.parametrize("fn", [apart, counted, chosen, in_loop, of_slice])
def test_axis_that_may_be_stretched(fn):
    text = ya.simplegrad(fn, V)
    np.testing.assert_allclose(text(V)[1], ya.grad(fn, V)[1]["v"])
    one = V[:1]
    with pytest.raises(ValueError, match=r"made for v \(n,\)"):
        text(one)
    made = ya.simplegrad(fn, one)(one)[1]
    np.testing.assert_allclose(made, ya.grad(fn, one)[1]["v"])
    assert ya.gradcheck(fn, one)


def rows(a):
    return float(np.mean(a * np.unique([1, 2, 3.0])))


def test_message_says_which_axis():
    text = ya.simplegrad(rows, A)
    np.testing.assert_allclose(text(A[:1])[1], [[1 / 3, 2 / 3, 1]])
    with pytest.raises(ValueError, match=r"made for a \(n, m\), m > 1"):
        text(A[:, :1])


def known(v):
    w = np.sin(v)
    return float(np.sum(v * w + w * 2))


def test_lengths_that_are_known_are_not_asked_for():
    assert "== 1" not in ya.simplegrad(known, V).source
    assert ya.simplegrad(known, V)(V[:1])[1] == ya.grad(known, V[:1])[1]["v"]
