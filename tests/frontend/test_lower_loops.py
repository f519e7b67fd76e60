"""Loops of every sort, and ways out of them."""

import math

import numpy as np
import pytest

from tests.frontend.lowering import check

r = np.random.default_rng(0)


def cell(x, h, c, W, U):
    f, g = np.split(x @ W + h @ U, 2, axis=1)
    f = 1 / (1 + np.exp(-f))
    c = f * c + (1 - f) * np.tanh(g)
    return np.tanh(c), c


def lmap(x, r, n):
    for i in range(n):
        x = r * x * (1 - x)
    return np.sum(x)


def passage(x, k, n):
    for i in range(n):
        x = x + k * math.sin(x)
        if x > 2.0:
            return x * k
    return x * x


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


def root(a, x, tol):
    while abs(x * x - a) > tol:
        x = 0.5 * (x + a / x)
    return x


def whiletrue(x):
    n = 0
    while True:
        x = x * 0.5
        n += 1
        if x < 0.1:
            break
    return x * n


def whileelse(x):
    k = 0
    while k < 3:
        x = x * 1.5
        k += 1
        if x > 100:
            break
    else:
        x = x + 1
    return x


def forelse(x, n):
    for i in range(n):
        if x > 5:
            break
        x = x * 2
    else:
        x = -x
    return x


def nested(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i, n):
            if j == 3:
                continue
            if i * j > 6:
                break
            s = s + x * i * j
        else:
            s = s * 1.1
    return s


def retnest(x, n):
    for i in range(n):
        for j in range(n):
            x = x * 1.1
            if x > 3:
                return x + i - j
    return x


def enum(x):
    s = 0.0
    for i, v in enumerate(x):
        s = s + i * v
    return s


def zipped(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s = s + a * b
    for i, (a, b) in enumerate(zip(x, y)):
        s = s + i * a * b
    return s


def revd(x):
    s = 0.0
    for v in reversed(x):
        s = s * 0.5 + v
    for i in reversed(range(len(x))):
        s = s * 0.5 + x[i]
    return s


def lists(xs):
    s = 0.0
    for x in xs:
        s = s + x * x
    return s


def ditems(d):
    s = 0.0
    for k, v in d.items():
        if k == "a":
            s = s + v
        else:
            s = s - 2 * v
    return s + d["a"]


def acc(x):
    total = 0.0
    for v in x:
        total += v * v
    return total


def lstm(x, W1, U1, W2, U2):
    h1 = c1 = h2 = c2 = np.zeros((x.shape[1], len(U1)))
    total = 0.0
    for t in range(len(x)):
        h1, c1 = cell(x[t], h1, c1, W1, U1)
        h2, c2 = cell(h1, h2, c2, W2, U2)
        total = total + np.sum(h2**2)
    return total


CASES = [
    (lmap, False, [(0.3, 3.1, 5), (0.3, 3.1, 0)]),
    (passage, False, [(0.3, 0.5, 20), (0.3, 0.1, 2)]),
    (march, False, [(r.normal(size=9), 0.9, 0.8), (r.normal(size=9), 0.9, 100.0)]),
    (root, False, [(2.0, 1.0, 1e-09)]),
    (whiletrue, False, [(2.0,)]),
    (whileelse, False, [(2.0,), (90.0,)]),
    (forelse, False, [(2.0, 1), (2.0, 10), (2.0, 0)]),
    (nested, False, [(0.3, 5), (0.3, 3)]),
    (retnest, False, [(1.0, 3), (1.0, 5)]),
    (enum, False, [(np.arange(4.0),)]),
    (zipped, False, [(np.arange(4.0), np.arange(4.0) + 0.5)]),
    (revd, False, [(np.arange(4.0),)]),
    (lists, True, [([1.0, 2.0, 3.0],)]),
    (ditems, True, [({"a": 1.0, "b": 2.0},)]),
    (acc, False, [(r.normal(size=3),)]),
    (
        lstm,
        False,
        [
            (
                r.normal(size=(4, 1, 2)),
                r.normal(size=(2, 6)),
                r.normal(size=(3, 6)),
                r.normal(size=(3, 6)),
                r.normal(size=(3, 6)),
            )
        ],
    ),
]


@pytest.mark.parametrize(
    ("fn", "only_known", "cases"), CASES, ids=lambda p: getattr(p, "__name__", None)
)
def test_tape_does_what_the_function_does(fn, only_known, cases):
    check(fn, *cases, known=(True,) if only_known else (True, False))
