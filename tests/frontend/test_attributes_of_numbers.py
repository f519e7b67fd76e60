"""Parts of numbers that are computed of literals."""

import cmath
import math

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


def part_within_a_try(x):
    try:
        r = math.sqrt(x) * cmath.atan(x).real
    except (AttributeError, ValueError):
        r = 0.0
    return r


def part_of_a_complex_root(x):
    try:
        root = math.sqrt(x)
    except ValueError:
        root = cmath.sqrt(x)
    try:
        return x * root.real + root.imag * cmath.exp(1j * x).imag
    except AttributeError:
        return 0.0


@pytest.mark.parametrize("at", [0.7, -0.7])
@pytest.mark.parametrize("fn", [part_within_a_try, part_of_a_complex_root])
def test_a_complex_number_has_parts_within_a_try(fn, at):
    check(fn, at)
    if fn is part_within_a_try or at < 0:
        value, slope = ya.jvp(fn)(at, 1.0)
        assert value == fn(at)
        assert slope == pytest.approx(ya.grad(fn, at)[1]["x"])


class Slotted:
    __slots__ = ("a",)


def empty_slot(x):
    s = Slotted()
    try:
        return s.a * x
    except AttributeError:
        return 2 * x


def test_a_slot_without_a_value_raises():
    check(empty_slot, 0.7)
