"""The value of a gradient within a function has the bits of the direct call, also where
a seed of 1 would change the order of factors."""

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


@pytest.mark.parametrize(
    ("f", "x"),
    [(f, X) for f in (tail, mean_square, quotient, density, spread)]
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
