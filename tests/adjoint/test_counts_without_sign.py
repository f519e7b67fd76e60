"""Loops over as many things as a number of NumPy's says: it may have no sign, and the
reverse counts down from one less than it."""

import numpy as np
import pytest

import yota_ast as ya

X = np.arange(1.0, 6.0)


def up(x, n):
    s = 0.0
    for i in range(n):
        s = s + x[i] ** 2
    return s


def between(x, n):
    s = 0.0
    for i in range(n, 3):
        s = s + x[i] ** 3
    return s


def down(x, n):
    s = 0.0
    for i in range(n - 1, -1, -1):
        s = s + x[i] ** 2
    return s


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.int8, np.int64])
@pytest.mark.parametrize("f", [up, between])
def test_no_trips_and_some(f, dtype):
    made = ya.simplegrad(f, X, dtype(2), wrt="x")
    for n in (0, 1, 3):
        expected = ya.grad(f, X, n)[1][0]
        assert np.array_equal(ya.grad(f, X, dtype(n))[1][0], expected)
        assert np.array_equal(made.fn(X, dtype(n))[1], expected)


def test_what_wraps_round_in_the_function_does_so_in_the_reverse():
    made = ya.simplegrad(down, X, np.int8(2), wrt="x")
    assert np.array_equal(made.fn(X, np.int8(0))[1], np.zeros(5))
    assert np.array_equal(made.fn(X, np.int8(3))[1], [2.0, 4.0, 6.0, 0.0, 0.0])
