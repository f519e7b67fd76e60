"""What classes say in ways of their own: descriptors, methods that are no functions,
named tuples with properties, classes of classes, numbers and mappings of users."""

import enum
import operator
from collections import OrderedDict, deque
from collections.abc import Mapping
from functools import lru_cache, partialmethod
from typing import NamedTuple

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


class Doubled:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, holder, cls=None):
        return holder.__dict__[self.name] * 2

    def __set__(self, holder, value):
        holder.__dict__[self.name] = value


class Holder:
    width = Doubled()


class Asking:
    def __init__(self):
        self.k = 3.0

    def __getattribute__(self, name):
        found = object.__getattribute__(self, name)
        return 2 * found if name == "k" else found


HOLDER = Holder()
HOLDER.width = 3.0
ASKING = Asking()


class Row(NamedTuple):
    a: float
    b: float = 2.0


class Tenfold(Row):
    @property
    def a(self):
        return self[0] * 10

    b = 9.0


ROW = Row(3.0)
TENFOLD = Tenfold(3.0)


class Scale(enum.IntEnum):
    HALF = 1
    FULL = 2

    def __mul__(self, other):
        return 50.0 * other

    def __rmul__(self, other):
        return 11.0 * other


class Pairs(Mapping):
    def __init__(self, held):
        self.held = held

    def __len__(self):
        return len(self.held)

    def __getitem__(self, key):
        return self.held[key]

    def __iter__(self):
        return iter(self.held)


class Keyed:
    def __init__(self, held):
        self.held = held

    def keys(self):
        return list(self.held)

    def __getitem__(self, key):
        return self.held[key] * 2


class Meta(type):
    def __getattr__(cls, name):
        return 7.0

    def times(cls, x):
        return 4.0 * x


class Made(metaclass=Meta):
    pass


class WholeNumbers:
    @classmethod
    def __instancecheck__(cls, one):
        try:
            operator.index(one)
        except TypeError:
            return False
        return True


class Larger:
    def __instancecheck__(self, one):
        return one > 1.0


class HasWidth(type):
    def __instancecheck__(cls, one):
        return hasattr(one, "k")


class Wide(metaclass=HasWidth):
    pass


WHOLE, LARGER = WholeNumbers(), Larger()
NUMERIC = (np.floating, float, WHOLE)


class Cached:
    @lru_cache  # noqa: B019
    def __bool__(self):
        return False


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: Tenfold(x).a * Tenfold(x).b,
        lambda x: TENFOLD.a * TENFOLD.b * ROW.a * ROW.b * x,
        lambda x: Scale(2) * x + Scale.FULL * x,
        lambda x: dict(Pairs({"a": x}))["a"],
        lambda x: dict(Keyed({"a": x, "bc": 3 * x}), z=x)["bc"],
        lambda x: dict(["ab"])["a"] == "b" and x,
        lambda x: Made.missing * x * Made.times(x),
        lambda x: x if isinstance(x, NUMERIC) else 5 * x,
        lambda x: x if isinstance(x, WHOLE) else 5 * x,
        lambda x: x if isinstance(x, (str, (int, LARGER))) else x * x,
        lambda x: x if isinstance(2 * x, LARGER) else x * x,
        lambda x: x if isinstance(Inner(x), (int, Wide)) else 5 * x,
        lambda x: x if isinstance(Inner, Everyone) else 5 * x,
        lambda x: x if Cached() else 5 * x,
        lambda x: x if hasattr({"a": x}, "a") else 5 * x,
    ],
)
def test_as_python_does(fn):
    def of(x):
        return fn(x)

    check(of, 0.7)


def of_a_row(row, x):
    return row.a * row.b * x


def test_a_named_tuple_as_an_argument():
    check(of_a_row, Tenfold(3.0), 0.7)
    check(of_a_row, Row(3.0), 0.7)


class Rows(list):
    pass


class Table(OrderedDict):
    pass


class Queue(deque):
    pass


class Number(int):
    pass


class StaticTruth:
    __bool__ = staticmethod(lambda: False)


class LengthOfTheClass:
    @classmethod
    def __len__(cls):
        return 0


class PartialTruth:
    def given(self, k):
        return k

    __bool__ = partialmethod(given, False)


class Inner:
    def __init__(self, k):
        self.k = k


class PartialInit(Inner):
    k = 9.0
    __init__ = partialmethod(Inner.__init__, 3.0)


class Everything(type):
    def __instancecheck__(cls, one):
        return True

    def __subclasscheck__(cls, one):
        return True


class Everyone(metaclass=Everything):
    pass


class Derived(type):
    def __subclasscheck__(cls, one):
        return True


class All(metaclass=Derived):
    pass


TRUTH = "the truth value of an object"


@pytest.mark.parametrize(
    ("fn", "reason"),
    [
        (lambda x: ASKING.k * x, "the descriptor `__getattribute__`"),
        (lambda x: x if Rows() else 5 * x, TRUTH),
        (lambda x: x if not Table() else 5 * x, TRUTH),
        (lambda x: x if Queue() else 5 * x, TRUTH),
        (lambda x: x if Number() else 5 * x, TRUTH),
        (lambda x: x if StaticTruth() else 5 * x, "the descriptor `__bool__`"),
        (lambda x: x if LengthOfTheClass() else 5 * x, "the descriptor `__len__`"),
        (lambda x: x if PartialTruth() else 5 * x, "the descriptor `__bool__`"),
        (lambda x: PartialInit().k * x, "the descriptor `__init__`"),
        (
            lambda x: x if isinstance(Inner(x), All) else 5 * x,
            "the descriptor `__subclasscheck__`",
        ),
        (
            lambda x: x if isinstance(x, (LARGER, str)) else 5 * x,
            "given several classes",
        ),
        (lambda x: dict(["abc"])["a"] and x, "no pairs"),
    ],
)
def test_refused(fn, reason):
    def of(x):
        return fn(x)

    with pytest.raises(ya.UnsupportedCall, match=reason):
        ya.grad(of, 0.7)


@pytest.mark.parametrize("one", [Rows(), Rows([1]), Table(), Queue(), Number(3)])
def test_whether_an_argument_is_true(one):
    def of(one, x):
        return x if one else 5 * x

    assert ya.grad(of, one, 0.7)[0] == of(one, 0.7)
    assert ya.simplegrad(of, one, 0.7, wrt=["x"])(one, 0.7)[0] == of(one, 0.7)


def test_a_number_before_one_of_a_class_that_it_knows():
    """A float computes itself with whole numbers, whatever their class says."""

    def of(x):
        return x * Scale.FULL

    with pytest.raises(ya.YotaError):
        ya.simplegrad(of, 0.7)
