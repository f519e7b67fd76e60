"""Numbers with names, dataclasses compared, what reads attributes by name, what goes
through items by a predicate."""

import enum
import itertools
import operator
from dataclasses import dataclass, field
from typing import Literal, cast

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


class Level(enum.IntEnum):
    LOW = 2
    HIGH = 3


class Rate(enum.Enum):
    SLOW = 1.5
    FAST = 2.5
    QUICK = 2.5  # noqa: PIE796  an alias, which is not gone through


class Degrees(float):
    unit = "deg"


class Sevenfold(float):
    def __mul__(self, other):
        return 7 * other

    __rmul__ = __mul__


@dataclass(order=True)
class Pair:
    a: float
    b: float = 2.0
    note: float = field(default=1.0, compare=False)


@dataclass
class Other:
    a: float
    b: float = 2.0


@dataclass
class Box:
    s: float

    def times(self, x, by=1.0):
        return self.s * x * by


class Either:
    def __init__(self, s):
        self.s = s

    def __eq__(self, other):
        return self.s < other

    __hash__ = None


RIGHT, SEVEN, BOX = Degrees(90.0), Sevenfold(2.0), Box(2.0)


def levels(x):
    return Level.LOW * x + x**Level.HIGH + x * sum(Level) + [x, 2 * x, 3 * x][Level.LOW]


def flags(x):
    return 3 * x if Level.LOW == 2 and Level.LOW < Level.HIGH else x


def subclasses(x):
    return SEVEN * x + x * SEVEN


def of_a_class(x):
    level = Level.LOW if x > 2 else Level.HIGH
    rate = [Level.LOW, Level.HIGH][int(x > 2)]
    y = 3 * x if isinstance(level, Level) else x
    return 5 * y if isinstance(rate, enum.Enum) else y


def of_a_type(x):
    level = Level.LOW if x > 2 else Level.HIGH
    y = 3 * x if type(level) is int else x
    right = RIGHT if x > 2 else 3.0
    return 5 * y if isinstance(right, Degrees) else y


def object_in_one_case(x):
    found = BOX if x > 2 else 3.0
    y = 3 * x if isinstance(found, Box) else x
    return 5 * y if type(found) is float else y


def shared_iterator(x):
    it = iter([x, 2 * x, 9.0 * x, 3 * x])
    first = list(itertools.takewhile(lambda v: v < 8, it))
    return sum(first) * sum(it)


def shared_by_compress(x):
    it = iter([x, 2 * x, 9.0 * x, 3 * x])
    return sum(itertools.compress(it, [1, 0])) * (sum(it) + 2)


def rates(x):
    total = 0.0
    for rate in Rate:
        total += rate.value * x
    return total * len(Rate) * sum(r.value for r in Rate)


def equal(x):
    return 3 * x if Pair(x) == Pair(x, note=5.0) else x


def unequal(x):
    return 3 * x if Pair(x) != Pair(x, 3.0) else x


def of_another_class(x):
    return 3 * x if Pair(x) == Other(x) else x


def of_nan(x):
    """Python 3.13 compares field by field, so that nan differs from itself."""
    nan = x * float("nan")
    pair = Pair(nan)
    y = 3 * x if pair == Pair(nan) else x
    return 5 * y if pair == pair else y


@dataclass(eq=False)
class Longer(Pair):
    more: float = 1.0


def derived_with_more(x):
    """It is compared by the fields of the class that says how."""
    return 3 * x if Longer(x, more=1.0) == Longer(x, more=2.0) else x


def ordered(x):
    y = 3 * x if Pair(x) < Pair(x + 1) else x
    return 5 * y if Pair(x, 3.0) <= Pair(x) else 2 * y


def not_equal_by_equal(x):
    return 3 * x if Either(x) != 2.0 else x


def by_name(x):
    box = Box(x)
    call = operator.methodcaller("times", x, by=3.0)
    return operator.attrgetter("s")(box) * call(box)


def taken(x):
    rows = [x, 1.0, 9.0 * x, 2.0 * x]
    first = list(itertools.takewhile(lambda v: v < 5, rows))
    rest = list(itertools.dropwhile(lambda v: v < 5, rows))
    return sum(first) * sum(rest)


def sifted(x):
    rows = [x, 9.0 * x, 0.5 * x]
    out = sum(itertools.filterfalse(lambda v: v > 8, rows))
    return out * sum(itertools.compress(rows, [0, 1, 1]))


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f",
    [
        levels,
        flags,
        subclasses,
        of_a_class,
        of_a_type,
        object_in_one_case,
        derived_with_more,
        rates,
        equal,
        unequal,
        of_another_class,
        of_nan,
        ordered,
        not_equal_by_equal,
        by_name,
        taken,
        sifted,
    ],
)
def test_gradients_are_right(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for x in (1.5, 4.3):
        check(f, x)


@pytest.mark.parametrize("f", [shared_iterator, shared_by_compress])
def test_what_is_left_of_an_iterator_is_not_known(f):
    with pytest.raises(ya.YotaError, match="that may have items left"):
        ya.grad(f, 1.5)


def test_a_number_that_stays_is_written():
    text = ya.simplegrad(levels, 2.0).source
    assert "2 * x + x**3 + x * 5" in text
    assert "x**2" in text


def test_a_constant_of_a_class_of_its_own_is_refused():
    """It may be given another value, and another class."""
    with pytest.raises(ya.YotaError):
        ya.grad(lambda x: x * RIGHT, 2.0)


def test_dataclasses_with_arrays_are_compared_as_tuples_are():
    def f(x):
        return x.sum() if Pair(1.0) == Pair(1.0) else x[0]

    check(f, np.ones(2))


def kind_of(mode):
    return cast(Literal["a", "b"], mode)  # noqa: TC006


def casts_after_a_branch(x):
    if x > 0:
        x = x * len(kind_of("a"))
    return x * x * len(kind_of("b"))


def casts_in_a_loop(x):
    for k in range(3):
        if x > k:
            x = x * len(cast(Literal["a", "b"] | None, "b"))  # noqa: TC006
    return x * x


@pytest.mark.parametrize("f", [casts_after_a_branch, casts_in_a_loop])
def test_types_in_casts_are_known(f):
    assert ya.grad(f, 3.0)[1][0] == 6.0
