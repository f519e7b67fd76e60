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


class Logging:
    """Its fields count how often they are set."""

    def __init__(self, a):
        self.__dict__["count"] = 0
        self.a = a

    def __setattr__(self, name, value):
        self.__dict__["count"] = self.count + 1
        super().__setattr__(name, value * self.count)


class Limited:
    """A field of a dataclass that is a descriptor."""

    def __set_name__(self, cls, name):
        self.name = f"_{name}"

    def __get__(self, owner, cls=None):
        return 2.0 if owner is None else getattr(owner, self.name)

    def __set__(self, owner, value):
        setattr(owner, self.name, 3 * value)


@dataclass
class Described:
    a: float = Limited()


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("cls", [Doubling, Heir, Logging, Described])
def test_a_setter_of_ones_own_is_called(cls, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)

    def made(x):
        one, total = cls(x), 0.0
        for k in range(2):
            total = total + one.a * k
            if cls is not Heir and x > k:
                one.a = one.a * x
        return total * one.a

    value, g = ya.grad(made, 3.0)
    assert value == made(3.0)
    slope = (made(3.0 + 1e-6) - made(3.0 - 1e-6)) / 2e-6
    assert g["x"] == pytest.approx(slope)
    assert ya.jvp(made)(3.0, 1.0) == (value, pytest.approx(slope))


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
