"""A number that is spread over an array has the type of the array."""

import numpy as np
import pytest

import yota_ast as ya


def narrow_product(x):
    y = x.astype(np.float32)
    return (y * x).sum()


def narrow_store(x):
    y = np.zeros(3, np.float32)
    y[...] = x
    return np.sum(x * y)


def narrow_quotient(x):
    y = np.ones(3, np.float32)
    return np.mean(x / y)


def narrow_dot(x):
    y = x.astype(np.float32)
    return np.dot(y, x)


NARROW = np.array([1.0, 2.0, 3.0], np.float32)


def narrow_constant(x):
    return np.dot(NARROW, x)


def narrow_matrix(x):
    return np.array([[1.0, 2.0, 3.0]], np.float32) @ x @ np.ones(1, np.float32)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f",
    [
        narrow_product,
        narrow_store,
        narrow_quotient,
        narrow_dot,
        narrow_constant,
        narrow_matrix,
    ],
)
def test_gradients_are_of_the_type_of_the_argument(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x = np.array([0.5, 1.5, 2.5])
    val, dx = ya.simplegrad(f, x)(x)
    assert val == f(x)
    assert dx.dtype == x.dtype
    wanted = {
        narrow_quotient: np.full(3, 1 / 3),
        narrow_constant: NARROW,
        narrow_matrix: NARROW,
    }.get(f, 2 * x)
    assert np.allclose(dx, wanted)
