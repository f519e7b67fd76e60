"""match: names are bound before the guard, each read once, and stay bound."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


class Pair:
    __match_args__ = ("first", "second")

    def __init__(self, first, second=2.0):
        self.first = first
        self.second = second
        self.reads = 0

    @property
    def counted(self):
        self.reads += 1
        return self.first * self.reads

    def grow(self):
        self.first = self.first + 10.0
        return True


def bound_by_a_guard_that_fails(x):
    y = 1.0
    match x:
        case y if y > 5.0:
            pass
    return y * x


def bound_within_a_test(x, n):
    w = 1.0
    match (n, x):
        case (3, w) if w > 5.0:
            pass
    return w * x


def read_by_a_later_case(x, n):
    match (n, x * x):
        case (3, b) if b > 5.0:
            return b
        case (3, c):
            return b * c
    return x


def captured_before_the_guard(x):
    pair = Pair(x)
    match pair:
        case Pair(first=v) if pair.grow():
            return v * pair.first
    return x


def property_read_once(x):
    match Pair(x):
        case Pair(counted=100.0):
            return x
        case Pair(counted=v) if v > 0.0:
            return v
    return x


def property_of_a_field(x):
    match Pair(Pair(x)):
        case Pair(first=Pair(counted=v, second=2.0)) if v > 0.0:
            return v * v
    return x


def assigned_in_the_guard(x):
    match x:
        case a if (a := a * 3.0) > 0.0:
            return a * a
    return x


def list_changed_in_the_guard(x):
    items = [x, 2.0 * x, 3.0 * x]
    match items:
        case [a, b, c] if items.pop() < 0.0:
            return a * b * c
        case [a, b]:
            return a * b
    return x


def rest_changed_in_the_guard(x):
    match [x, 2.0 * x]:
        case [a, *rest] if rest.append(5.0) is None:
            return sum(rest) * a
    return x


def without_the_attribute(x):
    try:
        match Pair(x):
            case Pair(third=v):
                return v
            case Pair(first=v):
                return v * x
    except AttributeError:
        return 9.0 * x


def read_by_a_lambda_in_the_guard(x):
    match x:
        case a if (lambda: a * 2.0)() > 0.0:  # noqa: PLC3002
            return a * a
    return x


@pytest.mark.parametrize(
    "fn",
    [
        bound_by_a_guard_that_fails,
        captured_before_the_guard,
        property_read_once,
        property_of_a_field,
        assigned_in_the_guard,
        list_changed_in_the_guard,
        rest_changed_in_the_guard,
        without_the_attribute,
        read_by_a_lambda_in_the_guard,
    ],
)
def test_names_are_bound_as_python_binds_them(fn):
    check(fn, 0.7)


@pytest.mark.parametrize("fn", [bound_within_a_test, read_by_a_later_case])
@pytest.mark.parametrize("n", [2, 3])
def test_names_bound_where_one_part_fits(fn, n):
    value, (slope, _) = ya.grad(fn, 0.7, n)
    assert value == fn(0.7, n)
    numeric = (fn(0.7 + 1e-6, n) - fn(0.7 - 1e-6, n)) / 2e-6
    assert slope == pytest.approx(numeric, rel=1e-6)


def carried_from_pass_to_pass(v):
    total, last = 0.0, 1.0
    for t in v:
        match t:
            case last if last > 1.0:
                total += last * 3.0
            case u if u < 0.0:
                total += u * last
        total += last * t
    return total * last


def test_names_bound_in_a_loop():
    check(carried_from_pass_to_pass, np.array([0.3, 1.2, -0.5, 2.0]))


def property_of_an_argument(pair, x):
    match pair:
        case Pair(counted=v) if v > 100.0:
            return x
    return v * x


def test_a_property_of_an_argument_is_read_once():
    value, slopes = ya.grad(property_of_an_argument, Pair(2.0), 0.7, wrt=["x"])
    assert value == 1.4
    assert slopes["x"] == 2.0
