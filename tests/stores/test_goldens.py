"""Whole texts of functions that write into arrays."""

from pathlib import Path

import numpy as np
import pytest

import yota_ast as ya

from .checking import check_writer

HERE = Path(__file__).parent / "golden"


def alias(a):
    """A name and a view of one array; old contents are read nonlinearly."""
    y = a
    s = np.sum(a**3)
    y *= 2.0
    row = y[0]
    s = s + np.sum(np.sin(row))
    row[1:] = row[1:] * row[:-1]
    return s + np.sum(a * a)


def smooth(u, c):
    u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])


def diffuse(u0, c, n):
    """A helper writes into its argument."""
    u = u0.copy()
    for _ in range(n):
        smooth(u, c)
    return np.sum(u**2)


def normalised(m, w):
    """The rows that a loop runs over are written."""
    m = m.copy()
    for row in m:
        row /= np.sqrt(np.sum(row * row))
    return np.sum(m @ w)


def grid(x, c):
    """An array is filled through a reshaped view."""
    y = np.zeros(6)
    cells = y.reshape(2, 3)
    cells[0] = c * x
    cells[1, 1:] = cells[0, :-1] ** 2
    return np.sum(y**2)


def scatter(x, idx, c, k, v):
    """Gathers and stores by index arrays and a mask."""
    y = x[idx] ** 2
    big = y > 1.0
    y[big] = c
    y[k] += v
    return np.sum(y**2)


def decompose(A):
    """LU in place, with pivoting that has no test."""
    A = A.copy()
    n = len(A)
    for k in range(n - 1):
        p = k + np.argmax(np.abs(A[k:, k]))
        A[[k, p]] = A[[p, k]]
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return np.sum(np.log(np.abs(np.diagonal(A))))


rng = np.random.default_rng(2)
X = rng.uniform(0.3, 1.3, 6)
M = rng.uniform(0.3, 1.3, (3, 4))
A = rng.uniform(0.0, 1.0, (4, 4)) + 2 * np.eye(4)[::-1]
CASES = [
    (alias, (M,)),
    (diffuse, (X, 0.2, 3)),
    (normalised, (M, X[:4])),
    (grid, (X[:3], 0.7)),
    (scatter, (X, np.array([0, 2, 2, 5]), 0.4, np.array([1, 1]), X[:2])),
    (decompose, (A,)),
]


@pytest.mark.parametrize(("fn", "args"), CASES, ids=[fn.__name__ for fn, _ in CASES])
def test_text(fn, args, golden):
    check_writer(fn, args)
    golden(HERE / f"{fn.__name__}.txt", ya.simplegrad(fn, *args).source)
