"""Kernels of dense and sparse linear algebra."""

import numpy as np


def rank_two_update(alpha, beta, A, u1, v1, u2, v2, y, z):
    B = A + np.outer(u1, v1) + np.outer(u2, v2)
    x = beta * B.T @ y + z
    w = alpha * B @ x
    return np.sum(w * w)


def contraction(A, C):
    n, m, k = A.shape
    B = np.reshape(np.reshape(A, (n, m, 1, k)) @ C, (n, m, k))
    return np.sum(B * B)


def orthogonalise(A):
    A = A.copy()
    n = A.shape[1]
    Q = np.zeros_like(A)
    R = np.zeros((n, n))
    for k in range(n):
        R[k, k] = np.sqrt(A[:, k] @ A[:, k])
        Q[:, k] = A[:, k] / R[k, k]
        R[k, k + 1 :] = Q[:, k] @ A[:, k + 1 :]
        A[:, k + 1 :] -= np.outer(Q[:, k], R[k, k + 1 :])
    return np.sum(R * R * R)


def factorise(A):
    A = A.copy()
    n = A.shape[0]
    for k in range(n - 1):
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return np.sum(A * A)


def correlation(X):
    centred = X - np.mean(X, axis=0)
    deviation = np.sqrt(np.mean(centred * centred, axis=0))
    deviation = np.where(deviation <= 0.1, 1.0, deviation)
    scaled = centred / (np.sqrt(X.shape[0]) * deviation)
    corr = scaled.T @ scaled
    return np.sum(corr * corr * corr)


def sparse_rows(starts, columns, values, x):
    y = np.empty(len(starts) - 1)
    for i in range(len(starts) - 1):
        here = slice(starts[i], starts[i + 1])
        y[i] = values[here] @ x[columns[here]]
    return np.sum(y * y)


def scattered_sum(rows, columns, values, x, n):
    y = np.zeros(n)
    np.add.at(y, rows, values * x[columns])
    return np.sum(y * y)


def arguments(rng, *, small):
    """By name: the function, its arguments, and what is asked for."""
    n, k = (5, 3) if small else (500, 96)
    u = rng.normal(size=(6, n))
    stack = rng.normal(size=(2, 3, k) if small else (40, 40, k))
    tall = rng.normal(size=(6, 4) if small else (240, 200))
    m = 5 if small else 200
    rows = 6 if small else 200
    counts = rng.integers(1, 4 if small else 12, rows)
    starts = np.concatenate([[0], np.cumsum(counts)])
    columns = rng.integers(0, rows, starts[-1])
    entries = 20 if small else 40000
    places = rng.integers(0, rows, (2, entries))
    return {
        "rank two update": (
            rank_two_update,
            (1.5, 1.2, rng.normal(size=(n, n)) / n, *u),
            ("A", "u1", "v1", "u2", "v2", "y", "z"),
        ),
        "contraction": (contraction, (stack, rng.normal(size=(k, k))), ("A", "C")),
        "orthogonalise": (orthogonalise, (tall,), ("A",)),
        "factorise": (factorise, (rng.normal(size=(m, m)) + m * np.eye(m),), ("A",)),
        "correlation": (
            correlation,
            (rng.normal(size=(7, 4) if small else (400, 200)),),
            ("X",),
        ),
        "sparse rows": (
            sparse_rows,
            (starts, columns, rng.normal(size=starts[-1]), rng.normal(size=rows)),
            ("values", "x"),
        ),
        "scattered sum": (
            scattered_sum,
            (*places, rng.normal(size=entries), rng.normal(size=rows), rows),
            ("values", "x"),
        ),
    }
