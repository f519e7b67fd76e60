"""Floats that are put into arrays of whole numbers are cut: nothing goes back."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

V = np.array([0.3, 1.2, -0.5, 2.0])


def of_range(v, x):
    c = np.array(range(4))
    c[0] = x * 9
    return float(c @ v)


def drawn(v, x):
    c = np.random.default_rng(0).integers(0, 5, 4)
    c[1:] = v[1:] * x
    c[0] += x * 9
    return float(c @ v)


def permuted(v, x):
    c = np.zeros_like(np.random.RandomState(0).permutation(4))
    np.put(c, [0, 1], [x * 9, v[0]])
    return float(c @ v)


def in_loop(v, x):
    c = np.array(range(4))
    for k in range(3):
        c[k] = c[k - 1] * x + 1.3
        c[k + 1] *= x
    return float(c @ v)


def filled(v, x):
    return float(np.full_like(np.array(range(4)), x * 9) @ v)


def chosen_by_floats(v, x):
    k = np.random.default_rng(0).permutation(4)
    c = np.where(v, k, k)
    c[0] = x * 9
    return float(c @ v)


def of_a_type(v, x):
    c = np.zeros_like(v, np.random.default_rng(0).permutation(4).dtype)
    c[0] = x * 9
    return float(c @ v)


@pytest.mark.parametrize(
    "fn",
    [of_range, drawn, permuted, in_loop, filled, chosen_by_floats, of_a_type],
)
def test_what_is_cut_has_no_slope(fn):
    check(fn, V, 0.7)
    _, dv, dx = ya.simplegrad(fn)(V, 0.7)
    assert dx == 0
    expected = ya.grad(fn, V, 0.7)[1]["v"]
    np.testing.assert_allclose(dv, expected)
    tangent = ya.jvp(fn)(V, 0.7, np.ones(4), 1.0)[1]
    assert tangent == pytest.approx(np.sum(expected))


def compared(v, x):
    m = (v > 0.2) & ~np.isnan(v)
    m[1] = x
    return float((m * v).sum())


def test_masks_of_what_nothing_is_known_of():
    """A general text says nothing of the types, but a comparison gives truth values."""
    text = ya.simplegrad(compared)
    _, dv, dx = text(V, 0.7)
    assert dx == 0
    np.testing.assert_array_equal(dv, [1, 1, 0, 1])
    assert "held" not in text.source


def stored(k, x):
    m = k * 1
    m[0] = x * 9
    return float((m * V).sum())


def whole(k, x):
    m = k * 1
    m[0] = k[1] * 3
    return float((m * V).sum() * x)


def test_what_an_argument_makes_is_asked_in_the_text():
    text = ya.simplegrad(stored)
    assert "held(" in text.source
    with pytest.raises(ValueError, match="made for numbers or arrays of floats k, x"):
        text(np.arange(4), 0.7)
    known = ya.simplegrad(stored, np.arange(4), 0.7)
    assert known(np.arange(4), 0.7) == (stored(np.arange(4), 0.7), 0)
    assert text(np.arange(4.0), 0.7)[2] == pytest.approx(9 * V[0])


def test_whole_numbers_are_not_cut():
    text = ya.simplegrad(whole)
    with pytest.raises(ValueError, match="made for numbers or arrays of floats k, x"):
        text(np.arange(4), 0.7)
    _, dk, _ = text(np.arange(4.0), 0.7)
    np.testing.assert_allclose(dk, 0.7 * np.array([0, 3 * V[0] + V[1], *V[2:]]))


def of_floats(v, x):
    c = np.sin(v)
    c[1:] *= x
    rows = np.vstack([c, v / 2])
    rows[0] += rows[1] * x
    return float(rows[0] @ v)


def scaled(v, x):
    c = np.array(range(4)) * 1.5
    d = np.array(range(4)) / 2
    c[1:] += v[:-1] * x
    d[0] = c[0] * x
    return float(c @ v + d @ v)


@pytest.mark.parametrize("fn", [of_floats, scaled])
def test_what_is_made_of_floats_is_not_asked(fn):
    assert "held" not in ya.simplegrad(fn).source
    check(fn, V, 0.7)
