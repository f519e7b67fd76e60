"""The body of a `try` that overwrites a result which its tangent reads."""

import numpy as np
import pytest

import yota_ast as ya


def adds_to_a_result(x):
    try:
        y = np.tanh(x)
        y += x
    except ValueError:
        return 0.0
    return np.sum(y**2)


def scales_a_result(x):
    try:
        y = np.exp(x)
        y *= 2.0
    except ValueError:
        return 0.0
    return np.sum(y * x)


def adds_to_a_copy(x):
    try:
        y = x.copy()
        y += x**2
    except ValueError:
        return 0.0
    return np.sum(y**2)


X, V, H = np.array([0.3, -0.4, 1.2]), np.array([1.0, 0.5, -0.2]), 1e-6


def slope_of(fn):
    return (fn(X + H * V) - fn(X - H * V)) / (2 * H)


@pytest.mark.parametrize("fn", [adds_to_a_result, scales_a_result])
def test_the_body_is_run_again(fn):
    along = ya.jvp(fn)(X, V)[1]
    np.testing.assert_allclose(along, slope_of(fn), rtol=1e-6)
    gradient = ya.grad(fn, X)[1]["x"]
    np.testing.assert_allclose(gradient @ V, slope_of(fn), rtol=1e-6)


def test_a_copy_may_be_overwritten():
    along = ya.jvp(adds_to_a_copy)(X, V)[1]
    np.testing.assert_allclose(along, slope_of(adds_to_a_copy), rtol=1e-6)
