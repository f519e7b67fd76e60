"""What a cell and the slice beside it get is put there at once."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

rng = np.random.default_rng(4)
B = rng.normal(size=(4, 4))
A = B @ B.T + 4 * np.eye(4)
L = np.tril(B) + 3 * np.eye(4)
X = rng.normal(size=4)


def factor(A):
    A = A.copy()
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[j, :j]) / A[j, j]
        A[i, i] = np.sqrt(A[i, i] - A[i, :i] @ A[i, :i])
    return np.sum(A * A)


def solved(L, b):
    x = np.zeros_like(b)
    for i in range(b.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return np.sum(x * x)


def solved_backwards(U, b):
    n = b.shape[0]
    x = np.zeros_like(b)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - U[i, i + 1 :] @ x[i + 1 :]) / U[i, i]
    return np.sum(x * x)


JOINED = [
    (factor, (A,), "dA[j, : j + 1] -= "),
    (solved, (L, X), "dL[i, : i + 1] = -t1 * x[: i + 1]\n"),
    (solved_backwards, (L.T.copy(), X), "dU[i, i:] = -t1 * x[i:]\n"),
]


def counted_from_the_end(x, w):
    s = 0.0
    for i in range(-2, 2):
        s = np.sin(s + x[i] * w[i] + x[:i] @ w[:i])
    return s


def of_others(x, w):
    s = 0.0
    for i in range(x.shape[0] - 1):
        s = np.sin(s + x[i] * w[i + 1] + x[:i] @ w[:i])
    return s


def read_between(x, w):
    y = x * w
    for i in range(1, x.shape[0]):
        y[:i] = y[:i] * w[i]
        y[i] = np.sin(y[i]) + y[:i] @ w[:i]
        y[0] = y[i] * y[0]
    return np.sum(y)


APART = [counted_from_the_end, of_others, read_between]


@pytest.mark.parametrize("passes", ["all", "none", "-joined", "-zeroing", "-inplace"])
@pytest.mark.parametrize(
    ("fn", "args"),
    [*((f, a) for f, a, _ in JOINED), *((f, (X, L[0] + 1)) for f in APART)],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_right(monkeypatch, fn, args, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)
    if fn is not counted_from_the_end:
        check(fn, tuple(a[:1, :1] if a.ndim == 2 else a[:1] for a in args))


@pytest.mark.parametrize(("fn", "args", "line"), JOINED, ids=lambda v: str(v)[:12])
def test_joined(monkeypatch, fn, args, line):
    made = ya.simplegrad(fn, *args)
    assert line in made.source
    monkeypatch.setenv("YOTA_AST_PASSES", "-joined")
    plain = ya.simplegrad(fn, *args)
    assert line not in plain.source
    for one, other in zip(made(*args), plain(*args), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("fn", APART)
def test_apart(fn):
    back = ya.simplegrad(fn, X, L[0] + 1).source.partition("# reverse")[2]
    assert "i + 1]" not in back.replace("w[i + 1]", "")
    assert "[i:]" not in back
