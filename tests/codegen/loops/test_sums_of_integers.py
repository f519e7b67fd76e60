"""Sums of integers in explicit loops are integers: indices, lengths, remainders."""

import numpy as np
import pytest

import yota_ast as ya

numba = pytest.importorskip("numba", reason="no Numba: sums of integers in loops")
X = np.array([0.9, -0.2, 0.55, 0.4, 0.75, 0.33, 1.2])
K = np.array([1, 0, 2])
M = np.array([[1, 2, 0], [0, 1, 1], [2, 0, 1]])


def summed(x, k):
    return x[np.sum(k)] ** 2


def inner(x, k):
    return x[np.dot(k, k)] * x[0]


def of_truths(x, k):
    return x[np.sum(k > 0)] * x[1]


def multiplied(x, k):
    return x[(M @ k)[1]] ** 2


def along_an_axis(x, k):
    return x[np.sum(M * k, axis=0)[2]] ** 3


def triangular(x, k):
    return x[np.tril(M)[2, 0]] ** 2


def on_the_diagonal(x, k):
    return x[np.diag(k)[2, 2]] ** 2


def padded(x, k):
    return x[np.pad(k, 1)[3]] ** 2


def weighted(x, k):
    """A product of integers and floats, which BLAS does not multiply."""
    y = M @ x[:3] + np.dot(x[3:6], M) + (np.outer(x[:3], x[:3]) @ M)[k[0]]
    return np.sum(y * np.tensordot(M, k, 1))


FUNCTIONS = [
    summed, inner, of_truths, multiplied, along_an_axis, triangular, on_the_diagonal,
    padded, weighted,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_a_sum_of_integers_is_an_index(f, monkeypatch):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    loops, readable = ya.simplegrad(f, X, K, backend="numba"), ya.simplegrad(f, X, K)
    for k in (K, K[::-1], np.zeros(3, int)):
        pairs = zip(loops(X, k), readable(X, k), strict=True)
        for one, other in pairs:
            np.testing.assert_allclose(one, other, rtol=1e-12)
            assert type(one) is type(other)


@pytest.mark.parametrize("f", [multiplied, weighted])
def test_products_are_compiled(f):
    loops = ya.simplegrad(f, X, K, backend="numba")
    np.testing.assert_allclose(loops(X, K)[1], ya.simplegrad(f, X, K)(X, K)[1])
