"""Members of enumerations that are compared, and what a module may set anew."""

from __future__ import annotations

import enum
import inspect

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
