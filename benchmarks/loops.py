"""Loops of which docs/memory.md tells what their gradients keep."""

import math

import numpy as np


def stencil(u0, c, n):
    u = u0.copy()
    for _ in range(n):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def burgers(u0, c, n):
    u = u0.copy()
    for _ in range(n):
        u[1:-1] -= c * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u**2)


def recurrence(x, a, b):
    s = np.zeros(len(x))
    s[0] = x[0]
    for t in range(1, len(x)):
        s[t] = np.tanh(a * s[t - 1] + b * x[t])
    return np.mean(s**2)


def logistic_map(x, r, n):
    for _ in range(n):
        x = r * x * (1 - x)
    return np.sum(x)


def rnn(x, W, U):
    h = np.zeros((len(x) + 1, len(W)))
    for t in range(len(x)):
        h[t + 1] = np.tanh(W @ h[t] + U @ x[t])
    return np.sum(h**2)


def cell(x, h, c, W, U):
    f, g = np.split(x @ W + h @ U, 2, axis=1)
    f = 1 / (1 + np.exp(-f))
    c = f * c + (1 - f) * np.tanh(g)
    return np.tanh(c), c


def lstm(x, W, U):
    h = c = np.zeros((x.shape[1], len(U)))
    total = 0.0
    for t in range(len(x)):
        h, c = cell(x[t], h, c, W, U)
        total = total + np.sum(h**2)
    return total


def newton(a, x):
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


def orbit(x, y, a, b, h, n):
    for _ in range(n):
        x, y = x + h * (a * x - b * x * y), y + h * (b * x * y - y)
    return math.sqrt(x * x + y * y)


def eliminate(A, b):
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
    return np.sum(x**2)


def thomas(a, b, c, d):
    n = len(d)
    cp, dp, x = np.zeros(n), np.zeros(n), np.zeros(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x[n - 1] = dp[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return np.sum(x * x)


def cholesky(A):
    n = len(A)
    L = np.zeros((n, n))
    for j in range(n):
        L[j, j] = np.sqrt(A[j, j] - L[j, :j] @ L[j, :j])
        for i in range(j + 1, n):
            L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
    return np.sum(L**3)


def arguments():
    """By the row of the table: the loop, its arguments, and what is asked for."""
    rng = np.random.default_rng(0)
    u, x = rng.uniform(0.2, 0.8, 100), rng.uniform(0.2, 0.8, 200)
    n = 20
    A = rng.uniform(0.0, 0.4, (n, n)) + n * np.eye(n)[::-1]
    d = rng.uniform(1.0, 2.0, (4, 50)) + 2.0 * np.array([[0], [1], [0], [0]])
    W, U = rng.normal(0, 0.3, (2, 8, 8))
    gates = rng.normal(0, 0.3, (2, 8, 16))
    series, batch = rng.normal(size=(50, 8)), rng.normal(size=(50, 4, 8))
    return {
        "linear stencil": (stencil, (u, 0.2, 500), ("u0",)),
        "stencil": (stencil, (u, 0.2, 500), ("u0", "c")),
        "Burgers": (burgers, (u, 0.02, 500), ("u0", "c")),
        "recurrence": (recurrence, (x, 0.5, 0.7), None),
        "logistic map": (logistic_map, (u, 0.9, 100), ("x", "r")),
        "recurrent network": (rnn, (series, W, U), None),
        "LSTM": (lstm, (batch, *gates), None),
        "Newton": (newton, (2.0, 1000.0), None),
        "orbit": (orbit, (1.0, 0.5, 1.1, 0.4, 0.01, 1000), ("x", "y", "a", "b")),
        "elimination": (eliminate, (A, rng.uniform(size=n)), None),
        "Thomas": (thomas, tuple(d), None),
        "Cholesky": (cholesky, (A @ A.T,), None),
    }
