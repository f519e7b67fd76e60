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


def joined_by_loop(x, w, n):
    for _ in range(n):
        w = np.sign(x) * w
    return np.sum(x * w)


def joined_by_branch(x, w, n):
    if n > 0:
        w = x + 1.0
    return np.mean(w * x)


def computed_of_joined(x, w, n):
    if n > 0:
        w = x + 1.0
    w = w * w + w
    w = w * w - w
    return np.sum(x * (-w))


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("n", [0, 2])
@pytest.mark.parametrize("f", [joined_by_loop, joined_by_branch, computed_of_joined])
def test_where_types_join_no_digits_are_lost(f, n, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x, w = np.array([0.1, 0.2, 0.3]), np.array([0.1, 0.2, 0.3], np.float32)
    _, g = ya.grad(f, x, w, n, seed=0.1)
    dx, dw = g["x"], g["w"]
    assert (dx.dtype, dw.dtype) == (np.float64, np.float32)
    if n == 0:
        if f is computed_of_joined:
            w = w * w + w
            w = -(w * w - w)
        wide = w.astype(float) * 0.1 / (3 if f is joined_by_branch else 1)
        assert np.allclose(dx, wide, rtol=1e-15, atol=0)
