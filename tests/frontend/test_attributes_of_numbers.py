"""Parts of numbers that are computed of literals."""

import pytest

import yota_ast as ya

from .checking import check


def imaginary(x):
    return ((-8.0) ** 0.5).imag * x


def of_names(x):
    base, power = -8, 0.25
    return (base**power).real * x


def of_squares(x):
    return (1j**2).real * x + (2**-1).real


def of_parameters(x):
    def part(c):
        return (c**2).real

    return part(1j) * x + part(-2.0)


@pytest.mark.parametrize("fn", [imaginary, of_names, of_squares, of_parameters])
def test_the_part_is_that_of_the_whole_power(fn):
    check(fn, 0.7)
    assert ya.simplegrad(fn)(0.7)[-1] == pytest.approx(ya.grad(fn, 0.7)[1]["x"])
