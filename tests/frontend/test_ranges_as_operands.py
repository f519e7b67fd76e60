"""A range given to a function of NumPy is the array of its numbers."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.3, 1.2, 0.7, 2.0])


def interpolated(x):
    return np.sum(np.interp(np.array([0.5, 1.7]), range(len(x)), x))


def weighted(x):
    return np.dot(range(4), x)


def integral(x):
    return np.trapezoid(x, range(len(x)))


def powers(x):
    return np.sum(np.power(x, range(1, 5)))


def by_name(x):
    return np.average(x, weights=range(1, 5))


@pytest.mark.parametrize("fn", [interpolated, weighted, integral, powers, by_name])
def test_range_as_an_operand(fn):
    val, _ = ya.grad(fn, X)
    assert val == fn(X)
    assert ya.gradcheck(fn, X)


def test_the_text_makes_the_array_once():
    source = ya.simplegrad(weighted, X).source
    assert "np.array(range(4))" in source
