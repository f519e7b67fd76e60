"""Values of a class, read of an object: another object may have one of its own."""

import pytest

import yota_ast as ya


class Spring:
    stiffness = 2.0
    linear = True

    def __init__(self, rest):
        self.rest = rest

    def force(self, x):
        if self.linear:
            return self.stiffness * (x - self.rest)
        return self.stiffness * (x - self.rest) ** 3


class Slotted:
    __slots__ = ("rest",)
    stiffness = 2.0

    def __init__(self, rest):
        self.rest = rest


class System:
    def __init__(self, spring):
        self.spring = spring


def force(spring, x):
    return spring.force(x)


def of_slots(spring, x):
    return spring.stiffness * (x - spring.rest)


def held(system, x):
    return system.spring.stiffness * x


def test_of_the_class():
    fn = ya.simplegrad(force, Spring(1.0), 3.0)
    assert fn(Spring(0.5), 3.0) == (5.0, {("rest",): -2.0}, 2.0)


@pytest.mark.parametrize(("name", "value"), [("stiffness", 7.0), ("linear", False)])
def test_of_the_object_itself(name, value):
    fn = ya.simplegrad(force, Spring(1.0), 3.0)
    other = Spring(1.0)
    setattr(other, name, value)
    with pytest.raises(
        ValueError,
        match=rf"^force_grad: made for spring: Spring with its .*{name}",
    ):
        fn(other, 3.0)
    assert ya.grad(force, other, 3.0)[0] == other.force(3.0)


def test_held_by_another():
    fn = ya.simplegrad(held, System(Spring(1.0)), 3.0)
    assert fn(System(Spring(1.0)), 3.0)[2] == 2.0
    other = Spring(1.0)
    other.stiffness = 7.0
    with pytest.raises(ValueError, match=r"spring: Spring with its stiffness"):
        fn(System(other), 3.0)


def test_slots_hold_nothing_else():
    fn = ya.simplegrad(of_slots, Slotted(1.0), 3.0)
    assert "__dict__" not in fn.source
    assert fn(Slotted(0.5), 3.0) == (5.0, {("rest",): -2.0}, 2.0)
