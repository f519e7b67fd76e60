"""Members of enumerations that are compared, and what a module may set anew."""

from __future__ import annotations

import enum
import inspect
import types

import pytest

import yota_ast as ya


class Mode(enum.Enum):
    SLOW = 0
    FAST = 1


class Level(enum.IntEnum):
    LOW = 0
    HIGH = 1


class Loose(enum.Enum):
    A = 0
    B = 1

    __hash__ = None

    def __eq__(self, other):
        return True


class Settings:
    mode = Mode.SLOW


def of_members(x):
    found = [m for m in (Mode.SLOW, Mode.FAST) if m == Mode.FAST]
    return x ** (len(found) + found[0].value)


def of_levels(x):
    found = [m for m in (Level.LOW, Level.HIGH) if m != Level.LOW]
    return x ** (len(found) + found[0].value)


def slope(x, k=2.0, *, j=1.0):
    return k * x * j


def of_parameters(x):
    kinds = inspect.signature(slope).parameters.values()
    by_place = [
        p.name for p in kinds if p.kind == p.POSITIONAL_OR_KEYWORD and p.name != "x"
    ]
    values = dict.fromkeys(by_place, x)
    return slope(x, **values)


@pytest.mark.parametrize("f", [of_members, of_levels, of_parameters])
def test_members_select(f):
    assert ya.gradcheck(f, 0.7)


def by_setting(x):
    return x * x if Settings.mode == Mode.SLOW else 3 * x


def test_what_a_class_holds_is_asked_for_in_the_text(monkeypatch):
    assert ya.grad(by_setting, 0.7)[1]["x"] == 1.4
    monkeypatch.setattr(Settings, "mode", Mode.FAST)
    assert ya.grad(by_setting, 0.7)[1]["x"] == 3.0


def by_own_equality(x):
    return x * x if Loose.A == Loose.B else 3 * x


def test_a_comparison_of_the_class_s_own_is_called():
    assert ya.gradcheck(by_own_equality, 0.7)
    assert ya.grad(by_own_equality, 0.7)[1]["x"] == 1.4


class Shape(enum.Enum):
    ROUND = "round"
    FLAT = "flat"

    @property
    def label(self):
        return self.value.upper()


class Fluid(enum.Enum):
    WATER = 1000.0
    OIL = 900.0


class Mixed(enum.Enum):
    ONE = 1
    TWO = "two"


class Section:
    def __init__(self, shape, fluid):
        self.shape, self.fluid = shape, fluid


def by_value(x, shape):
    if shape == Shape.ROUND:
        return 2 * x
    if shape.value == "flat":
        return 3 * x
    raise ValueError(f"no {shape.value}")


def by_name(x, shape):
    return x if shape.name == "ROUND" else x * x


def by_label(x, shape):
    return x**2 if shape.label == "FLAT" else 5 * x


def by_table(x, shape):
    return {"round": 2.0, "flat": 3.0}[shape.value] * x


@pytest.mark.parametrize("f", [by_value, by_name, by_label, by_table])
@pytest.mark.parametrize("shape", Shape)
def test_the_name_and_the_value_of_a_member(f, shape):
    value, grads = ya.grad(f, 1.3, shape)
    assert value == f(1.3, shape)
    assert ya.simplegrad(f, 1.3, shape)(1.3, shape)[:2] == (value, grads["x"])
    assert ya.jvp(f)(1.3, shape, 1.0, None) == (value, grads["x"])
    assert ya.gradcheck(lambda x: f(x, shape), 1.3)


def test_values_of_members_that_are_floats():
    def f(section, x, n):
        total = 0.0
        for _ in range(n):
            total += section.fluid.value * x
        return total if section.shape.value == "round" else -total

    section = Section(Shape.ROUND, Fluid.OIL)
    value, grads = ya.grad(f, section, 1.3, 3)
    assert (value, grads["x"], grads["section"]) == (f(section, 1.3, 3), 2700.0, {})
    text = ya.simplegrad(f, section, 1.3, 3)
    other = Section(Shape.FLAT, Fluid.WATER)
    assert text(other, 1.3, 2) == (f(other, 1.3, 2), {}, -2000.0)


def by_any_value(x, m):
    return x * m.value


def test_values_of_several_kinds():
    assert ya.grad(by_any_value, 1.3, Mixed.ONE)[1]["x"] == 1.0
    text = ya.simplegrad(by_any_value, 1.3, Mixed.ONE)
    with pytest.raises((ValueError, TypeError)):
        text(1.3, Mixed.TWO)


class Window(enum.Enum):
    HANN = "hann"
    FLAT = "flat"


class Door(enum.Enum):
    HANN = "hann"


class Own(enum.Enum):
    HANN = "hann"

    @types.DynamicClassAttribute
    def value(self):
        return "another"


def by_its_value(x, window=Window.HANN):
    if isinstance(window, Window):
        window = window.value
    return x * 2.0 if window == "hann" else x * 3.0


def by_its_name(x, window):
    return x * 2.0 if window.name == "HANN" else x * 3.0


def by_length(x, o):
    return x * len(o.value)


class Filter:
    def __init__(self, window):
        self.window = window


def by_field(x, f):
    return by_its_value(x, f.window)


class TestMembersAsArguments:
    """The value and the name of a member that is given are read as it runs."""

    @pytest.mark.parametrize("f", [by_its_value, by_its_name])
    def test_each_member(self, f):
        for text in (ya.simplegrad(f, 1.0, m) for m in Window):
            assert text(1.0, Window.HANN)[:2] == (2.0, 2.0)
            assert text(1.0, Window.FLAT)[:2] == (3.0, 3.0)
            for other in (Door.HANN, "hann"):
                with pytest.raises(ValueError, match="made for window: Window"):
                    text(1.0, other)

    def test_of_a_field(self):
        assert ya.grad(by_field, 1.0, Filter(Window.FLAT))[1][0] == 3.0
        assert ya.jvp(by_field)(1.0, Filter(Window.HANN), 1.0, None)[1] == 2.0

    def test_a_value_of_its_own(self):
        assert ya.grad(by_length, 1.0, Own.HANN)[1][0] == 7.0
