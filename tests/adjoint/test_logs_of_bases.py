"""Powers of a literal base: the logarithm of what is above 0 needs no care."""

from __future__ import annotations

import math

import numpy as np
import pytest

import yota_ast as ya

BASES = {
    "10": (lambda x: 10**x, "math.log(10)"),
    "2.5": (lambda x: 2.5 ** (x * x), "math.log(2.5)"),
    "np.e": (lambda x: np.e**-x, ""),
    "math.e": (lambda x: math.e**x, ""),
}


@pytest.mark.parametrize("x", [0.7, np.array([0.7, -0.2])])
@pytest.mark.parametrize("base", BASES)
def test_the_logarithm_of_a_base(base, x):
    f, log = BASES[base]
    text = ya.simplegrad(lambda x: np.sum(f(x)), x).source
    assert log in text
    assert "log_or_zero" not in text
    assert log or "log" not in text
    assert ya.gradcheck(lambda x: np.sum(f(x)), x)


def test_a_base_of_0_needs_care():
    text = ya.simplegrad(lambda x: 0**x, 2.0).source
    assert "log_or_zero(0)" in text
    assert ya.grad(lambda x: 0**x, 2.0)[1][0] == 0.0


NEGATIVE = np.array([-0.3, -0.9, 1.7])
SLOPES = np.array([0.4, 0.9, -0.2])


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (lambda x, y: np.sum(np.real(x ** (1j * y))), (NEGATIVE, SLOPES)),
        (lambda x, y: np.sum(np.abs(np.power(x, 1j * y + x))), (NEGATIVE, SLOPES)),
        (lambda x, y: (x ** (1j * y + x)).real, (-0.7, 0.3)),
        (lambda x, y: (x ** (1j * y + x)).real, (0.7, 0.3)),
        (lambda y: np.sum(np.real((-0.7) ** (1j * y))), (SLOPES,)),
        (lambda y: np.sum(np.real(2.0 ** (1j * y))), (SLOPES,)),
    ],
)
def test_a_negative_base_of_a_complex_exponent(f, args):
    """Its logarithm is complex: the slope in the exponent was nan, and then 0."""
    assert ya.gradcheck(f, *args)


def test_a_literal_base_of_a_complex_exponent():
    text = ya.simplegrad(lambda y: np.sum(np.real(2.0 ** (1j * y))), SLOPES).source
    assert "-np.imag((seed * math.log(2.0)) * t1)" in text
    assert "0j" not in text
