"""Descriptors of the user's own: `__get__` and `__set__` are called as methods are."""

import functools

import numpy as np
import pytest

import yota_ast as ya

from .every_mode import check_every_mode

X, V = np.array([1.3, 0.7, 2.1]), np.array([0.5, -1.0, 2.0])


class Kept:
    """A property that is computed once, as the caches of many packages."""

    def __init__(self, f):
        self.f, self.name = f, f.__name__

    def __get__(self, owner, cls=None):
        if owner is None:
            return self
        if self.name not in owner.kept:
            owner.kept[self.name] = self.f(owner)
        return owner.kept[self.name]


class Replaced:
    """It has no `__set__`, so the field that it sets is found first from then on."""

    def __init__(self, f):
        self.f = f

    def __get__(self, owner, cls=None):
        value = self.f(owner)
        setattr(owner, self.f.__name__, value)
        return value


class Limited:
    """A field that is tested when it is set."""

    def __set_name__(self, cls, name):
        self.name = name

    def __get__(self, owner, cls=None):
        return owner.__dict__.get(self.name, 1.0)

    def __set__(self, owner, value):
        if np.any(value < 0):
            raise ValueError(self.name)
        owner.__dict__[self.name] = value


class Doubled:
    """A decorator of methods."""

    def __init__(self, f):
        self.f = f

    def __call__(self, *args):
        return 2 * self.f(*args)

    def __get__(self, owner, cls=None):
        return functools.partial(self.__call__, owner)


class Beam:
    width, height = Limited(), Limited()

    def __init__(self, length):
        self.length, self.kept = length, {}

    @Kept
    def area(self):
        return self.width * self.length**2

    @Kept
    def volume(self):
        return self.area * self.height

    @Replaced
    def weight(self):
        return self.length * self.width

    @Doubled
    def bent(self, force):
        return force * self.length


def plain(x):
    beam = Beam(x)
    beam.height = x * x
    kept = beam.volume
    beam.length = 5 * x  # what is kept stays
    return np.sum(kept * beam.area) + np.sum(beam.bent(x))


def replaced(x):
    beam = Beam(x)
    first = beam.weight
    beam.length = 5 * x
    beam.weight = beam.weight * first
    return np.sum(beam.weight)


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        beam = Beam(k * x)
        beam.width = x
        total = total + np.sum(beam.volume)
    return total


def in_an_arm(x):
    beam = Beam(x)
    if x[0] > 0:
        beam.width = 2 * x
    else:
        beam.width = x**2
    beam.width = beam.width * beam.height
    return np.sum(beam.area)


OUTER = Beam(np.ones(3))
OUTER.width = 3.0


def from_outside(x):
    return OUTER.width * np.sum(x**2) + np.sum(OUTER.bent(x))


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f",
    [plain, replaced, in_a_loop, in_an_arm, from_outside],
    ids=lambda f: f.__name__,
)
def test_descriptors(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check_every_mode(f, X, V)


def test_one_of_the_caller():
    beam, again = Beam(X.copy()), Beam(X.copy())
    value, g = ya.grad(lambda beam: np.sum(beam.volume), beam)
    assert value == np.sum(again.volume)
    np.testing.assert_allclose(g[0][("length",)], 2 * X)
    assert beam.kept.keys() == again.kept.keys()


def test_a_field_of_the_caller_s_behind_a_descriptor():
    def read(beam, x):
        return np.sum(beam.width * beam.length) * x

    def written(beam, x):
        beam.width = beam.width * x
        return np.sum(beam.area)

    beam = Beam(X.copy())
    beam.width = 2.0
    assert ya.grad(read, beam, 3.0)[1]["x"] == np.sum(2.0 * X)
    with pytest.raises(ya.UnsupportedSyntax, match="writes into the argument `beam`"):
        ya.grad(written, beam, 3.0)
