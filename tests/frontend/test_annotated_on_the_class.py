"""Values that a class gives its objects, with an annotation: no fields of theirs."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import yota_ast as ya


class Body:
    gravity: float = 9.81
    gain: float

    def weight(self, mass):
        return mass * self.gravity


class Boosted(Body):
    gain = 2.0

    def weight(self, mass):
        return super().weight(mass) * self.gain


@dataclass
class Spring:
    stiffness: float = 3.0
    power: float = 2.0

    def energy(self, x):
        return self.stiffness * x**self.power


@pytest.mark.parametrize(("owner", "slope"), [(Body(), 9.81), (Boosted(), 19.62)])
def test_what_the_class_holds(owner, slope):
    value, grads = ya.grad(owner.weight, 2.0)
    assert (value, grads[0]) == (owner.weight(2.0), slope)
    value, grads = ya.grad(lambda o, mass: o.weight(mass), owner, 2.0)
    assert (value, grads["o"], grads["mass"]) == (owner.weight(2.0), {}, slope)


def test_an_object_with_one_of_its_own_is_another():
    own = Body()
    text = ya.simplegrad(lambda o, mass: o.weight(mass), own, 2.0)
    own.gravity = 1.0
    with pytest.raises(ValueError, match="made for o: Body with its weight, gravity"):
        text(own, 2.0)
    assert ya.grad(lambda o, mass: o.weight(mass), own, 2.0)[1]["mass"] == 1.0


def test_fields_of_a_dataclass_are_fields():
    value, grads = ya.grad(lambda o, x: o.energy(x), Spring(), 2.0)
    assert value == 12.0
    assert grads["o"][("stiffness",)] == 4.0


class Atmosphere:
    def __init__(self, profile=None):
        self.profile, self.standard = profile, profile is None

    def pressure(self, x):
        if self.standard:
            return 3.0 * x
        return self.profile.scale * x


class Profile:
    scale = 5.0


def test_none_has_no_attribute_where_it_is_not_asked():
    def f(a, x):
        return a.pressure(x)

    text = ya.simplegrad(f, Atmosphere(), 2.0)
    assert text(Atmosphere(), 2.0) == (6.0, {}, 3.0)
    broken = Atmosphere()
    broken.standard = False
    for fn in (f, text):
        with pytest.raises(AttributeError, match="'NoneType' object has no attribute"):
            fn(broken, 2.0)
    assert ya.grad(f, Atmosphere(Profile()), 2.0)[1]["x"] == 5.0


def test_none_has_no_attribute_where_it_is_asked():
    with pytest.raises(ya.UnsupportedCall, match="NoneType has no attribute `scale`"):
        ya.grad(lambda a, x: a.profile.scale * x, Atmosphere(), 2.0)


FLOATS = float | Profile
WHOLE = int | Atmosphere


@pytest.mark.parametrize("x", [2.0, 3.0])
def test_a_union_of_unions_is_asked_for(x):
    def f(x):
        if isinstance(x, FLOATS | WHOLE):
            return 2 * x
        return 3 * x

    assert ya.grad(f, x)[1][0] == 2.0
