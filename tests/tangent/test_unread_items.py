"""Loops over what is differentiated, of whose items nothing is made that has a tangent.

The value is that of another argument: else the loop goes over positions.
"""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.5, -1.5, 2.0])
G = np.array([1.0, -0.5, 0.25])


def passed_over(x, g):
    for _ in x:
        pass
    return g * 1.0


def made_of_them(x, g):
    for v in x:
        made = v * np.sum(x)
    return g**2 if len(x) >= 0 else made


def counted(x, g):
    count = 0
    for _ in x:
        count += 1
    return g * count


def compared(x, g):
    for v in x:
        if v > 1.0:
            return g * 3.0
    return g * 2.0


def chosen(x, g):
    scale = 1.0
    for v in x:
        scale = 2.0 if v > 0.0 else scale + 1.0
    return np.sin(g) * scale


@pytest.mark.parametrize(
    "fn",
    [passed_over, made_of_them, counted, compared, chosen],
    ids=lambda f: f.__name__,
)
def test_forward(fn):
    for x in (X, -X, X[:0]):
        along = X[: len(x)], np.array([1.0, 2.0, -1.0])
        up, down = (fn(x + t * along[0], G + t * along[1]) for t in (1e-6, -1e-6))
        value, d = ya.jvp(fn)(x, G, *along)
        assert np.array_equal(value, fn(x, G))
        assert d == pytest.approx((up - down) / 2e-6)
