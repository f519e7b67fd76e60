"""Rows of a matrix that a loop runs over are not collected, and not saved."""

import numpy as np
import pytest

import yota_ast as ya

W = np.array([[0.3, -0.2], [0.5, 0.1], [-0.4, 0.7]])
U = np.array([[0.1, 0.4, -0.3], [0.2, -0.5, 0.3], [0.6, 0.1, 0.2]])
B = np.array([0.1, -0.2, 0.3])
X = np.array([[0.5, 1.2], [-0.7, 0.3], [0.9, -1.1], [0.2, 0.4]])


def recurrent(W, U, b, X):
    h = np.zeros(U.shape[0])
    for x in X:
        h = np.tanh(W @ x + U @ h + b)
    return np.sum(h**2)


def gated(W, U, b, X):
    h, total = np.zeros(U.shape[0]), 0.0
    for x in X:
        z = 1.0 / (1.0 + np.exp(-(W @ x + b)))
        h = z * np.tanh(W @ x + U @ h) + (1.0 - z) * h * np.sum(x)
        total = total + np.sum(h**2)
    return total


def stops_early(W, U, b, X):
    h = np.zeros(U.shape[0])
    for x in X:
        h = np.tanh(W @ x + U @ h + b)
        if np.sum(h) > 0.7:
            break
    return np.sum(h**2)


def writes_later(W, U, b, X):
    X = X.copy()
    h = np.zeros(U.shape[0])
    for x in X:
        h = np.tanh(W @ x + U @ h + b)
    X[0] = 5.0
    return np.sum(h**2) + np.sum(X)


def of_batches(W, U, b, X):
    total = 0.0
    for batch in (X, 2.0 * X[:2], np.sin(X)):
        h = np.zeros(U.shape[0])
        for x in batch:
            h = np.tanh(W @ x + U @ h + b)
        total = total + np.sum(h**2)
    return total


def of_stacks(W, U, b, X):
    total = 0.0
    for batch in X.reshape(2, 2, 2):
        h = np.zeros(U.shape[0])
        for x in batch:
            h = np.tanh(W @ x + U @ h + b)
        total = total + np.sum(h**2)
    return total


def beside_others(W, U, b, X):
    h = np.zeros(U.shape[0])
    for k, x in enumerate(X):
        h = np.tanh(W @ x + U @ h + b * k)
    return np.sum(h**2)


FUNCTIONS = [
    recurrent, gated, stops_early, writes_later, of_batches, of_stacks, beside_others
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none", "-collect"])
@pytest.mark.parametrize("fn", FUNCTIONS)
def test_gradients(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    assert ya.gradcheck(fn, W, U, B, X)
    made = ya.simplegrad(fn, W, U, B, X, wrt=["W", "U", "b"])
    value, *gradients = made.fn(W, U, B, X)
    assert value == fn(W, U, B, X)
    monkeypatch.setenv("YOTA_AST_PASSES", "none")
    wanted = ya.simplegrad(fn, W, U, B, X, wrt=["W", "U", "b"]).fn(W, U, B, X)
    for d, e in zip(gradients, wanted[1:], strict=True):
        np.testing.assert_allclose(d, e, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("fn", [recurrent, gated, beside_others])
def test_no_rows_no_iterations(fn):
    made = ya.simplegrad(fn, W, U, B, X, wrt=["W", "U", "b"])
    _, dW, dU, db = made.fn(W, U, B, X[:0])
    assert not dW.any()
    assert not dU.any()
    assert not db.any()


@pytest.mark.parametrize("dtype", ["f4", ">f8", "f8"])
def test_dtypes(dtype):
    args = [a.astype(dtype) for a in (W, U, B, X)]
    value, g = ya.grad(recurrent, *args, wrt=["W", "U", "b"])
    assert value == recurrent(*args)
    for d, a in zip((g[0], g[1], g[2]), args, strict=False):
        assert d.dtype == a.dtype
    whole, h = ya.grad(recurrent, W, U, B, np.array([[1, 2], [0, -1]]), wrt=["W"])
    plain, k = ya.grad(recurrent, W, U, B, np.array([[1.0, 2], [0, -1]]), wrt=["W"])
    assert whole == plain
    np.testing.assert_allclose(h[0], k[0])


def test_the_matrix_itself_is_read():
    source = ya.simplegrad(recurrent, W, U, B, X, wrt=["W", "U", "b"]).source
    assert "dW = t2.T @ X" in source
    assert "saved.append((h_in, h))" in source
    assert "x_rows" not in source


def test_what_is_written_later_is_collected():
    source = ya.simplegrad(writes_later, W, U, B, X, wrt=["W", "U", "b"]).source
    assert "np.stack(x_old_rows)" in source
