"""Members of enumerations that are compared, and what a module may set anew."""

from __future__ import annotations

import enum
import inspect
import types

import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedCall


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


def by_value(x, window=Window.HANN):
    if isinstance(window, Window):
        window = window.value
    return x * 2.0 if window == "hann" else x * 3.0


def by_name(x, window):
    return x * 2.0 if window.name == "HANN" else x * 3.0


class Filter:
    def __init__(self, window):
        self.window = window


def by_field(x, f):
    return by_value(x, f.window)


class TestMembersAsArguments:
    """The value and the name of a member that is given are read as it runs."""

    @pytest.mark.parametrize("f", [by_value, by_name])
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
        with pytest.raises(UnsupportedCall, match="the descriptor `value` of Own"):
            ya.grad(lambda x, o: x * len(o.value), 1.0, Own.HANN)
