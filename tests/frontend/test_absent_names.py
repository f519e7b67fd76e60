"""Attributes that numbers and arrays lack, and modules that are not loaded."""

import sys

import numpy as np
import pytest

import yota_ast as ya

X = np.array([1.0, 2.0])


def scaled_by_unit(x):
    try:
        unit = x.unit
    except AttributeError:
        unit = 3.0
    return np.sum(x**2) * unit


def magnitude(x):
    try:
        y = x.magnitude()
    except AttributeError:
        y = x
    return 3.0 * np.sum(y**2)


def _is_frame(x):
    try:
        frames = sys.modules["a_module_that_is_not_there"]
    except KeyError:
        return False
    return isinstance(x, (frames.DataFrame, frames.Series))


def of_a_frame(x):
    return np.sum(x) if _is_frame(x) else 3.0 * np.sum(x**2)


def of_numpy(x):
    module = sys.modules["numpy"]
    return 3.0 * module.sum(x**2) if isinstance(x, (module.ndarray, float)) else x


@pytest.mark.parametrize("f", [scaled_by_unit, magnitude, of_a_frame, of_numpy])
@pytest.mark.parametrize("x", [X, 2.0])
def test_gradients(f, x):
    val, g = ya.grad(f, x)
    assert val == f(x)
    assert np.allclose(g[0], 6 * x)


def test_the_text_says_what_python_does():
    source = ya.simplegrad(scaled_by_unit, X).source
    assert (
        "raise AttributeError(\"'ndarray' object has no attribute 'unit'\")" in source
    )


def test_without_a_try_it_is_refused():
    with pytest.raises(ya.YotaError, match="unit"):
        ya.grad(lambda x: np.sum(x.unit()), X)


def test_an_argument_of_another_kind_is_another_text():
    with pytest.raises(ValueError, match="made for a number"):
        ya.simplegrad(magnitude, 2.0)(X)
