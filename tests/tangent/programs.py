"""Functions of which the tests print and check the tangents."""

import math

import numpy as np


def mlp(x, W1, b1, W2, b2):
    h = np.tanh(x @ W1 + b1)
    y = h @ W2 + b2
    return np.mean((y - 1.0) ** 2)


def recurrence(x, a):
    y = np.zeros_like(x)
    y[0] = x[0]
    s = 0.0
    for i in range(1, len(x)):
        y[i] = a * y[i - 1] + np.sin(x[i])
        if y[i] > 0.5:
            s += y[i] * x[i - 1]
        else:
            s -= np.exp(-y[i])
    return s + np.sum(y**2)


def newton(a):
    x = 1.0
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


def early(x, c):
    if c > 0:
        return np.sum(x) * c
    for v in x:
        if v > 0.3:
            return v * c
        c = c * v
    return c


def masked(x, y):
    z = np.where(x > 0, np.sqrt(np.abs(x)), y * x)
    q = np.concatenate((z, y[:2]))
    return np.max(q) + np.cumsum(z)[2] + np.mean(y)


def appended(x):
    out = []
    for i in range(len(x)):
        out.append(x[i] * x[i - 1])  # noqa: PERF401
    return np.array(out)


def in_place(x):
    y = x * 2.0
    y[1:] *= x[:-1]
    y += x
    z = y
    z[0] += 3 * x[1]
    y[1:3] -= x[0]
    y[-1] /= x[1]
    return y.sum() * z[0]


def stays(x):
    y = x * 1.0
    z = y + 0.0
    y[0] = 5.0
    return z * y


def gains(p, x):
    level, rest = p["a"] * x, [x * p["b"][0], 2.0]
    return level, rest[0] * rest[1]


def smaller(u, v):
    return np.sum(u + np.zeros(4)) + np.sum(v * 1.0)


def spectrum(x):
    z = np.fft.fft(x)
    return np.sum(np.abs(z) ** 2 * np.arange(len(x)))


def scalar(t):
    return math.sin(t) * t**3


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def swept(x, n):
    a, b = x[0], x[1]
    while n > 0:
        a, b = b, a * x[1] - b
        n = n - 1
    return a + b


def stored_rows(x, k):
    rows = np.empty((3, len(x)))
    for i in range(3):
        rows[i] = x**i
        rows[i, k] = 0.0
    return rows


def scattered(x, y):
    z = x * 1.0
    np.add.at(z, [0, 0, 1], y)
    np.subtract.at(z, [2], y[:1] * x[:1])
    return z * x


def pairs(x, weights):
    parts = []
    for k in weights:
        parts.append((x * k, k, np.sum(x**2) * k))  # noqa: PERF401
    total = 0.0
    for a, k, b in parts:
        total = total + b * np.sum(a**2) * k
    return total


def heads(x, k):
    y = x.reshape(*x.shape[:-1], k, -1)
    return np.sum(y[..., 0] ** 2)


_rng = np.random.default_rng(7)


def _draw(*shape):
    return _rng.uniform(0.2, 1.2, shape) * _rng.choice([-1.0, 1.0], shape)


CASES = {
    "mlp": (mlp, _draw(5, 3), _draw(3, 4), _draw(4), _draw(4, 2), _draw(2)),
    "recurrence": (recurrence, _draw(6), 0.4),
    "newton": (newton, 3.0),
    "early in the loop": (early, np.array([0.1, 0.2, 0.4]), -1.0),
    "early at once": (early, np.array([0.1, 0.2, 0.4]), 1.0),
    "masked": (masked, _draw(4), _draw(4)),
    "appended": (appended, _draw(4)),
    "in place": (in_place, _draw(4)),
    "stays": (stays, _draw(3)),
    "gains": (gains, {"a": 2.0, "b": [3.0, 1]}, _draw(3)),
    "smaller": (smaller, 0.3, 0.4),
    "spectrum": (spectrum, _draw(5)),
    "scalar": (scalar, 0.7),
    "rosenbrock": (rosenbrock, _draw(4)),
    "swept": (swept, _draw(2), 3),
    "swept not at all": (swept, _draw(2), 0),
    "scattered": (scattered, _draw(4), _draw(3)),
    "pairs": (pairs, _draw(2), _draw(3)),
    "heads": (heads, _draw(3, 4), 2),
    "rows": (stored_rows, _draw(3), 1),
}
