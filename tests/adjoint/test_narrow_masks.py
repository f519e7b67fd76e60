"""Where a cotangent may be other than 0 is followed as an array of its own shape, also
where one number is spread to it: a triangle of a number is none, and a number has no
axis to put back."""

import numpy as np
import pytest

from .checking import check

X = np.array([[0.3, -1.2, 0.8], [1.5, 0.4, -0.6], [0.2, 0.9, -0.1]])
M = np.array([[0.7, 0.2, -0.8], [1.1, -0.4, 0.6], [0.3, -0.9, 0.5]])


def buffer(shape):
    """Return an array of which nothing is known, for the class has no rule."""
    return np.ndarray(shape, offset=0)


def inverses(x):
    r = np.sqrt((x - x.T) ** 2)
    r[r > 0] = 1.0 / r[r > 0]
    return r


def upper(x, m, n):
    e = buffer(n)
    for k in range(n):
        x = x + 0.1 * x.T
        e[k] = np.sum(np.triu(m * inverses(x), 1))
    return np.sum(e)


def lower(x, m, n):
    e = buffer((n, 1))
    for k in range(n):
        x = x + 0.1 * x.T
        e[k] = np.sum(np.tril(m * inverses(x)), keepdims=True)[0]
    return np.sum(e)


def twice_summed(x, m, n):
    e = buffer(n)
    for k in range(n):
        x = x + 0.1 * x.T
        e[k] = np.sum(np.sum(np.triu(m * inverses(x), 1), axis=1), axis=0)
    return np.sum(e)


@pytest.mark.parametrize("fn", [upper, lower, twice_summed], ids=lambda f: f.__name__)
def test_the_gradient(fn):
    """Nothing is known of the buffer: the number is followed through `held`."""
    check(fn, (X, M, 2), wrt=(0,))
