"""Writes into arrays, aliases and views."""

import numpy as np
import pytest

from tests.frontend.lowering import check

r = np.random.default_rng(0)


def recurrence(x, a, b):
    s = np.zeros(len(x))
    s[0] = x[0]
    for t in range(1, len(x)):
        s[t] = np.tanh(a * s[t - 1] + b * x[t])
    return np.mean(s**2)


def heat(u0, c, n):
    u = u0.copy()
    for i in range(n):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def solve(A, b):
    A, b = A.copy(), b.copy()
    n = len(b)
    for k in range(n - 1):
        p = k + np.argmax(np.abs(A[k:, k]))
        if p != k:
            A[[k, p]] = A[[p, k]]
            b[[k, p]] = b[[p, k]]
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            A[i, k:] -= f * A[k, k:]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x


def rnn(x, W, U):
    h = np.zeros(len(W))
    hs = []
    for t in range(len(x)):
        h = np.tanh(W @ h + U @ x[t])
        hs.append(h)
    H = np.stack(hs)
    return np.sum(H**2)


def scatter(x, idx, c, k, v):
    y = x[idx] ** 2
    big = y > 1.0
    y[big] = c
    y[k] += v
    return np.sum(y**2)


def alias(x):
    y = x * 2
    z = y
    y[0] = 5.0
    v = y[1:]
    y[1] = 7.0
    return z.sum() + v.sum()


def dbl(u, n):
    u = u.copy()
    for k in range(n):
        new = u.copy()
        for i in range(1, len(u) - 1):
            new[i] = 0.5 * (u[i - 1] + u[i + 1])
        u = new
    return u


def swap(x, n):
    a = x * 1.0
    b = x * 2.0
    for i in range(n):
        a[0] = b[1]
        a, b = b, a
    return a - b


CASES = [
    (recurrence, False, [(r.normal(size=5), 0.3, 0.4)]),
    (heat, False, [(r.normal(size=7), 0.1, 4), (r.normal(size=7), 0.1, 0)]),
    (solve, False, [(r.normal(size=(4, 4)), r.normal(size=4))]),
    (
        rnn,
        False,
        [(r.normal(size=(4, 2)), r.normal(size=(3, 3)), r.normal(size=(3, 2)))],
    ),
    (
        scatter,
        False,
        [
            (
                r.normal(size=5),
                np.array([0, 1, 1, 3]),
                2.0,
                np.array([0, 0]),
                np.array([1.0, 2.0]),
            )
        ],
    ),
    (alias, False, [(r.normal(size=4),)]),
    (dbl, False, [(r.normal(size=6), 3)]),
    (swap, False, [(r.normal(size=3), 3)]),
]


@pytest.mark.parametrize(
    ("fn", "only_known", "cases"), CASES, ids=lambda p: getattr(p, "__name__", None)
)
def test_tape_does_what_the_function_does(fn, only_known, cases):
    check(fn, *cases, known=(True,) if only_known else (True, False))
