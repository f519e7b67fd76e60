"""Dataclasses that say how their fields are set: frozen ones, and those with an
`__init__` or a `__setattr__` of their own."""

import linecache
from dataclasses import dataclass, field

import pytest

import yota_ast as ya


@dataclass(frozen=True)
class Frozen:
    a: float
    b: float = field(default=0.0, init=False)

    def __post_init__(self):
        object.__setattr__(self, "b", self.a * self.a)

    def change(self):
        self.a = 2 * self.a

    def add(self):
        self.a += 1.0

    def set(self):
        setattr(self, "a", 1.0)  # noqa: B010  as it is written


class Open(Frozen):
    def note(self):
        self.c = self.a * self.b
        return self.c


@dataclass
class Doubling:
    a: float

    def __setattr__(self, name, value):
        object.__setattr__(self, name, 2 * value)


class Heir(Frozen):
    def __setattr__(self, name, value):
        object.__setattr__(self, name, 2 * value)


@pytest.mark.parametrize("how", ["change", "add", "set"])
@pytest.mark.parametrize("cls", [Frozen, Open])
def test_a_frozen_object_raises(how, cls):
    def tried(x):
        made = cls(x)
        try:
            getattr(made, how)()
        except AttributeError:
            return 3 * x
        return made.a * x

    assert tried(2.0) == 6.0
    value, g = ya.grad(tried, 2.0)
    assert (value, g["x"]) == (6.0, 3.0)


def test_what_a_frozen_object_allows():
    def noted(x):
        return Open(x).note()

    value, g = ya.grad(noted, 2.0)
    assert (value, g["x"]) == (8.0, 12.0)


@pytest.mark.parametrize("cls", [Doubling, Heir])
def test_a_setter_of_ones_own_is_not_overlooked(cls):
    def made(x):
        return cls(x).a

    with pytest.raises(ya.UnsupportedCall):
        ya.grad(made, 3.0)


def test_an_init_of_ones_own_that_is_in_no_file():
    text = """
from dataclasses import dataclass


@dataclass
class Tripled:
    a: float

    def __init__(self, a):
        self.a = 3 * a


def made(x):
    return Tripled(x).a
"""
    name = "<typed in>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    home = {"__name__": "typed_in"}
    exec(compile(text, name, "exec"), home)
    value, g = ya.grad(home["made"], 3.0)
    assert (value, g["x"]) == (9.0, 3.0)
