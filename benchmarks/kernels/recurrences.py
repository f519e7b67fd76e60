"""Kernels that are recurrences."""

import numpy as np


def gated(x, h, Wz, Uz, Wr, Ur, Wn, Un):
    total = 0.0
    for t in range(x.shape[0]):
        z = 1.0 / (1.0 + np.exp(-(x[t] @ Wz + h @ Uz)))
        r = 1.0 / (1.0 + np.exp(-(x[t] @ Wr + h @ Ur)))
        n = np.tanh(x[t] @ Wn + (r * h) @ Un)
        h = (1.0 - z) * n + z * h
        total += np.sum(h * h)
    return total


def two_way_filter(x, a, b):
    y = np.zeros_like(x)
    y[:, 0] = a * x[:, 0]
    for j in range(1, x.shape[1]):
        y[:, j] = a * x[:, j] + b * y[:, j - 1]
    z = np.zeros_like(x)
    z[:, -1] = a * y[:, -1]
    for j in range(x.shape[1] - 2, -1, -1):
        z[:, j] = a * y[:, j] + b * z[:, j + 1]
    return np.sum(z * z)


def levinson(r):
    n = len(r)
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + r[:k][::-1] @ y[:k]) / beta
        y[:k] += alpha * y[:k][::-1]
        y[k] = alpha
    return np.sum(y * y)


def kalman(measured, F, q, r):
    x = np.zeros(2)
    P = np.eye(2)
    loss = 0.0
    for t in range(len(measured)):
        x = F @ x
        P = F @ P @ F.T + q * np.eye(2)
        s = P[0, 0] + r
        e = measured[t] - x[0]
        K = P[:, 0] / s
        x = x + K * e
        P = P - np.outer(K, P[0])
        loss += np.log(s) + e * e / s
    return loss


def swinging(state, length, damping, dt, steps):
    def rate(s):
        return np.array([s[1], -damping * s[1] - 9.81 / length * np.sin(s[0])])

    loss = 0.0
    for _ in range(steps):
        k1 = rate(state)
        k2 = rate(state + 0.5 * dt * k1)
        k3 = rate(state + 0.5 * dt * k2)
        k4 = rate(state + dt * k3)
        state = state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        loss += state[0] ** 2
    return loss


def reservoir(x, W, V, leak):
    h = np.zeros(W.shape[0])
    states = np.zeros((x.shape[0], W.shape[0]))
    for t in range(x.shape[0]):
        h = (1.0 - leak) * h + leak * np.tanh(W @ h + V @ x[t])
        states[t] = h
    return np.mean(states * states)


def arguments(rng, *, small):
    """By name: the function, its arguments, and what is asked for."""
    steps, batch, n = (3, 2, 3) if small else (50, 16, 32)
    weights = rng.normal(0, n**-0.5, (6, n, n))
    series = rng.normal(size=(steps, batch, n))
    r = 0.5 ** np.arange(1, 6 if small else 120) * rng.uniform(0.8, 1.0)
    long = 4 if small else 200
    units = 4 if small else 100
    return {
        "gated": (gated, (series, series[0], *weights), None),
        "two way filter": (
            two_way_filter,
            (rng.normal(size=(4, 5) if small else (128, 128)), 0.3, 0.6),
            ("x", "a", "b"),
        ),
        "Levinson": (levinson, (r,), ("r",)),
        "Kalman": (
            kalman,
            (rng.normal(size=long), np.array([[1.0, 0.1], [0.0, 1.0]]), 0.01, 0.2),
            ("F", "q", "r"),
        ),
        "swinging": (
            swinging,
            (np.array([1.0, 0.2]), 1.3, 0.1, 0.01, long),
            ("state", "length", "damping"),
        ),
        "reservoir": (
            reservoir,
            (
                rng.normal(size=(long, 5)),
                rng.normal(0, units**-0.5, (units, units)),
                rng.normal(size=(units, 5)),
                0.3,
            ),
            ("W", "V", "leak"),
        ),
    }
