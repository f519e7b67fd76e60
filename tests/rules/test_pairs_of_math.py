"""`math.modf` and `math.frexp` give pairs, of whatever they are asked."""

import math

import pytest

import yota_ast as ya


def fraction(x):
    return math.modf(x)[0] * 2


def both(x):
    part, whole = math.modf(x)
    return part * whole


def mantissa(x):
    m, e = math.frexp(x)
    return m * 2.0**e


def put_together(x):
    return math.ldexp(*math.frexp(x)) * x


@pytest.mark.parametrize("fn", [fraction, both, mantissa, put_together])
def test_right_with_and_without_an_example(fn):
    slope = (fn(1.3 + 1e-6) - fn(1.3 - 1e-6)) / 2e-6
    for text in (ya.simplegrad(fn), ya.simplegrad(fn, 1.3)):
        value, d = text(1.3)
        assert value == fn(1.3)
        assert d == pytest.approx(slope)
