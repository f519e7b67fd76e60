"""Arrays of a shape and a dtype, `np.ndarray(shape, x.dtype)`: the example tells what
they hold, and the code is that of any other array of floats."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

X = np.array([[0.3, -1.2, 0.8], [1.5, 0.4, -0.6]])


def of_class(x):
    y = np.ndarray(x.shape, x.dtype)
    y[:] = x * x
    return np.sum(y * x)


def of_keywords(x):
    y = np.ndarray(shape=x.shape, dtype=x.dtype, order="F")
    for k in range(x.shape[0]):
        y[k] = x[k] * x[0]
    return np.sum(y * x)


def of_length(x):
    y = np.ndarray(len(x), dtype=np.float64)
    for k in range(len(x)):
        y[k] = np.sum(x[k] * x[0])
    return np.sum(y * y)


def zeros(x):
    y = np.zeros((x.shape[1], x.shape[1]), dtype=x.dtype)
    for k in range(x.shape[0]):
        y[k] = x[k] * x[0]
    return np.sum(y) + y[0, 1] ** 2


def filled(x):
    y = np.full(x.shape, 2, x.dtype)
    y[0] = x[0] * x[1]
    return np.sum(y) + y[0, 1] ** 2


def cast(x):
    y = np.eye(2).astype(x.dtype) @ x
    return np.sum(y * x)


ALL = [of_class, of_keywords, of_length, zeros, filled, cast]


@pytest.mark.parametrize("fn", ALL, ids=lambda f: f.__name__)
def test_the_code_asks_for_no_dtype(fn):
    """No helper asks whether the array holds whole numbers."""
    source = ya.simplegrad(fn, X).source
    assert source.count("def ") == 1, source
    assert "Values of this process" not in source


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", ALL, ids=lambda f: f.__name__)
def test_the_gradient(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (X,))


def test_floats_of_less_precision_stay_such():
    x = X.astype(np.float32)
    val, dx = ya.simplegrad(zeros, X)(x)
    assert val.dtype == dx.dtype == np.float32
    assert np.allclose(dx, ya.simplegrad(zeros, X)(X)[1], rtol=1e-5)


def of_class_of_ones(x):
    y = np.ndarray(x.shape, x.dtype)
    y[:] = 1
    return np.sum(y * 0.5)


def test_whole_numbers_stay_such():
    """The dtype of whole numbers is part of the code, which refuses floats."""
    made = ya.simplegrad(of_class_of_ones, np.arange(3), wrt=["x"])
    assert made(np.arange(3))[0] == of_class_of_ones(np.arange(3))
