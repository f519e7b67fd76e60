"""copy.copy and copy.deepcopy of objects of the user's: field by field, unless their
class says otherwise."""

import copy
from dataclasses import dataclass

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


class Model:
    scale = 3.0

    def __init__(self, sigma):
        self.sigma = sigma
        self.weights = np.array([1.0, 2.0])
        self.tags = {"k": 2.0}

    def price(self, x):
        return self.sigma * x * x * self.tags["k"] * self.scale + self.weights @ x

    def by_difference(self, x, h):
        model = copy.copy(self)
        model.sigma += h
        up = model.price(x)
        model.sigma -= 2 * h
        return (up - model.price(x)).sum() / (2 * h)


class Doubled(Model):
    def __copy__(self):
        return Doubled(2 * self.sigma)

    def __deepcopy__(self, memo):
        return Doubled(3 * self.sigma)


@dataclass(frozen=True, slots=True)
class Point:
    x: float
    y: float = 1.0


MODEL = Model(0.3)
DOUBLED = Doubled(0.3)
X = np.array([0.5, 2.0])


def of_a_global(x):
    model = copy.copy(MODEL)
    model.sigma = x[0]
    return np.sum(model.price(x)) * MODEL.sigma


def of_a_global_in_depth(x):
    model = copy.deepcopy(MODEL)
    model.weights[0] = x[0]
    model.tags["k"] = x[1]
    return np.sum(model.price(x)) + MODEL.weights[0]


def of_an_argument(model, x):
    other = copy.copy(model)
    other.sigma = x[0] * model.sigma
    if x[0] > 0:
        other.tags = {"k": x[1]}
    return np.sum(other.price(x) + model.price(x))


def of_an_argument_in_depth(model, x):
    other = copy.deepcopy(model)
    other.weights[1] *= x[0]
    for k in range(2):
        other.tags["k"] = other.tags["k"] * x[k]
    return np.sum(other.price(x) + model.price(x))


def by_its_own_method(x):
    made = copy.copy(Doubled(x[0]))
    return made.sigma * copy.deepcopy(Doubled(x[1])).sigma + copy.copy(DOUBLED).sigma


def of_slots(x):
    return copy.copy(Point(x[0])).x * copy.deepcopy(Point(x[1], x[0])).y


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f",
    [of_a_global, of_a_global_in_depth, by_its_own_method, of_slots],
)
def test_what_is_made_and_what_is_global(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(f, X)
    assert (MODEL.sigma, MODEL.weights.tolist(), MODEL.tags["k"]) == (0.3, [1, 2], 2)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [of_an_argument, of_an_argument_in_depth])
def test_an_argument(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    model = Model(0.3)
    value, g = ya.grad(f, model, X)
    assert value == f(model, X)
    assert (model.sigma, model.weights.tolist(), model.tags) == (0.3, [1, 2], {"k": 2})
    check(lambda x: f(model, x), X)

    def of_sigma(s):
        return f(Model(s), X)

    h = 1e-6
    slope = (of_sigma(0.3 + h) - of_sigma(0.3 - h)) / (2 * h)
    assert g["model"][("sigma",)] == pytest.approx(slope, rel=1e-6)


def test_a_method_that_works_on_a_copy_of_its_object():
    value, g = ya.grad(MODEL.by_difference, X, 0.1)
    assert value == MODEL.by_difference(X, 0.1)
    np.testing.assert_allclose(g["x"], 2 * X * 6, rtol=1e-12)
    assert MODEL.sigma == 0.3


class Slotted:
    __slots__ = ("gain",)

    def __init__(self, gain):
        self.gain = gain


class SlottedAndMore(Slotted):
    def __init__(self, gain, offset):
        super().__init__(gain)
        self.offset = offset


SLOTTED, BOTH = Slotted(2.0), SlottedAndMore(2.0, 3.0)


def of_slots(x):
    c = copy.copy(SLOTTED)
    c.gain *= x
    return c.gain * (2.0 if hasattr(copy.copy(BOTH), "gain") else 5.0)


def of_slots_and_fields(x):
    c, d = copy.copy(BOTH), copy.deepcopy(BOTH)
    c.offset = x
    return c.gain * c.offset * getattr(d, "gain", 9.0) * d.offset


@pytest.mark.parametrize("f", [of_slots, of_slots_and_fields])
def test_slots_are_fields(f):
    check(f, 0.7)
    assert (SLOTTED.gain, BOTH.gain, BOTH.offset) == (2.0, 2.0, 3.0)
