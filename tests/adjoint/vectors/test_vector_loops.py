"""Loops of the reverse sweep that are statements on arrays, and those that stay."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

rng = np.random.default_rng(7)
A, B, C = rng.normal(size=(5, 5)), rng.normal(size=(5, 4)), rng.normal(size=(5, 4))
SPD = A @ A.T + 5 * np.eye(5)


def triangular(A, B):
    B = B.copy()
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += A[i + 1 :, i] @ B[i + 1 :, j]
    return np.sum(B * B)


def symmetric(A, B, C):
    C = C.copy()
    t = np.zeros(C.shape[1])
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[:i, j] += 1.5 * B[i, j] * A[i, :i]
            t[j] = B[:i, j] @ A[i, :i]
        C[i, :] += B[i, :] * A[i, i] + t
    return np.sum(C * C)


def upper(A):
    A = A.copy()
    for i in range(A.shape[0]):
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return np.sum(A * A)


def rank_k(A, C):
    D = np.zeros((A.shape[0], A.shape[0]))
    for i in range(A.shape[0]):
        for k in range(A.shape[1]):
            D[i, :] += A[i, k] * C[:, k]
    return np.sum(D * D)


def columns_scaled(A, x):
    y = np.zeros(A.shape[1])
    for j in range(A.shape[1]):
        y[j] = x[j] * (A[:, j] @ A[:, j])
    return np.sum(y * y)


def no_iterations(A, B):
    out = 0.0
    for i in range(A.shape[0]):
        for j in range(B.shape[1] - 4):
            A[i, j] += B[i, j]
        out += A[i, 0]
    return out


def orthogonal(A):
    """Each column is read before it is written, in each iteration."""
    A = A.copy()
    R = np.zeros((A.shape[1], A.shape[1]))
    for k in range(A.shape[1]):
        R[k, k] = np.sqrt(A[:, k] @ A[:, k])
        A[:, k] /= R[k, k]
        for j in range(k + 1, A.shape[1]):
            R[k, j] = A[:, k] @ A[:, j]
            A[:, j] -= A[:, k] * R[k, j]
    return np.sum(R * R * R)


WRITTEN = [
    (triangular, (A, B)), (symmetric, (A, B, C)), (upper, (SPD,)), (rank_k, (B, C)),
    (orthogonal, (SPD,)),
]  # fmt: skip


def substituted(L, b):
    """Each unknown is read by all that follow."""
    x = np.zeros(b.shape[0])
    for i in range(b.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return np.sum(x * x)


def factored(A):
    """What is stored in one column is read by the next."""
    A = A.copy()
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[j, :j]
            A[i, j] /= A[j, j]
        A[i, i] = np.sqrt(A[i, i] - A[i, :i] @ A[i, :i])
    return np.sum(A * A)


def running(x):
    x = x.copy()
    for j in range(1, x.shape[0]):
        x[j] += 0.5 * x[j - 1]
    return np.sum(x * x)


def counted_from_the_end(x, n):
    """`x[j - n]` is another element for a negative index."""
    y = np.zeros_like(x)
    for j in range(x.shape[0]):
        y[j] += x[j - n] * x[j]
    return np.sum(y * y)


def diagonals(x, n):
    """The second index is no literal away from the first."""
    y = np.zeros_like(x)
    for j in range(x.shape[0]):
        y[j, 0] += x[j, j - n] * x[j, 1]
    return np.sum(y * y)


def before(x, y, n):
    """Of no iterations no end is counted from the end of the array."""
    out = np.zeros(2)
    for j in range(n):
        out[0] += x[j - 1] * y[j]
    return np.sum(out * out)


def turned(x):
    y = np.zeros_like(x)
    for j in range(x.shape[0]):
        y[j] += x[-j] * x[j]
    return np.sum(y * y)


def of_one_another(x):
    y = x.copy()
    for j in range(y.shape[0] - 1):
        y[j] = y[j] * y[j + 1]
    return np.sum(y)


STAYING = [
    (substituted, (SPD, B[:, 0])), (factored, (SPD,)), (running, (B[:, 0],)),
    (counted_from_the_end, (B[:, 0], 2)), (turned, (B[:, 0],)),
    (of_one_another, (B[:, 0],)), (diagonals, (A, 2)), (before, (B[:, 0], B[:, 1], 3)),
]  # fmt: skip


def back_of(fn, args):
    wrt = [
        name
        for name, arg in zip(fn.__code__.co_varnames, args, strict=False)
        if isinstance(arg, np.ndarray)
    ]
    return ya.simplegrad(fn, *args, wrt=wrt).source.partition("# reverse")[2]


@pytest.mark.parametrize("passes", ["all", "-vectors", "-tidy", "-copies", "-collect"])
@pytest.mark.parametrize(
    ("fn", "args"),
    [*WRITTEN, *STAYING, (columns_scaled, (B, C[0])), (no_iterations, (A, B))],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_right(monkeypatch, fn, args, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)


@pytest.mark.parametrize(("fn", "args"), WRITTEN, ids=[c[0].__name__ for c in WRITTEN])
def test_written_out(monkeypatch, fn, args):
    assert back_of(fn, args).count("for ") == 1
    monkeypatch.setenv("YOTA_AST_PASSES", "-vectors")
    assert back_of(fn, args).count("for ") == 2


@pytest.mark.parametrize(("fn", "args"), STAYING, ids=[c[0].__name__ for c in STAYING])
def test_stays(monkeypatch, fn, args):
    source = back_of(fn, args)
    monkeypatch.setenv("YOTA_AST_PASSES", "-vectors")
    assert back_of(fn, args) == source


def test_text():
    lines = [line.strip() for line in back_of(triangular, (A, B)).splitlines()]
    assert "if B.shape[1] > 0:" in lines  # of no columns `A[:, i]` need not be there
    assert "dA[i + 1 :, i] += B_old[i + 1 :, :] @ t2" in lines
    assert "dB[i + 1 :, :] += np.outer(A[i + 1 :, i], t2)" in lines


def backward_filter(x, a):
    y = np.zeros_like(x)
    for j in range(x.shape[0] - 3, -1, -1):
        y[j] = a * x[j + 1] + 2 * a * x[j + 2] + a * y[j + 1]
    return np.sum(y * y)


def test_ends_counted_from_those_of_arrays(monkeypatch):
    """A range that ends before the array does has no numbers if that is short."""
    assert "dx[1:-1]" in back_of(backward_filter, (B[:, 0], 0.7))
    made = ya.simplegrad(backward_filter, B[:, 0], 0.7).fn
    monkeypatch.setenv("YOTA_AST_PASSES", "-vectors")
    plain = ya.simplegrad(backward_filter, B[:, 0], 0.7).fn
    for n in (7, 3, 2, 1, 0):
        x = rng.normal(size=n)
        for got, expected in zip(made(x, 0.7), plain(x, 0.7), strict=True):
            np.testing.assert_allclose(got, expected)


def test_of_a_batch():
    batch = np.stack([SPD, 2 * SPD])
    found = ya.vmap(ya.grad(orthogonal))(batch)
    np.testing.assert_allclose(found, [ya.grad(orthogonal)(x) for x in batch])


def drained(x, a):
    for e, _ in zip(x[1:], x[:-1], strict=True):
        a -= a * 0.5 + e
    return a * x[0]


def test_a_sum_that_is_read_between_two_iterations_stays_in_the_loop():
    """Its negative was taken for a sum, and ended in an IndexError."""
    made = ya.simplegrad(drained, np.ones(3), 0.3)
    value, dx, da = made(np.array([0.5, 1.5, -2.0]), 0.7)
    assert value == drained(np.array([0.5, 1.5, -2.0]), 0.7)
    np.testing.assert_allclose(dx, [1.425, -0.25, -0.5], rtol=1e-12)
    assert da == 0.125
