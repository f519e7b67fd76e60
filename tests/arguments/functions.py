"""Small functions of many kinds, with arguments for which gradients are made: what
their generated code does when it is given others is what the tests beside it ask."""

import math
from types import SimpleNamespace

import numpy as np

RATES = [(10.0, 0.1), (40.0, 0.2)]
WEIGHTS = np.array([0.2, 0.5, 0.7])
SCALES = {"a": 2.0, "b": 3.0}

V = np.array([0.8, 1.7, 2.3])
U = np.array([1.1, 0.4, 1.9])
M = np.array([[0.5, 1.2, 0.7], [1.4, 0.3, 2.1]])
S = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.8]])


class Layer:
    def __init__(self, W, b):
        self.W = W
        self.b = b

    def __call__(self, x):
        return np.tanh(x @ self.W + self.b)


# ---------------------------------------------------------------- numbers


def gas(T, v):
    return 8.314 * T / (v - 0.03)


def root(x):
    return math.sqrt(x) + x**3


def branch(x, y):
    if x > y:
        return x * y
    return x - y * y


def powers(x, n):
    total = 0.0
    for k in range(n):
        total = total + x**k
    return total


def mixture(a, b, c, d):
    return a * b + math.exp(-c) / d


def magnitude(x):
    return abs(x + 0.0) ** 2 + x


def in_place(x, y):
    z = x
    z *= 2.0
    return z * y + x


def gathered(a, b):
    v = np.array([a, b, 2.0])
    return np.sum(np.exp(v) * v)


def stored(a, b):
    v = np.zeros(3)
    v[0] = a
    v[1] = a * b
    return np.sum(v * v)


def like_numbers(a, b):
    v = np.array([a, b])
    w = np.zeros_like(v)
    w[0] = a * b
    return np.sum(w) + np.sum(v)


# ---------------------------------------------------------------- arrays


def total(x):
    return np.sum(np.exp(0.3 * x) * x)


def squares(x, y):
    return np.sum((x - y) ** 2)


def inner(x, y):
    return x @ y


def item(x):
    return x[0] * x[1]


def picked(x, i):
    return x[i] ** 2 + np.sum(x)


def taken(x, idx):
    return np.sum(x[idx] * np.array([0.25, 0.25, 3.0]))


def masked(x, mask):
    return np.sum(x[mask] ** 2)


def affine(W, b, x):
    return np.sum(np.tanh(W @ x + b))


def rows(X, b):
    return np.sum((X - b) ** 2)


def means(X):
    return np.sum(X.mean(axis=0) ** 2)


def largest(x):
    return np.max(x) * np.min(x)


def ordered(x):
    return np.sum(np.sort(x) * WEIGHTS)


def running(x):
    return np.sum(np.cumsum(x) ** 2)


def product(x):
    return np.prod(x)


def middle(x):
    return np.median(x) + np.std(x)


def norm(x, y):
    return np.linalg.norm(x - 0.5 * y)


def solved(A, b):
    return np.sum(np.linalg.solve(A, b) ** 2)


def looped(x):
    s = 0.0
    for v in x:
        s = s + v * v * v
    return s


def shifted(x):
    y = x.copy()
    y[1:] += x[:-1] * 2.0
    return np.sum(y * y)


def written(x, k):
    y = np.empty_like(x)
    y[:] = x * k
    y[0] = 0.5 * k
    return np.sum(y * y)


def spectrum(x):
    return np.sum(np.abs(np.fft.fft(x)) ** 2)


def chosen(x, c):
    return np.sum(np.where(x > c, x * x, c * x))


def scaled(x, c):
    return c * np.sum(x) + np.sum(x**c)


def stacked(x, y):
    return np.sum(np.concatenate([x, 2.0 * y]) ** 2)


def transposed(X):
    return np.sum(X.T[0] * X[:, 1])


def weighted(x):
    return np.sum(WEIGHTS * x * x)


def outer(x, y):
    return np.sum(np.outer(x, y) ** 2)


def squared_table(X):
    return np.trace(X @ X.T)


# ---------------------------------------------------------------- containers


def summed(p):
    return sum(p) * p[0]


def as_array(p):
    return np.sum(np.array(p) ** 2)


def layers(p, x):
    for W in p:
        x = np.tanh(W @ x)
    return np.sum(x)


def pairs(p):
    s = 0.0
    for a, b in p:
        s = s + a * b * b
    return s


def named(p):
    return p["a"] * np.sum(p["W"] ** 2)


def every(p):
    s = 0.0
    for key in p:
        s = s + p[key] * p[key]
    return s


def nested(p, x):
    return p["in"][0] * x + p["in"][1] ** 2 * p["out"]


def perceptron(m, x):
    return np.sum(m(x) ** 2)


def field(o, x):
    return o.gain * x * x + o.shift


def optional(x, W, b=None):
    z = x @ W
    if b is not None:
        z = z + b
    return np.sum(z**2)


def optional_number(x, k=None):
    if k is None:
        return np.sum(x)
    return np.sum(x * k) * k


def many(x, *rest):
    for y in rest:
        x = x * y
    return x


def options(x, **more):
    return np.sum(x * more["k"]) + more["c"]


def table(x):
    s, lower = 0.0, 0.0
    for upper, rate in RATES:
        s += rate * (min(x, upper) - lower)
        lower = min(x, upper)
    return s


CASES = [
    (gas, (300.0, 0.5)),
    (root, (1.7,)),
    (branch, (1.3, 0.4)),
    (powers, (0.7, 3)),
    (mixture, (1.2, 0.3, 0.4, 2.5)),
    (magnitude, (1.2,)),
    (in_place, (1.3, 0.7)),
    (gathered, (0.3, 0.7)),
    (stored, (0.3, 0.7)),
    (like_numbers, (0.3, 0.7)),
    (total, (V,)),
    (squares, (V, U)),
    (squares, (M, U)),
    (inner, (V, U)),
    (item, (V,)),
    (picked, (V, 1)),
    (taken, (V, np.array([0, 0, 2]))),
    (masked, (V, np.array([True, False, True]))),
    (affine, (M, U[:2], V)),
    (rows, (M, U)),
    (rows, (M, U[None])),
    (means, (M,)),
    (largest, (V,)),
    (ordered, (V,)),
    (running, (V,)),
    (product, (V,)),
    (middle, (V,)),
    (norm, (V, U)),
    (solved, (S, V)),
    (looped, (V,)),
    (shifted, (V,)),
    (written, (V, 1.5)),
    (spectrum, (V,)),
    (chosen, (V, 1.0)),
    (scaled, (V, 2.0)),
    (stacked, (V, U)),
    (transposed, (M,)),
    (weighted, (V,)),
    (outer, (V, U)),
    (squared_table, (M,)),
    (total, (np.array(1.2),)),
    (summed, ([0.5, 1.5],)),
    (as_array, ([0.5, 1.5],)),
    (layers, ([M, S[:2, :2]], V)),
    (pairs, ([(0.5, 1.5), (2.0, 0.3)],)),
    (named, ({"a": 0.5, "W": V},)),
    (every, ({"a": 0.5, "b": 1.5},)),
    (nested, ({"in": [0.5, 1.5], "out": 0.7}, 1.1)),
    (perceptron, (Layer(M.T, U[:2]), V)),
    (field, (SimpleNamespace(gain=0.5, shift=1.5), 1.1)),
    (optional, (M, S, U)),
    (optional, (M, S, None)),
    (optional_number, (V, 0.7)),
    (optional_number, (V, None)),
    (many, (0.5, 1.5, 2.5)),
    (table, (55.0,)),
]
"""Functions and examples of their arguments."""
KEYWORDS = [(options, (V,), {"k": 0.5, "c": 1.5})]
"""The same, with arguments by name."""
