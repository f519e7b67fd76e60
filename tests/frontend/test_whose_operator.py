"""Of two objects the class that is derived asks first; NumPy asks objects behind its
numbers and arrays in a way of its own."""

import functools

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedCall

from .checking import check


class Base:
    def __init__(self, s):
        self.s = s

    def __add__(self, other):
        return 2 * self.s + other.s

    def __lt__(self, other):
        return True

    def __gt__(self, other):
        return True

    def __eq__(self, other):
        return self.s > 1

    __hash__ = None


class Own(Base):
    def __radd__(self, other):
        return 5 * self.s + other.s

    def __gt__(self, other):
        return False

    def __eq__(self, other):
        return False


class Same(Base):
    pass


class Silent:
    def __init__(self, s):
        self.s = s

    def __add__(self, other):
        return NotImplemented

    def __radd__(self, other):
        return 3 * self.s


class SilentToo(Silent):
    pass


class Reflected:
    def __init__(self, s):
        self.s = s

    def __rmul__(self, other):
        return self.s * np.sum(other)


class Ranked(Reflected):
    __array_priority__ = 1000


class Alone(Reflected):
    __array_ufunc__ = None


class Asked(Reflected):
    def __array_ufunc__(self, *args, **kwargs):
        return 7 * self.s


def derived(x):
    return Base(x) + Own(2 * x)


def derived_that_says_nothing_else(x):
    return Base(x) + Same(2 * x)


def derived_on_the_left(x):
    return Own(x) + Base(2 * x)


def less(x):
    return 3 * x if Base(x) < Own(x) else x


def equal(x):
    return 3 * x if Base(x) == Own(x) else x


def equal_to_a_number(x):
    return 3 * x if 5 == Base(x) else x


def derived_after_silence(x):
    return Silent(x) + SilentToo(2 * x)


class Unequal:
    def __init__(self, s):
        self.s = s

    def __ne__(self, other):
        return NotImplemented

    def __eq__(self, other):
        return True

    __hash__ = None


class Wrapped:
    """Equal by what is no function."""

    def __init__(self, s):
        self.s = s

    __eq__ = functools.lru_cache(lambda one, other: True)
    __hash__ = object.__hash__


class Static(Wrapped):
    __eq__ = staticmethod(lambda other: True)
    __hash__ = object.__hash__


class AtMost:
    def __init__(self, s):
        self.s = s

    def __eq__(self, other):
        return np.sum(other) > self.s

    __hash__ = None


def unequal_in_silence(x):
    """What `==` says does not matter where `!=` is defined."""
    return 3 * x if Unequal(x) != Unequal(x) else x


def number_before(x):
    return x + Silent(2 * x)


@pytest.mark.parametrize(
    "f",
    [
        derived,
        derived_that_says_nothing_else,
        derived_on_the_left,
        less,
        equal,
        equal_to_a_number,
        derived_after_silence,
        number_before,
        unequal_in_silence,
    ],
)
def test_the_derived_class_is_asked_first(f):
    check(f, 2.0)


def test_objects_of_one_class_are_not_asked_twice():
    def twice(x):
        return Silent(x) + Silent(2 * x)

    with pytest.raises(TypeError, match="unsupported operand"):
        twice(2.0)
    with pytest.raises(ya.YotaError):
        ya.grad(twice, 2.0)


@pytest.mark.parametrize("cls", [Ranked, Alone])
def test_an_array_before_an_object_that_takes_all_of_it(cls):
    check(lambda x: x * cls(x[0]), np.array([1.5, 2.0]))


@pytest.mark.parametrize("cls", [Reflected, Ranked, Alone])
def test_a_number_of_numpys_before_an_object(cls):
    check(lambda x: x[1] * cls(x[0]), np.array([1.5, 2.0]))


@pytest.mark.parametrize(("cls", "part"), [(Reflected, slice(None)), (Asked, 0)])
def test_what_numpy_does_in_its_own_way_is_refused(cls, part):
    with pytest.raises(UnsupportedCall, match="NumPy decides what the operator does"):
        ya.grad(lambda x: np.sum(x[part] * cls(x[0])), np.array([1.5, 2.0]))


class Scaling:
    """What is called, and says what equals it."""

    def __init__(self, s):
        self.s = s

    def __call__(self, x):
        return self.s * x

    def __eq__(self, other):
        return self.s == other.s

    __hash__ = None


class Equal(Scaling):
    def __eq__(self, other):
        return True

    __hash__ = None


SCALING, EQUAL = Scaling(3.0), Equal(5.0)


def test_objects_that_are_called_are_not_asked_what_they_equal():
    check(lambda x: x * SCALING(x), 2.0)
    check(lambda x: x * EQUAL(x), 2.0)


def test_equal_by_what_is_no_function():
    check(lambda x: 3 * x if Wrapped(x) == Wrapped(x + 1) else x, 2.0)
    with pytest.raises(ya.UnsupportedCall, match="the descriptor `__eq__` of Static"):
        ya.grad(lambda x: 3 * x if Static(x) == Static(x + 1) else x, 2.0)


def test_an_array_that_equals_an_object_is_refused():
    """NumPy asks the object about each element."""
    with pytest.raises(UnsupportedCall, match="NumPy decides what the operator does"):
        ya.grad(lambda x: x[0] if np.any(x == AtMost(2.0)) else x[1], np.ones(2))
