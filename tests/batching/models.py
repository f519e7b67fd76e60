"""Twelve models, each of one example, that `vmap` is tested on.

The list was written before the first of them was run.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

RNG = np.random.default_rng(38)


def mlp(W1, b1, W2, b2, x, y):
    h = np.tanh(W1 @ x + b1)
    e = W2 @ h + b2 - y
    return np.mean(e**2)


def logistic_regression(w, b, x, y):
    z = np.dot(w, x) + b
    return np.log1p(np.exp(-z)) + (1.0 - y) * z


def lstm_step(W, U, b, x, h, c):
    n = len(h)
    z = W @ x + U @ h + b
    i = 1 / (1 + np.exp(-z[:n]))
    f = 1 / (1 + np.exp(-z[n : 2 * n]))
    o = 1 / (1 + np.exp(-z[2 * n : 3 * n]))
    g = np.tanh(z[3 * n :])
    c = f * c + i * g
    h = o * np.tanh(c)
    return np.sum(h * h) + np.sum(c)


def convolution(k, image):
    rows = image.shape[0] - 2
    out = np.zeros((rows, image.shape[1] - 2))
    for i in range(3):
        for j in range(3):
            out += k[i, j] * image[i : i + rows, j : j + out.shape[1]]
    return np.sum(np.maximum(out, 0.0))


def ode(theta, y0):
    y = y0
    h = 0.05
    for _ in range(20):
        slope = np.array([y[1], theta[0] * (1 - y[0] ** 2) * y[1] - theta[1] * y[0]])
        y = y + h * slope
    return np.sum(y**2)


def softmax_cross_entropy(W, x, label):
    z = W @ x
    z = z - np.max(z)
    return np.log(np.sum(np.exp(z))) - z[label]


def gaussian_log_likelihood(mu, cov, x):
    d = x - mu
    _, logdet = np.linalg.slogdet(cov)
    return -0.5 * (d @ np.linalg.solve(cov, d) + logdet + len(x) * np.log(2 * np.pi))


def polynomial(c, x):
    y = 0.0
    for k in range(len(c) - 1, -1, -1):
        y = y * x + c[k]
    return math.sin(y)


def attention(Wq, Wk, Wv, X):
    q = X @ Wq
    k = X @ Wk
    v = X @ Wv
    s = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(s - np.max(s, axis=1, keepdims=True))
    a = e / np.sum(e, axis=-1, keepdims=True)
    return np.sum((a @ v) ** 2)


def kmeans_distance(centres, x):
    d = np.sum((centres - x) ** 2, axis=1)
    return np.min(d)


def branches(w, x):
    total = 0.0
    for t in range(len(x)):
        z = w[t] * x[t]
        if z > 0:
            total += z**2
        elif z > -1.0:
            total += 0.1 * z
        else:
            total -= 0.5
    return total


def recursive_filter(a, x):
    y = np.zeros(len(x))
    y[0] = x[0]
    for t in range(1, len(x)):
        y[t] = a[0] * y[t - 1] + a[1] * x[t]
    return np.sum(y**2)


@dataclass(frozen=True)
class Model:
    """A function of one example, arguments of a batch, and which of them are mapped."""

    fn: Callable[..., Any]
    args: tuple[Any, ...]
    in_axes: tuple[int | None, ...]
    wrt: tuple[str, ...]

    def each(self, fn: Callable[..., Any]) -> list[Any]:
        """What a function gives of each example, one after the other."""
        count = next(
            a.shape[k] for a, k in zip(self.args, self.in_axes, strict=True) if k == 0
        )
        return [
            fn(
                *(
                    a if k is None else a[i]
                    for a, k in zip(self.args, self.in_axes, strict=True)
                )
            )
            for i in range(count)
        ]


def _model(fn, *args, shared, wrt):
    in_axes = tuple(None if k < shared else 0 for k in range(len(args)))
    return Model(fn, args, in_axes, wrt)


def draw(*shape):
    return RNG.normal(size=shape)


def _positive(*shape):
    a = draw(*shape)
    return a @ np.swapaxes(a, -1, -2) + 3 * np.eye(shape[-1])


MODELS = (
    _model(mlp, draw(4, 3), draw(4), draw(2, 4), draw(2), draw(5, 3), draw(5, 2),
           shared=4, wrt=("W1", "b1", "W2", "b2")),
    _model(logistic_regression, draw(3), 0.3, draw(6, 3),
           RNG.integers(0, 2, 6), shared=2, wrt=("w", "b")),
    _model(lstm_step, draw(8, 3), draw(8, 2), draw(8), draw(4, 3), draw(4, 2),
           draw(4, 2), shared=3, wrt=("W", "U", "b")),
    _model(convolution, draw(3, 3), draw(4, 6, 7), shared=1, wrt=("k",)),
    _model(ode, np.array([0.7, 1.3]), draw(5, 2), shared=1, wrt=("theta",)),
    _model(softmax_cross_entropy, draw(4, 3), draw(5, 3), RNG.integers(0, 4, 5),
           shared=1, wrt=("W",)),
    _model(gaussian_log_likelihood, draw(3), _positive(3, 3), draw(5, 3),
           shared=2, wrt=("mu", "cov")),
    _model(polynomial, draw(4), draw(5), shared=1, wrt=("c",)),
    _model(attention, draw(3, 2), draw(3, 2), draw(3, 2), draw(4, 5, 3),
           shared=3, wrt=("Wq", "Wk", "Wv")),
    _model(kmeans_distance, draw(4, 2), draw(6, 2), shared=1, wrt=("centres",)),
    _model(branches, draw(4), 2 * draw(7, 4), shared=1, wrt=("w",)),
    _model(recursive_filter, np.array([0.6, 0.3]), draw(3, 8), shared=1, wrt=("a",)),
)  # fmt: skip
NAMES = [m.fn.__name__ for m in MODELS]
