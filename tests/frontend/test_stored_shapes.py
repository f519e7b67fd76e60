"""What is stored has axes of length 1 in front; np.put counts from the end."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

V = np.array([0.3, 1.2, -0.5, 2.0])
A = np.array([[2.0, 0.3, -0.7], [0.4, 1.5, 0.2], [-0.1, 0.6, 1.8]])


def part(v):
    y = np.zeros(4)
    y[1:3] = v[:1][None]
    return float((y * y).sum())


def one(a):
    y = np.zeros(3)
    y[:2] = a[:1, :1]
    return float((y * y).sum())


def row(a):
    y = np.zeros((2, 3))
    y[1] = a[:1, None]
    return float((y * y).sum())


def all_of_it(a):
    y = np.zeros((2, 3))
    y[...] = a[:1, None, :1]
    return float((y * y).sum())


def last(a):
    m = a * 1
    np.put(m, [-1], a[0, 0])
    return float((m * m).sum())


def one_number(a):
    m = a * 1
    np.put(m, -2, a[0, 0])
    return float((m * m).sum())


def of_either_sign(a):
    m = a * 1
    np.put(m, np.array([-1, 2, -9]), a[0])
    np.put(m, [], a[0])
    return float((m * m).sum())


def nested(a):
    m = a * 1
    np.put(m, [[0, -1], [1, 2]], a[0])
    return float((m * m).sum())


PROGRAMS = [part, one, row, all_of_it, last, one_number, of_either_sign, nested]


@pytest.mark.parametrize("fn", PROGRAMS)
def test_the_gradient_in_every_way(fn):
    x = V if fn is part else A
    check(fn, x)
    expected = ya.grad(fn, x)[1][fn.__code__.co_varnames[0]]
    np.testing.assert_allclose(ya.simplegrad(fn)(x)[1], expected)
    tangent = ya.jvp(fn)(x, np.ones_like(x))[1]
    assert tangent == pytest.approx(expected.sum())


def test_places_that_count_from_the_start_stay():
    def written(a):
        m = a * 1
        np.put(m, [0, 5], 2.0)
        return float((m * m).sum())

    assert "np.unravel_index([0, 5], m.shape)" in ya.simplegrad(written, A).source


def test_places_beyond_the_end_raise():
    def written(a):
        m = a * 1
        np.put(m, [-10], a[0, 0])
        return float((m * m).sum())

    with pytest.raises(ValueError, match="out of bounds"):
        ya.grad(written, A)
