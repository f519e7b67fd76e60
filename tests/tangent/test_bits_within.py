"""The value of a gradient within a function has the bits of the direct call, also where
a seed of 1 would change the order of factors."""

import math

import numpy as np
import pytest
from scipy import special
from scipy.spatial import distance

import yota_ast as ya

X = np.linspace(0.21, 1.73, 6)
POINTS = np.array([[0.1, 0.7], [1.3, -0.2], [0.4, 0.9], [-0.8, 0.3]])
C = np.cos(np.arange(6.0))


def tail(x):
    return np.sum(special.owens_t(x, 0.3) * C)


def mean_square(x):
    return np.mean((x * C - 0.7) ** 2) / 3


def quotient(x):
    return np.sum(C * x) / np.sum(x * x) * 0.1


def density(x):
    return np.sum(np.log(np.exp(-((x - 0.3) ** 2) / 0.18) / np.sqrt(0.18 * np.pi)) * C)


def spread(x):
    return np.std(x * C) * 0.3 + np.linalg.norm(x) / 7


def of_two(x):
    return np.sum(distance.cdist(x, POINTS, "sqeuclidean") ** 1.5) / 3


def adds_to_itself(x):
    s = x
    s = s + C * x + 0.1 * x * x
    return np.sum(s * x)


def adds_items_to_itself(x):
    s = x.copy()
    s += C * x + np.sin(x)
    s[1:] += x[1:] * x[:-1] + 0.3 * x[1:]
    return np.sum(s * x * C)


def adds_arrays_in_a_loop(x):
    s = x.copy()
    for k in range(3):
        s += C * x * 0.1 + np.sin(x)
        if k > 0:
            s[1:] += x[1:] * x[:-1] + 0.3 * x[1:]
    s += C * x + 0.1 * x * x
    return np.sum(s * x)


@pytest.mark.parametrize(
    ("f", "x"),
    [(f, X) for f in (tail, mean_square, quotient, density, spread)]
    + [(f, X) for f in (adds_to_itself, adds_items_to_itself)]
    + [(adds_arrays_in_a_loop, X)]
    + [(of_two, POINTS + 0.1)],
)
def test_bits(f, x):
    def slope(x):
        return ya.value_and_grad(f)(x)[1]

    def both(x):
        value, d = ya.value_and_grad(f)(x)
        return value * d

    weights = np.cos(np.arange(x.size)).reshape(x.shape)
    for one in (slope, both):
        value, g = ya.grad(one, x, seed=weights)
        np.testing.assert_array_equal(value, one(x))
        h, v = 1e-5, np.sin(np.arange(x.size)).reshape(x.shape)
        change = np.sum((one(x + h * v) - one(x - h * v)) * weights) / (2 * h)
        assert np.sum(g[0] * v) == pytest.approx(change, rel=1e-5, abs=1e-8)


def adds_numbers(a, b):
    s = a
    s += b * a
    return s * a


def adds_more_numbers(a, b):
    s = a * b
    s += b * a - 0.3 * a * a
    t = s
    t -= s * a + a
    return t * s + a


def adds_numbers_in_a_loop(a, b):
    s = a
    s += b * a - a * a + 0.3 * a
    for _ in range(2):
        s += b
        s += a
    return s * a


def adds_numbers_in_a_branch(a, b):
    s = a
    s += b * a - a * a + 0.3 * a
    if a > 0:
        s += b + a
    return s * a


def adds_numbers_in_loops(a, b):
    s = a + b
    s += b * a - a * a + 0.3 * a
    while s < 4:
        for _ in range(2):
            s += a * b
            if b > 0.1:
                s += b * b * a
        s += a + 0.3 * a * b + 1
    return s * a


NUMBERS = [
    adds_numbers,
    adds_more_numbers,
    adds_numbers_in_a_loop,
    adds_numbers_in_a_branch,
    adds_numbers_in_loops,
]


@pytest.mark.parametrize("f", NUMBERS)
@pytest.mark.parametrize("b", [-0.011, 0.37, 1 / 3])
def test_bits_of_numbers(f, b):
    def slope(a):
        return ya.value_and_grad(f)(a, b)[1]

    for a in np.linspace(0.1, 0.9, 23).tolist():
        value, g = ya.value_and_grad(slope)(a)
        assert value == slope(a)
        h = 1e-5
        change = (slope(a + h) - slope(a - h)) / (2 * h)
        assert g == pytest.approx(change, rel=1e-6)


def divided(x):
    return math.exp(0.3 * x[0] * x[1]) * math.sin(x[2] * 0.7) / x[3]


def divided_by_a_sum(x):
    return np.sum(C * x**3) * 0.3 / np.sum(x * x)


@pytest.mark.parametrize("f", [divided, divided_by_a_sum])
def test_bits_of_second_order(f):
    def product(x):
        return ya.hvp(f)(x, 0.5 * x)

    def matrix(x):
        return ya.hessian(f)(x)

    for scale in np.linspace(0.5, 1.5, 17):
        for one in (product, matrix):
            expected = one(scale * X)
            value, _ = ya.grad(one, scale * X, seed=np.ones_like(expected))
            np.testing.assert_array_equal(value, expected)
