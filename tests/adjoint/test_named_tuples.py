"""Tuples whose items have names are given, held and handed on as tuples are."""

from collections import namedtuple
from typing import NamedTuple

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.7, 1.3, 2.1])


class Fit(NamedTuple):
    """A record with a default."""

    values: np.ndarray
    scale: float = 3.0


Interval = namedtuple("Interval", ["left", "right"])  # noqa: PYI024  it is to be had


class Span(namedtuple("Span", "left right")):  # noqa: PYI024
    """A record with a method."""

    __slots__ = ()

    def length(self):
        return self.right - self.left


class Doubled(namedtuple("Doubled", "left right")):  # noqa: PYI024
    """A record that changes what it is given."""

    __slots__ = ()

    def __new__(cls, left, right):
        return super().__new__(cls, 2 * left, right)


def by_position(x):
    return Fit(x * 2, np.sum(x))


def by_name(x):
    return Fit(scale=x[0], values=x**2)


def with_default(x):
    return Fit(x * x)


def of_no_class_text(x):
    return Interval(x[0] * 2, x[1])


def with_a_method(x):
    span = Span(x[0], x[1] * x[2])
    return Span(span.length(), span.left * span[1])


def with_other_things(x):
    return Interval(np.outer(x, x), (x[0], [x[1], Fit(x, None)])), Interval("a", 3)


def in_two_arms(x):
    if x[0] > 0:
        return Fit(x, x[1])
    return Fit(x * 2, x[0])


def in_one_arm(x):
    found = Interval(0.0, 0.0)
    if x[1] > 1:
        found = Interval(found.left + x[0], x[1] ** 2)
    return found


def made_in_a_loop(x):
    found, listed = Interval(1.0, 0.0), []
    for q in x:
        found = Interval(found.left * q, q * q)
        listed.append(Interval(q, found.left))
    return found, listed


def _fitted(x):
    return Fit(x * x, x[0])


def of_a_helper(x):
    fit = _fitted(x)
    values, scale = fit
    return Fit(values * fit.scale, np.sum(fit[0]) * scale), {"fit": fit}


def written_within(x):
    pair = Interval(x * 2, x * 3)
    pair.left[0] = 5.0
    return pair


@pytest.mark.parametrize("passes", ["none", "all"])
@pytest.mark.parametrize(
    "f",
    [by_position, by_name, with_default, of_no_class_text, with_a_method,
     with_other_things, in_two_arms, in_one_arm, made_in_a_loop, of_a_helper,
     written_within],
)  # fmt: skip
def test_right(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    assert ya.gradcheck(f, X)


def test_the_value_is_a_record_and_the_seed_may_be_one():
    value, dx = ya.grad(by_position, X, seed=Fit(X, 2.0))
    assert type(value) is Fit
    np.testing.assert_allclose(dx[0], 2 * X + 2.0)
    assert "Fit(x * 2, np.sum(x))" in ya.simplegrad(by_position, X).source


def test_forward_mode():
    value, tangent = ya.jvp(by_position)(X, X)
    assert type(value) is Fit
    np.testing.assert_allclose(tangent[0], 2 * X)
    np.testing.assert_allclose(tangent[1], np.sum(X))


def test_a_record_that_changes_what_it_is_given_is_refused():
    with pytest.raises(ya.YotaError, match="`Doubled`, a subclass of tuple"):
        ya.grad(lambda x: Doubled(x[0], x[1]).left, X)


def energy(fit):
    return np.sum(fit.values**2) * fit.scale


def test_the_gradient_of_a_record_is_one():
    g = ya.grad(energy, Fit(X, 2.0))[1]["fit"]
    assert type(g) is Fit
    np.testing.assert_allclose(g.values, 4 * X)
    assert g.scale == np.sum(X**2)
    source = ya.simplegrad(energy, Fit(X, 2.0)).source
    assert "dfit = fit._replace(values=dfit_values, scale=float(dfit_scale))" in source


def test_records_within_containers_and_records():
    def nested(p):
        return energy(p["fit"].left) * p["fit"].right[0].left

    p = {"fit": Interval(Fit(X, 2.0), [Interval(3.0, "a")])}
    g = ya.grad(nested, p)[1]["p"]
    assert type(g["fit"]) is Interval
    assert type(g["fit"].left) is Fit
    assert g["fit"].right[0] == Interval(2 * np.sum(X**2), None)
    assert ya.gradcheck(nested, p)


def test_a_record_that_changes_what_it_is_given_has_its_type():
    g = ya.grad(lambda d: d.left**2 * d.right, Doubled(1.0, 3.0))[1]["d"]
    assert g == (12.0, 4.0)
    assert type(g) is Doubled


def test_gradients_of_records_nest():
    def outer(fit):
        g = ya.value_and_grad(energy)(fit)[1]
        return np.sum(g.values) * ya.grad(energy)(fit).scale

    assert ya.gradcheck(outer, Fit(X, 2.0))
    h = ya.hessian(energy)(Fit(X, 2.0))
    np.testing.assert_allclose(h.values.values, 4 * np.eye(3))
    np.testing.assert_allclose(h.scale.values, 2 * X)


def test_tangents_of_records_have_their_type():
    v = Fit(np.ones(3), 0.0)
    product = ya.hvp(energy)(Fit(X, 2.0), v)
    assert type(product) is Fit
    np.testing.assert_allclose(product.values, 4 * np.ones(3))
    assert type(ya.jvp(by_position)(X, X)[1]) is Fit


def stepped(x, n=3):
    state = namedtuple("State", ("at", "speed"))  # noqa: PYI024
    s = state(x, speed=1.0)
    for _ in range(n):
        s = state(s.at + 0.1 * s.speed, s.speed - 0.1 * s.at)
    return s.at * s._replace(speed=2 * s.speed).speed


def ends(x):
    pair = namedtuple("pair", "low high")  # noqa: PYI024
    return pair(low=2 * x, high=x**2)


def test_records_of_classes_that_the_function_makes():
    assert ya.gradcheck(stepped, X, wrt="x")
    assert ya.grad(stepped, 1.5)[0] == stepped(1.5)
    val, g = ya.grad(ends, 1.5, seed=(1.0, 10.0))
    assert val == ends(1.5)
    assert val._fields == ("low", "high")
    assert g[0] == 32.0
    assert ya.jvp(ends)(1.5, 1.0)[1] == (2.0, 3.0)
