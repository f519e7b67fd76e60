"""`a, b = np.split(y, 2)`: parts of an array that are written, and the array itself."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check, check_tangent

V, W = np.array([0.3, 1.2, -0.5, 2.0]), np.array([1.1, -0.4, 0.9, 0.6])
A = np.array([[2.0, 0.3, -0.7], [0.4, 1.5, 0.2], [-0.1, 0.6, 1.8]])


def both_halves(v, w):
    y = v.copy()
    a, b = np.split(y, 2)
    a *= 2
    b += a * w[:2]
    return np.sum(y**2)


def at_places(v, w):
    y = np.concatenate([v, w])
    a, b, c = np.split(y, [1, len(v)])
    b += a
    c[:] = b[0] * c
    return np.sum(y**3)


def of_unequal_lengths(v, w):
    y = np.concatenate([v, w, v[:2]])
    a, b, c = np.array_split(y, 3)
    a += b[0]
    b *= c[0]
    return np.sum(y**2)


def in_columns(v, w):
    m = np.outer(v, w)
    a, b = np.hsplit(m, 2)
    a *= b
    c, d = np.split(m, [1], axis=-2)
    d -= c
    e, _ = np.vsplit(m, 2)
    e += w
    return np.sum(m**2)


def in_depth(v, w):
    m = np.outer(v, w).reshape(2, 2, 4)
    a, b = np.dsplit(m, 2)
    b *= a
    return np.sum(m**2)


def the_whole(v, w):
    y = v.copy()
    a, b = np.split(y, 2)
    y *= w
    return np.sum(a * b) + np.sum(a)


def in_a_loop(v, w):
    y, z = v.copy(), w.copy()
    for a, b in zip(np.split(y, 2), np.split(z, 2), strict=True):
        a *= b
        b += a
    for part in np.split(y, 4):
        part -= y[0]
    return np.sum(y**2) + np.sum(z * y)


def step(state, h):
    q, p = np.split(state, 2)
    p -= h * q
    q += h * p


def of_a_helper(v, w):
    state = np.concatenate([v, w])
    for _ in range(3):
        step(state, 0.1 * v[0])
    return np.sum(state**2)


def of_what_has_no_name(v, w):
    a, b = np.split(v * w, 2)
    a *= b
    b += a
    return np.sum(a * b)


PROGRAMS = [
    both_halves, at_places, of_unequal_lengths, in_columns, in_depth, the_whole,
    in_a_loop, of_a_helper, of_what_has_no_name,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients_are_right(f):
    check(f, V, W)


@pytest.mark.parametrize("f", PROGRAMS)
def test_tangents_are_right(f):
    check_tangent(f, V, W)


def test_it_is_raised_what_numpy_raises():
    text = ya.simplegrad(of_what_has_no_name, V, W)
    with pytest.raises(ValueError, match="array split does not result in an equal"):
        text(np.ones(3), np.ones(3))


def read_alone(v, w):
    a, b = np.split(v, 2)
    return np.sum(a * b * w[:2])


def test_where_nothing_is_written_the_call_stays():
    assert "np.split(v, 2)" in ya.simplegrad(read_alone, V, W).source


def at_computed_places(v, w):
    y = v.copy()
    a, _, _ = np.split(y, np.cumsum([1, 2]))
    a *= w[0]
    return np.sum(y**2)


def test_parts_that_are_not_counted_are_refused():
    with pytest.raises(ya.UnsupportedSyntax, match="`y` may share memory"):
        ya.grad(at_computed_places, V, W)
