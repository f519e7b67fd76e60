"""Texts run on chunked arrays of Dask, give what NumPy's give, or are refused."""

import re

import numpy as np
import pytest

import yota_ast as ya

da = pytest.importorskip("dask.array")

RNG = np.random.default_rng(3)


def chunked(value):
    """An array as one of Dask, in chunks of two and three."""
    if not isinstance(value, np.ndarray) or value.ndim == 0:
        return value
    return da.from_array(value, chunks=tuple(max(1, n // 2) for n in value.shape))


def logistic(w, X, y):
    return np.mean(np.log1p(np.exp(-y * (X @ w))))


def network(W1, b1, W2, X, y):
    h = np.tanh(X @ W1 + b1)
    return np.mean((h @ W2 - y) ** 2)


def ridge(w, X, y, penalty):
    r = X @ w - y
    return r @ r + penalty * np.sum(w**2)


def softmax(W, X, y):
    scores = X @ W
    scores = scores - scores.max(axis=1, keepdims=True)
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return -np.mean(np.sum(y * np.log(p), axis=1))


def smooth(u, c):
    inner = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(inner**2)


def prices(s, k, r, t):
    d = (np.log(s / k) + (r + 0.02) * t) / np.sqrt(0.04 * t)
    return np.sum(s * np.exp(-d * d / 2) - k * np.exp(-r * t))


def clipped(x):
    return np.sum(np.where(x > 0.5, x, 0.1 * x) * np.maximum(x, 0.3))


def lengths(X):
    return np.sum(np.sqrt(np.sum(X * X, axis=1) + 1))


def traced(A, B):
    return np.sum((A @ B.T) * (A @ B.T))


def powers(x):
    total = 0.0
    for k in range(1, 4):
        total = total + np.sum(x**k) / k
    return total


def centred(X):
    Z = (X - X.mean(axis=0)) / (X.std(axis=0) + 0.1)
    return np.mean(np.tanh(Z))


def joined(u, v):
    z = np.concatenate([u, v]) * 2
    return np.sum(np.sin(z) * z)


def arrays(*shapes):
    return [RNG.random(shape) + 0.2 for shape in shapes]


MODELS = {
    logistic: [*arrays(4, (6, 4)), np.sign(RNG.random(6) - 0.5)],
    network: arrays((4, 6), 6, (6, 2), (6, 4), (6, 2)),
    ridge: [*arrays(4, (6, 4), 6), 0.3],
    softmax: [*arrays((4, 3), (6, 4)), np.eye(3)[[0, 1, 2, 2, 1, 0]]],
    smooth: [*arrays(9), 0.2],
    prices: [*arrays(6), 1.1, 0.03, 0.7],
    clipped: arrays(7),
    lengths: arrays((6, 3)),
    traced: arrays((4, 3), (5, 3)),
    powers: arrays(6),
    centred: arrays((6, 4)),
    joined: arrays(4, 6),
}


@pytest.mark.parametrize("f", MODELS, ids=lambda f: f.__name__)
def test_a_text_made_for_numpy_runs_on_chunks(f):
    args = MODELS[f]
    text = ya.simplegrad(f, *args)
    expected = text(*args)
    found = text(*map(chunked, args))
    assert any(isinstance(part, da.Array) for part in found)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(one), other, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("f", MODELS, ids=lambda f: f.__name__)
def test_grad_takes_chunks(f):
    args = MODELS[f]
    value, g = ya.grad(f, *map(chunked, args))
    expected, other = ya.grad(f, *args)
    np.testing.assert_allclose(np.asarray(value), expected, rtol=1e-10)
    for k in range(len(other)):
        np.testing.assert_allclose(np.asarray(g[k]), other[k], rtol=1e-10, atol=1e-12)


def likelihood(A, y):
    L = np.linalg.cholesky(A)
    return y @ L @ y


def filled(x):
    y = np.zeros_like(x)
    for i in range(3):
        y[i] = x[i] * x[i]
    return np.sum(y)


def test_cholesky_is_refused_where_it_gives_the_other_factor():
    A = chunked(np.eye(4) + 0.1)
    with pytest.raises(ya.UnsupportedCall) as caught:
        ya.grad(likelihood, A, np.ones(4))
    line = likelihood.__code__.co_firstlineno + 1
    assert re.sub(r"^.*?:", "FILE:", str(caught.value)) == (
        f"FILE:{line}:5: `cholesky` gives the upper factor of a Dask array\n"
        "    L = np.linalg.cholesky(A)\n"
        "    ^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "Give arrays of NumPy: x.compute()."
    )


CHUNKED = chunked(np.eye(4) + 0.1)


class Held:
    def __init__(self, A):
        self.A = A


def of_constant(s):
    return np.sum(np.linalg.cholesky(CHUNKED * s))


def of_field(m):
    return np.sum(np.linalg.cholesky(m.A))


def of_item(p):
    return np.sum(np.linalg.cholesky(p["A"]))


def sloped(x):
    return np.sum(np.gradient(x)[0])


def picked(x):
    return np.percentile(x, 30)


def lower(A):
    return np.sum(np.linalg.cholesky(A))


READ = {
    "constant": (of_constant, 2.0),
    "field": (of_field, Held(CHUNKED)),
    "item": (of_item, {"A": CHUNKED}),
    "gradient": (sloped, chunked(np.arange(6.0))),
    "percentile": (picked, chunked(np.arange(6.0))),
}


@pytest.mark.parametrize(("f", "arg"), READ.values(), ids=READ)
def test_what_the_function_reads_is_refused_too(f, arg):
    with pytest.raises(ya.UnsupportedCall, match="of a Dask array"):
        ya.grad(f, arg)


@pytest.mark.parametrize("f", [lower, of_field, of_item])
def test_code_made_for_numpy_refuses_arrays_of_dask(f):
    wrap = {lower: lambda A: A, of_field: Held, of_item: lambda A: {"A": A}}[f]
    text = ya.simplegrad(f, wrap(CHUNKED.compute()))
    with pytest.raises(ValueError, match="gives the upper factor of a Dask array"):
        text(wrap(CHUNKED))


def test_the_remedy_works():
    A = chunked(np.eye(4) + 0.1).compute()
    assert ya.grad(likelihood, A, np.ones(4))[0] > 0


def test_stores_in_loops_are_warned_of():
    x = chunked(np.arange(4.0))
    with pytest.warns(UserWarning, match="graph of tasks") as caught:
        _, g = ya.grad(filled, x)
    assert str(caught[0].message) == (
        "each store in this loop makes the graph of tasks of Dask longer"
    )
    assert caught[0].filename == __file__
    assert caught[0].lineno == filled.__code__.co_firstlineno + 3
    np.testing.assert_allclose(np.asarray(g[0]), [0.0, 2.0, 4.0, 0.0])
