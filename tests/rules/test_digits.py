"""Slopes keep their digits where a formula by way of the value has none: far out, and
next to the edge of a domain. The numbers are those of mpmath with 60 digits."""

import math

import numpy as np
import pytest
from scipy import special

import yota_ast as ya

SLOPES = {
    np.expm1: {-45.0: 2.8625185805493937e-20, -33.3: 3.4513877443742162e-15},
    np.arcsin: {1 - 2.0**-30: 23170.475011315586, 2.0**-40 - 1: 741455.2001896339},
    np.arccos: {1 - 2.0**-30: -23170.475011315586},
    np.arctanh: {1 - 2.0**-30: 536870912.25000000},
}
SLOPES |= {
    math.expm1: SLOPES[np.expm1],
    special.expm1: SLOPES[np.expm1],
    math.asin: SLOPES[np.arcsin],
    math.acos: SLOPES[np.arccos],
    math.atanh: SLOPES[np.arctanh],
    np.emath.arctanh: SLOPES[np.arctanh],
}


@pytest.mark.parametrize(
    ("f", "x", "slope"), [(f, x, s) for f, at in SLOPES.items() for x, s in at.items()]
)
def test_slopes(f, x, slope):
    def value(x):
        return f(x) * 1.0

    assert ya.grad(value, x)[1][0] == pytest.approx(slope, rel=1e-15)
    assert ya.jvp(value)(x, 1.0)[1] == pytest.approx(slope, rel=1e-15)
    assert ya.simplegrad(value)(x)[1] == pytest.approx(slope, rel=1e-15)
