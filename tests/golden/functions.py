"""The functions whose gradients have golden texts, with arguments they are made for."""

import importlib.util
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import representative as r
from .programs import (
    distance,
    filtered,
    friction,
    lstm,
    newton,
    predator_prey,
    rnn,
    search,
    smoothed,
    smoothstep,
)

RNG = np.random.default_rng(11)


def arrays(*shapes: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Arrays of numbers between 0.3 and 1.5."""
    return tuple(RNG.uniform(0.3, 1.5, shape) for shape in shapes)


def linear(W, b, x, target):
    e = W @ x + b - target
    return np.sum(e**2)


def dense(x, W, b):
    return x @ W + b


def mlp(x, W1, b1, W2, b2, target):
    h = np.tanh(dense(x, W1, b1))
    y = dense(h, W2, b2)
    return np.mean((y - target) ** 2)


def logistic_map(x, r, n):
    for _i in range(n):
        x = r * x * (1 - x)
    return np.sum(x)


def price(q, p, kind):
    if q <= 0:
        return 0.0
    if kind == "bulk":
        rate = 0.9 - 0.001 * q
        cost = p * q * rate
    elif kind == "member":
        cost = p * q * 0.95
    else:
        cost = p * q
    if kind == "bulk":
        cost = cost + 5.0 * rate**2
    return cost * cost


class Dense:
    def __init__(self, W, b):
        self.W, self.b = W, b

    def __call__(self, x):
        return x @ self.W + self.b


class Net:
    def __init__(self, first, last, scale):
        self.first, self.last, self.scale = first, last, scale

    def forward(self, x):
        h = np.tanh(self.first(x))
        return self.scale * self.last(h)


def loss(m, x, target):
    e = m.forward(x) - target
    return np.mean(e**2)


def root(a, x, tol):
    while abs(x * x - a) > tol:
        x = 0.5 * (x + a / x)
    return x


def march(x, w, limit):
    total, decay = 0.0, 1.0
    for i in range(len(x)):
        decay = decay * w
        if x[i] < 0:
            continue
        total = total + decay * math.sin(x[i])
        if total > limit:
            break
    return total


def passage(x, k, n):
    for _i in range(n):
        x = x + k * math.sin(x)
        if x > 2.0:
            return x * k
    return x * x


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


def clipped(x, y):
    z = np.where(x > y, x * y, np.maximum(x, 0.5))
    return np.sum(z)


def softmax(x, target):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    return np.sum((p - target) ** 2)


def logsumexp(x):
    m = np.max(x, axis=1)
    s = m + np.log(np.sum(np.exp(x - m[:, None]), axis=1))
    return np.mean(s)


def table(x, w):
    total = 0.0
    for u, v in zip(x, w):
        total = total + u * v * total + v
    return total


def layers(weights, x):
    for W in weights:
        x = np.tanh(W @ x)
    return np.sum(x)


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    if n % 2 == 1:
        return half * half * x
    return half * half


def tree(a, w):
    k = len(a) // 2
    if k == 0:
        return a[0]
    return np.tanh(w * tree(a[:k], w) + tree(a[k:], w))


def flow(x, rate, n):
    if n == 0:
        return x
    return math.sin(ebb(x * rate, rate, n - 1))


def ebb(x, rate, n):
    if n == 0:
        return x * x
    return flow(x, rate, n - 1) + rate * x


def running(a, decay):
    if len(a) == 0:
        return 0.0
    return a[0] ** 2 + decay * running(a[1:], decay)


@dataclass(frozen=True, eq=False)
class Golden:
    """A function, and the arguments and `wrt` of its text."""

    fn: Callable[..., Any]
    args: tuple[Any, ...]
    wrt: tuple[str, ...] | None = None
    name: str = ""
    helpers: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name or self.fn.__name__


def net() -> Net:
    W1, b1, W2, b2 = arrays((3, 4), (4,), (4, 2), (2,))
    return Net(Dense(W1, b1), Dense(W2, b2), 1.5)


GOLDEN = [
    Golden(linear, arrays((3, 4), (3,), (4,), (3,)), ("W", "b")),
    Golden(
        mlp,
        arrays((5, 3), (3, 4), (4,), (4, 2), (2,), (5, 2)),
        ("W1", "b1", "W2", "b2"),
    ),
    Golden(logistic_map, (*arrays((3,)), 2.5, 3)),
    Golden(price, (10.0, 3.0, "bulk")),
    Golden(loss, (net(), *arrays((5, 3), (5, 2))), name="net"),
    Golden(root, (2.0, 1.0, 1e-9), ("a", "x")),
    Golden(march, (np.array([0.5, -1.0, 0.7, 0.9, 0.3]), 0.9, 1.0), ("x", "w")),
    Golden(passage, (0.5, 1.3, 20)),
    Golden(recurrence, (*arrays((6,)), 0.7, 0.4)),
    Golden(heat, (*arrays((6,)), 0.1, 3)),
    Golden(heat, (*arrays((6,)), 0.1, 3), ("u0",), name="heat_u0"),
    Golden(clipped, arrays((3, 4), (4,))),
    Golden(softmax, arrays((3, 4), (3, 4)), ("x",)),
    Golden(logsumexp, arrays((3, 4))),
    Golden(table, arrays((4,), (4,))),
    Golden(layers, (list(arrays((3, 3), (3, 3))), *arrays((3,)))),
    Golden(power, (1.3, 11), ("x",)),
    Golden(running, (*arrays((6,)), 0.9)),
    Golden(tree, (*arrays((6,)), 0.7)),
    Golden(flow, (0.4, 1.1, 7), ("x", "rate")),
    Golden(distance, arrays((3, 2), (3,))),
    Golden(friction, (1e4, 1e-3), ("re", "eps")),
    Golden(predator_prey, (0.5, 0.6, 0.7, 0.8, 0.01, 5), ("x", "y", "a", "b")),
    Golden(rnn, arrays((4, 2), (3, 3), (3, 2))),
    Golden(lstm, arrays((3, 2, 3), (3, 4), (2, 4), (2, 4), (2, 4))),
    Golden(newton, (2.0, 2.0, 1e-10), ("c", "x")),
    Golden(search, (np.array([0.1, 0.5, -0.3, 1.2, 0.4]), 2.0)),
    Golden(filtered, (0.3, np.array([0.4, -0.2, 0.9, 0.3]), 0.5)),
    Golden(smoothstep, (0.7, 0.1, 1.2)),
    Golden(smoothed, (np.array([0.05, 0.4, 0.9, 1.4]), 0.1, 1.2)),
]
if importlib.util.find_spec("scipy") is not None:
    from .solved import CASES

    GOLDEN += [Golden(fn, args, wrt, "", found) for fn, args, wrt, found in CASES]
COV = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, -0.2], [0.1, -0.2, 1.0]])
GOLDEN += [
    Golden(
        r.log_density, (*arrays((5, 3), (3,)), COV), ("mean", "cov"),
    ),
    Golden(r.explained, (*arrays((6, 4)), 2), ("X",)),
    Golden(
        r.reconstruction, arrays((6, 3), (3,)),
        helpers=(
            "unbroadcast", "unsvd", "turned", "are_small", "refuse_where",
            "have_equals", "turns_within", "gaps", "diagonals", "refuse_phase",
        ),
    ),
    Golden(
        r.lowpass, (*arrays((8,)), 0.2, *arrays((8,))), ("x", "cutoff"),
    ),
    Golden(
        r.fit, arrays((6, 3), (6,), (6,)),
        helpers=("unsolution", "unbroadcast", "unprojected", "outer_last"),
    ),
    Golden(
        r.trend, arrays((6,), (6,), (2,)),
        helpers=("unpolyval", "unpolyfit", "like", "unbroadcast"),
    ),
    Golden(r.attention, arrays((2, 4, 3), (2, 4, 3), (2, 4, 3))),
    Golden(
        r.gp_likelihood, (*arrays((5,), (5,)), 0.7, 1.2, 0.3),
        ("length", "amplitude", "noise"),
    ),
    Golden(
        r.kalman_step,
        (*arrays((3,)), COV, *arrays((2,), (3, 3)), 0.1 * COV, *arrays((2, 3)),
         np.array([[1.0, 0.2], [0.2, 1.5]])),
    ),
    Golden(r.mixture, arrays((7,), (3,), (3,), (3,))),
    Golden(
        r.pinball, (*arrays((11,), (11,)), 0.8), ("pred",),
        helpers=(
            "unsort", "unmedian", "unquantile", "shared", "beside", "restored",
            "unmax", "rows", "positions", "unrows", "ties", "axes_sorted",
        ),
    ),
]  # fmt: skip
GENERAL = [
    Golden(linear, GOLDEN[0].args, ("W", "b")),
    Golden(mlp, GOLDEN[1].args, ("W1", "b1", "W2", "b2")),
    Golden(clipped, GOLDEN[11].args),
    Golden(logistic_map, GOLDEN[2].args, ("x", "r")),
]
