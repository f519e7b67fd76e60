# ruff: noqa: NPY201, RET504
"""Functions to explain: one of each kind of line, and some that are refused."""

import math
from dataclasses import dataclass

import numpy as np

import yota_ast as ya

SCALE = 2.0
MODE = "plain"
TABLE = np.ones((3, 2))


def dense(W, x, b):
    """A helper."""
    return np.tanh(W @ x + b)


def shrunk(t):
    if t.ndim == 1:
        return t
    return t.sum(axis=0)


@dataclass
class Rate:
    start: float
    decay: float = 0.5

    def at(self, k):
        return self.start * self.decay**k


def softplus(x):
    return np.logaddexp(0.0, x)


ya.diffrule("softplus(x)", "x", "dy / (1 + np.exp(-x))")


def factorial(x, n):
    return 1.0 if n <= 0 else x * n * factorial(x, n - 1)


def supported(W, x, b, n=3, mode="plain"):
    """Every kind of line."""
    h = dense(W, x, b)
    total = 0.0
    rate = Rate(1.0)
    for k in range(n):
        total += SCALE * h[0] ** 2 * rate.at(k)
    for w in (1.0, 2.0):
        total += w * math.exp(w)
    if MODE == "plain":
        total = total + np.linalg.norm(h) + softplus(total)
    if isinstance(n, int):
        total = total - 1
    while total > 100.0:
        total = total / 2
    print("total", np.floor(total))
    squares = [v * v for v in h]
    with np.errstate(all="ignore"):
        part = np.sum(TABLE) * sum(squares)
    try:
        part = part / total
    except ZeroDivisionError:
        part = 0.0
    assert part is not None
    return np.sum(shrunk(h)) + total * factorial(total, n) + part


class Swallowing:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


def refused(W, x, b):
    h = dense(W, x, b)
    d = np.busday_count(h, h)
    e = np.exp(d)
    global SCALE
    SCALE = e
    with Swallowing():
        e = e * 2
    f = unknown(x)
    g = np.sin(f)
    return np.sum(d) + e + helper(g) + helper(h)


def helper(t):
    u = np.cos(t)
    v = eval("u")
    return u * v


def inner_loop(x):
    y = 0.0
    for k in range(3):
        z = x * k

        class Local:
            pass

        y = y + z + np.lookfor(x)
    return y


def generator(x):
    yield x


def long(x):
    a = x + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    a = a + 1
    b = np.exp(a)
    return b


def error(w, x, y):
    return (w @ x - y) ** 2


def features(w, X, y):
    """A loop with a schedule, an adjoint that is replaced, and a batch."""
    for _ in ya.checkpoint(range(1000), slots=30):
        w = np.tanh(w)
    for _ in ya.checkpoint(range(1000)):
        w = np.sin(w)
    w = ya.replace_grad(w, lambda d: np.clip(d, -1.0, 1.0))
    return np.sum(ya.vmap(error, in_axes=(None, 0, 0))(w, X, y))
