"""hasattr, getattr with a default, and slots: what an object has, as Python tells."""

import abc
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


class Slots:
    __slots__ = ("first", "second")
    rate = 2.0

    def __init__(self, first):
        self.first = first


class More(Slots):
    __slots__ = ("third",)


class Open(Slots):
    """With a dict."""


@dataclass(slots=True)
class Fields:
    first: float

    def __post_init__(self):
        self.square = self.first**2


class Lazily:
    __slots__ = ("kept", "x")

    def __init__(self, x):
        self.x = x

    @property
    def asked(self):
        if not hasattr(self, "kept"):
            self.kept = self.x**2
        return self.kept

    @property
    def tried(self):
        try:
            return self.kept
        except AttributeError:
            self.kept = self.x**2
            return self.kept


class Model(abc.ABC):  # noqa: B024
    def __init__(self, x, fitted=False):
        self.x = x
        self.fitted = fitted
        self.reads = 0

    @property
    def never(self):
        raise AttributeError("no")

    @property
    def slope(self):
        if not self.fitted:
            raise AttributeError("not fitted")
        return self.x * 2.0

    @property
    def left_out(self):
        return self.missing * 2.0

    @property
    def counted(self):
        self.reads += 1
        return self.x


class Row(NamedTuple):
    x: float

    @property
    def never(self):
        raise AttributeError("no")


ONE = Slots(1.0)


def writes_no_slot(x):
    for one in (Slots(x), More(x)):
        try:
            one.other = 1.0
        except AttributeError:
            x = x * 5.0
    return x


def sets_no_slot(x):
    one = Slots(x)
    try:
        object.__setattr__(one, "other", 1.0)
    except AttributeError:
        return 5.0 * x
    return x


def writes_what_the_class_has(x):
    one = Slots(x)
    try:
        one.rate = 1.0
    except AttributeError:
        return 5.0 * x * one.rate
    return x


def no_slot_after_init(x):
    try:
        return Fields(x).square
    except AttributeError:
        return 5.0 * x


def writes_slots(x):
    one, two = More(x), Open(x)
    one.second, one.third, two.other = 2.0 * x, 3.0, x
    return one.first * one.second * one.third * two.other


def slot_without_a_value(x):
    one = More(x)
    before = hasattr(one, "second")
    default = getattr(one, "second", 3.0 * x)
    one.second = x
    return x * default if not before and hasattr(one, "second") else 5.0 * x


def reads_a_slot_without_a_value(x):
    try:
        return Slots(x).second
    except AttributeError:
        return 5.0 * x


def of_a_module(x):
    return 5.0 * x if getattr(ONE, "second", None) is None else x


def kept_in_a_slot(x):
    one, two = Lazily(x), Lazily(x)
    return one.asked * one.asked + two.tried * two.tried


def has_no_dict(x):
    return (
        x if hasattr(Slots(x), "__dict__") else 5.0 * x * hasattr(Open(x), "__dict__")
    )


def property_that_raises(x):
    return x if hasattr(Model(x), "never") else 5.0 * x


def property_in_its_place(x):
    return getattr(Model(x), "never", 5.0 * x)


def property_of_what_is_missing(x):
    return getattr(Model(x), "left_out", 5.0 * x)


def fitted(x):
    return x if hasattr(Model(x), "slope") else 5.0 * Model(x, fitted=True).slope


def property_asked_for(x):
    return getattr(Model(x, fitted=True), "slope", 5.0 * x)


def asked_of_a_row(x):
    return x if hasattr(Row(x), "never") else getattr(Row(x), "never", 5.0 * x)


def runs_the_getter(x):
    model = Model(x)
    there = hasattr(model, "counted")
    return getattr(model, "counted", 1.0) * model.reads * there


OF_CLASSES = ("__name__", "__bases__", "mro", "register", "__qualname__")


def of_classes_only(x):
    for name in OF_CLASSES:
        for thing in (Model(x), x, [x], (x,), {"a": x}, {1.0}):
            if hasattr(thing, name):
                return x
    return 5.0 * x if hasattr(Model, "__name__") else x


def read_of_classes_only(x):
    try:
        return Model(x).__name__ * x
    except AttributeError:
        return 5.0 * x


def not_called(x):
    return x if hasattr(x, "__call__") else 5.0 * x  # noqa: B004


@pytest.mark.parametrize(
    "fn",
    [
        writes_no_slot,
        sets_no_slot,
        writes_what_the_class_has,
        no_slot_after_init,
        writes_slots,
        slot_without_a_value,
        reads_a_slot_without_a_value,
        of_a_module,
        kept_in_a_slot,
        has_no_dict,
        property_that_raises,
        property_in_its_place,
        property_of_what_is_missing,
        fitted,
        property_asked_for,
        asked_of_a_row,
        runs_the_getter,
        of_classes_only,
        read_of_classes_only,
        not_called,
    ],
)
def test_what_python_finds(fn):
    check(fn, 0.7)


def of_an_argument(model, x):
    if hasattr(model, "never") or hasattr(model, "mro"):
        return x
    return getattr(model, "never", 5.0 * x)


def test_of_an_argument():
    value, slopes = ya.grad(of_an_argument, Model(2.0), 0.7, wrt=["x"])
    assert value == 3.5
    assert slopes["x"] == 5.0


def by_annotation(model: Model, x):
    return x * model.x if hasattr(model, "x") else 5.0 * x


def test_fields_of_an_annotated_argument():
    value, slope = ya.simplegrad(by_annotation, wrt=["x"])(Model(2.0), 0.7)
    assert (value, slope) == (1.4, 2.0)


def on_some_ways(v):
    return getattr(Model(v[0], fitted=v[1] > 2.0), "slope", 5.0 * v[0])


def in_a_loop(v):
    model, total = Model(v[0]), 0.0
    for item in v:
        try:
            last = model.last
        except AttributeError:
            last = 1.0
        total = total + last * item
        model.last = item
    return total


@pytest.mark.parametrize("fn", [on_some_ways, in_a_loop])
def test_what_some_ways_alone_have(fn):
    with pytest.raises(ya.UnsupportedCall, match="on some paths only"):
        ya.grad(fn, np.array([0.7, 1.0]))
