"""Twelve models for the table of peak memory, written with functions that NumPy,
autograd and JAX have: no stores. `arguments()` gives a set of arguments for each.

`loaded(module)` reads this file with another module as `np`.
"""

import math
import types
from pathlib import Path

import numpy as np

FIRST = "import numpy as np\n"


def chain(x):
    for _ in range(8):
        x = np.sin(x) * np.exp(-x * x)
    return np.sum(x)


def black_scholes(spot, strike, years, rate, volatility):
    root = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / root
    first = 0.5 * (1 + np.tanh(0.8 * d1 * (1 + 0.0447 * d1**2)))
    d2 = d1 - root
    second = 0.5 * (1 + np.tanh(0.8 * d2 * (1 + 0.0447 * d2**2)))
    return np.sum(spot * first - strike * np.exp(-rate * years) * second)


def logistic(w, X, y):
    return np.mean(np.log1p(np.exp(-y * (X @ w)))) + 0.01 * np.sum(w * w)


def perceptron(W1, b1, W2, b2, W3, b3, X, Y):
    h = np.tanh(X @ W1 + b1)
    h = np.tanh(h @ W2 + b2)
    scores = h @ W3 + b3
    scores = scores - np.max(scores, axis=1, keepdims=True)
    logs = scores - np.log(np.sum(np.exp(scores), axis=1, keepdims=True))
    return -np.mean(np.sum(Y * logs, axis=1))


def autoencoder(W1, W2, W3, W4, X):
    code = np.tanh(np.tanh(X @ W1) @ W2)
    return np.mean((np.tanh(code @ W3) @ W4 - X) ** 2)


def attention(Wq, Wk, Wv, X):
    q, k, v = X @ Wq, X @ Wk, X @ Wv
    scores = q @ k.T / math.sqrt(q.shape[1])
    weights = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    weights = weights / np.sum(weights, axis=1, keepdims=True)
    return np.sum((weights @ v) ** 2)


def mixture(means, log_widths, logits, X):
    z = (X[:, None, :] - means[None]) / np.exp(log_widths)[None]
    each = -0.5 * np.sum(z * z, axis=2) - np.sum(log_widths, axis=1) + logits
    top = np.max(each, axis=1, keepdims=True)
    return np.sum(top[:, 0] + np.log(np.sum(np.exp(each - top), axis=1)))


def gaussian_process(p, X, y):
    squares = np.sum(X * X, axis=1)
    distances = squares[:, None] + squares[None] - 2 * (X @ X.T)
    K = np.exp(p[0]) * np.exp(-distances * np.exp(p[1])) + 0.1 * np.eye(len(y))
    L = np.linalg.cholesky(K)
    z = np.linalg.solve(L, y)
    return 0.5 * np.sum(z * z) + np.sum(np.log(np.diag(L)))


def heat(u, c, n):
    for _ in range(n):
        inner = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2]) - 0.01 * u[1:-1] ** 3
        u = np.concatenate((u[:1], inner, u[-1:]))
    return np.sum(u * u)


def recurrent(W, U, xs):
    h = np.zeros(len(W))
    total = 0.0
    for t in range(len(xs)):
        h = np.tanh(W @ h + U @ xs[t])
        total = total + np.sum(h * h)
    return total


def shifted_windows(x, w):
    height, width = x.shape[0] - len(w) + 1, x.shape[1] - len(w) + 1
    out = np.zeros((height, width))
    for i in range(len(w)):
        for j in range(len(w)):
            out = out + w[i, j] * x[i : i + height, j : j + width]
    return np.sum(np.tanh(out))


def pendulum(theta, omega, k, n):
    h = 0.01
    for _ in range(n):
        omega = omega - h * k * np.sin(theta)
        theta = theta + h * omega
    return np.sum(theta * theta + omega * omega)


def arguments(*, small):
    """By name: the function, its arguments, and how many of them are differentiated."""
    rng = np.random.default_rng(0)

    def a(*shape):
        shape = tuple(max(n // 20, 3) if small and n > 10 else n for n in shape)
        return rng.normal(size=shape) / 10

    big, steps = (50_000 if small else 1_000_000), (5 if small else 100)
    spot, strike = np.exp(a(big)), np.exp(a(big))
    rows = a(2000, 200)
    return {
        "chain": (chain, (a(big),), 1),
        "Black-Scholes": (black_scholes,
            (spot, strike, np.full(len(spot), 1.5), 0.02, 0.3), 2),
        "logistic regression": (logistic,
            (a(100), a(20000, 100), np.sign(a(20000))), 1),
        "MLP": (perceptron, (a(100, 200), a(200), a(200, 200), a(200), a(200, 10),
            a(10), a(5000, 100), np.eye(10)[rng.integers(0, 10, len(a(5000)))]), 6),
        "autoencoder": (autoencoder, (a(200, 100), a(100, 20), a(20, 100), a(100, 200),
            rows), 4),
        "attention": (attention, (a(64, 64), a(64, 64), a(64, 64), a(1000, 64)), 3),
        "mixture of normals": (mixture, (a(8, 5), a(8, 5), a(8), a(50000, 5)), 3),
        "Gaussian process": (gaussian_process, (a(2), a(800, 5), a(800)), 1),
        "heat": (heat, (a(20000), 0.2, steps), 1),
        "recurrent network": (recurrent, (a(128, 128), a(128, 64), a(500, 64)), 2),
        "windows": (shifted_windows, (a(1000, 1000), a(5, 5)), 2),
        "pendulums": (pendulum, (a(10000), a(10000), 1.3, steps), 2),
    }  # fmt: skip


def loaded(module):
    """Return this module, read with another module in NumPy's place."""
    text = Path(__file__).read_text("utf-8").replace(FIRST, "", 1)
    copy = types.ModuleType(module.__name__)
    copy.__dict__.update(np=module, __file__=__file__)
    exec(compile(text, __file__, "exec"), vars(copy))
    return copy
