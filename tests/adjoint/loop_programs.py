"""Loops that overwrite what the reverse reads: programs, and arguments to try."""

import math

import numpy as np

rng = np.random.default_rng(7)
X = rng.uniform(0.2, 1.0, 7)
M = rng.uniform(0.2, 1.0, (5, 4))


def recurrence(x, a, b):
    s = np.zeros(len(x))
    s[0] = x[0]
    for t in range(1, len(x)):
        s[t] = np.tanh(a * s[t - 1] + b * x[t])
    return np.mean(s**2)


def heat(u0, c, n):
    u = u0.copy()
    for _i in range(n):
        u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def scaled(u0, c, n):
    u = u0.copy()
    for _i in range(n):
        u[1:-1] += c * u[1:-1]
    return np.sum(u**2)


def squares(u0, n):
    u = u0.copy()
    for _i in range(n):
        u[1:] += 0.1 * u[:-1] * u[:-1]
    return np.sum(u)


def whole(u0, n):
    u = u0.copy()
    for _i in range(n):
        u[:] = np.sin(u) * u
    return np.sum(u)


def backwards(x, a):
    s = np.zeros(len(x) + 1)
    for t in range(len(x) - 1, -1, -1):
        s[t] = x[t] * np.sin(a * s[t + 1])
    return np.sum(s * s)


def wraps(x, a):
    s = np.ones(len(x))
    for t in range(len(x)):
        s[t] = x[t] * np.sin(a * s[t - 1])
    return np.sum(s * s)


def looks_ahead(x, a):
    s = x.copy()
    for t in range(len(x) - 1):
        s[t] = a * s[t] * s[t + 1]
    return np.sum(s * s)


def twice_stored(x, a):
    s = np.zeros(len(x))
    for t in range(1, len(x)):
        s[t] = np.sin(a * s[t - 1] + x[t])
        s[t] = s[t] * s[t] * a
    return np.sum(s)


def accumulates(x, a):
    s = np.zeros(len(x))
    for t in range(1, len(x)):
        s[t] += np.sin(a * s[t - 1] * s[t - 1] + x[t])
    return np.sum(s * s)


def overwritten_after(x, a):
    s = np.zeros(len(x))
    for t in range(1, len(x)):
        s[t] = np.sin(a * s[t - 1] + x[t])
    y = np.sum(s * s)
    s[1:] = 0.5
    return y + np.sum(s)


def stride(x, a):
    s = np.zeros(len(x) + 2)
    s[0] = a
    s[1] = a * a
    for t in range(0, len(x) - 1, 2):
        s[t + 2] = np.sin(s[t]) * x[t]
        s[t + 3] = np.cos(s[t + 1]) * s[t + 2]
    return np.sum(s * s)


def rows(m, w):
    h = np.zeros((len(m) + 1, m.shape[1]))
    for t in range(len(m)):
        h[t + 1] = np.tanh(w * h[t] + m[t])
    return np.sum(h * h)


def table(m, a):
    s = np.zeros((5, 4))
    for i in range(1, 5):
        for j in range(1, 4):
            s[i, j] = np.sin(a * s[i - 1, j] * s[i, j - 1] + m[i, j])
    return np.sum(s * s)


def table_again(m, a):
    s = m.copy()
    for _k in range(2):
        for i in range(1, 5):
            s[i] = s[i] * np.sin(a * s[i - 1])
    return np.sum(s * s)


def inner_array(m, a):
    total = 0.0
    for i in range(len(m)):
        s = np.zeros(4)
        s[0] = m[i, 0]
        for j in range(1, 4):
            s[j] = np.sin(a * s[j - 1]) * m[i, j]
        total = total + np.sum(s * s)
    return total


def maybe(x, a):
    s = np.zeros(len(x))
    for t in range(1, len(x)):
        if x[t] > 0.6:
            s[t] = np.sin(a * s[t - 1])
        else:
            s[t] = s[t - 1] * s[t - 1] + x[t]
    return np.sum(s * s)


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


def thomas(a, b, c, d):
    n = len(d)
    cp = np.zeros(n)
    dp = np.zeros(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = np.zeros(n)
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
    return np.sum(L * L * L)


def stops(x, a, limit):
    s = np.zeros(len(x))
    for t in range(1, len(x)):
        s[t] = np.sin(a * s[t - 1]) + x[t]
        if s[t] > limit:
            break
    return np.sum(s * s)


def while_filled(x, a):
    s = np.zeros(len(x))
    t = 1
    while t < len(x):
        s[t] = np.sin(a * s[t - 1] + x[t])
        t += 1
    return np.sum(s * s)


def wave(u0, c, n):
    u, v = u0.copy(), u0 * 0.0
    for _i in range(n):
        v[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
        u += v * c
    return np.sum(u**2)


def burgers(u0, c, n):
    u = u0.copy()
    for _i in range(n):
        u[1:-1] = u[1:-1] - c * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u**2)


def two_arrays(x, a, n):
    u, w = x.copy(), x * 2.0
    for _i in range(n):
        u[1:] = a * u[1:] * w[:-1]
        w[:] = w * 0.5 + u
    return np.sum(u * w)


def top_parts(x):
    s = x.copy()
    y = s[1] * s[2]
    z = s[0] * s[1]
    s[1] = y * z
    s[2] = s[1] * s[0]
    return np.sum(s * s)


def row_parts(m):
    a = m.copy()
    y = np.sum(np.sin(a[0]))
    a[0, 1:] = a[0, 1:] * a[0, :-1]
    return y + np.sum(a * a)


def gathered(x, idx, n):
    s = x.copy()
    for _i in range(n):
        s[idx] = s[idx] * s[0]
    return np.sum(s)


def logistic_map(x, r, n):
    for _i in range(n):
        x = r * x * (1 - x)
    return np.sum(x)


def root(a, x):
    while abs(x * x - a) > 1e-9:
        x = 0.5 * (x + a / x)
    return x


def passage(x, k, n):
    for _i in range(n):
        x = x + k * math.sin(x)
        if x > 2.0:
            return x * k
    return x * x


def march(x, w, limit):
    total, decay = 0.0, 1.0
    for i in range(len(x)):
        decay = decay * w
        if x[i] < 0.437:
            continue
        total = total + decay * math.sin(x[i])
        if total > limit:
            break
    return total


def linear_steps(u0, c, n):
    u = u0.copy()
    k = 0
    while k < n:
        u[1:] += c * u[:-1]
        u[:-1] -= 0.5 * u[1:]
        k += 1
    return np.sum(u * u)


def rounded(x, a):
    s = np.zeros(len(x), dtype=np.float32)
    for t in range(1, len(x)):
        s[t] = np.tanh(a * s[t - 1] + x[t])
    return np.sum(s * s)


def within_while(x, a):
    s = x.copy()
    k = 0
    while k < 2:
        for t in range(1, len(x)):
            s[t] = np.tanh(a * s[t - 1] * s[t])
        k += 1
    return np.sum(s * s)


def broadcast_rows(m, a):
    h = np.ones((len(m) + 1, m.shape[1]))
    for t in range(len(m)):
        h[t + 1] = np.sin(a * np.sum(h[t]) * m[t, 0])
    return np.sum(h * h)


SPD = np.eye(4) * 3 + rng.uniform(0, 0.4, (4, 4))
SPD = SPD + SPD.T
CASES = [
    (recurrence, (X, 0.5, 0.7)), (recurrence, (X[:1], 0.5, 0.7)),
    (heat, (X, 0.2, 3)), (heat, (X, 0.2, 0)), (heat, (X[:2], 0.2, 2)),
    (scaled, (X, 0.3, 3)), (squares, (X, 3)), (whole, (X, 3)), (whole, (X, 0)),
    (backwards, (X, 0.8)), (wraps, (X, 0.8)), (looks_ahead, (X, 0.8)),
    (twice_stored, (X, 0.8)), (accumulates, (X, 0.8)), (overwritten_after, (X, 0.8)),
    (stride, (X, 0.8)), (rows, (M, 0.7)), (table, (M, 0.7)), (table_again, (M, 0.7)),
    (inner_array, (M, 0.7)), (maybe, (X, 0.9)),
    (solve, (SPD[::-1].copy(), X[:4])), (solve, (SPD, X[:4])),
    (thomas, (X[:5], X[:5] + 2, X[1:6], X[2:7])), (cholesky, (SPD,)),
    (stops, (X, 0.9, 1.2)), (stops, (X, 0.9, 9.0)), (while_filled, (X, 0.9)),
    (wave, (X, 0.3, 3)), (burgers, (X, 0.3, 3)), (two_arrays, (X, 0.3, 3)),
    (top_parts, (X,)), (row_parts, (M,)), (gathered, (X, np.array([1, 3]), 2)),
    (logistic_map, (X, 0.7, 3)), (logistic_map, (0.3, 0.7, 3)),
    (root, (2.0, 1.5)), (passage, (0.5, 0.3, 50)), (passage, (0.5, 0.3, 2)),
    (within_while, (X, 0.7)), (broadcast_rows, (M, 0.7)),
    (march, (X, 0.9, 1.3)), (march, (X, 0.9, 9.0)), (linear_steps, (X, 0.3, 3)),
]  # fmt: skip
