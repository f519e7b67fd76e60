"""Calls of a large function that differ in what objects and lists hold: one function of
the text does for all."""

import copy
import math
import re

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.frontend.calls import large_functions

from .checking import check


class Curve:
    """A large method, of objects that differ in a number and in an array."""

    def __init__(self, scale, knots, shift):
        self.scale = scale
        self._knots = knots
        self.shift = shift

    def __call__(self, t):
        s = t * self.scale
        for knot in self._knots:
            s = s + 0.10 * math.sin(s + knot) * self.shift + 0.01 * s * s
            s = s + 0.11 * math.sin(s + 1.0) * self.shift + 0.02 * s * s
            s = s + 0.12 * math.sin(s + 2.0) * knot + 0.03 * s * s
            s = s + 0.13 * math.sin(s + 3.0) * self.shift + 0.04 * s * s
            s = s + 0.14 * math.sin(s + 4.0) * knot + 0.05 * s * s
            s = s + 0.15 * math.sin(s + 5.0) * self.scale + 0.06 * s * s
            s = s + 0.16 * math.sin(s + 6.0) * knot + 0.07 * s * s
            s = s + 0.17 * math.sin(s + 7.0) * self.shift + 0.08 * s * s
            s = s + 0.18 * math.sin(s + 8.0) * self.scale + 0.09 * s * s
            s = s + 0.19 * math.sin(s + 9.0) * self.shift + 0.10 * s * s
            s = s + 0.20 * math.sin(s + 10.0) * knot + 0.11 * s * s
            s = s + 0.21 * math.sin(s + 11.0) * self.shift + 0.12 * s * s
        return s

    def itself(self, t):
        self(t)
        return self


def of_objects(x, a):
    knots = np.array([0.1, 0.2]) * a
    first, second = Curve(0.5, knots, 1.0), Curve(0.25, knots * 2.0, 2.0)
    third, fourth = Curve(0.1, knots * x, 0.5), Curve(x * 0.1, knots, 1)
    y = first(x) + second(x * 0.1) + first(a)
    return y * third(0.2) + fourth(0.3) + Curve(0.2, knots, a)(x)


def one_object_twice(x, a):
    def both(p, q, t):
        u = 0.0
        for k in range(3):
            u = u + 0.10 * math.sin(p[k] * t) + 0.01 * q[k] * t - 0.01 * u
            u = u + 0.11 * math.sin(p[k] + t) + 0.02 * q[k] * t - 0.01 * u
            u = u + 0.12 * math.sin(p[k] - t) + 0.03 * q[k] * t - 0.01 * u
            u = u + 0.13 * math.sin(q[k] * t) + 0.04 * p[k] * t - 0.01 * u
            u = u + 0.14 * math.sin(q[k] + t) + 0.05 * p[k] * t - 0.01 * u
            u = u + 0.15 * math.sin(q[k] - t) + 0.06 * p[k] * t - 0.01 * u
            u = u + 0.16 * math.sin(q[k] * u) + 0.07 * p[k] * t - 0.01 * u
            u = u + 0.17 * math.sin(q[k] + u) + 0.08 * p[k] * t - 0.01 * u
        return u * 2.0 if p is q else u * 3.0

    first, second, third = [x, a, 1.0], [a, x, 2.0], [0.5, x, a]
    y = both(first, second, x) + both(second, second, a) + both(third, first, 0.5)
    return (
        y
        + both(first, first, 0.1)
        + both(second, third, 0.1 * y) * both(third, third, x)
    )


def fluent(x, a):
    first, second = Curve(x, [a, 0.1], 1.0), Curve(a, [x, 0.3], 2.0)
    y = first.itself(x).itself(a).scale + second.itself(x).shift
    return y * first(a) + second.itself(a)(x) + Curve(x, [0.1, a], 3.0).itself(x)(a)


def of_alike_objects(x, a):
    knots = np.array([0.1, 0.2]) * a
    y = Curve(0.5, knots, x)(x) + Curve(0.5, knots * 2.0, a)(x * 0.1)
    y = y * Curve(0.5, knots * x, x + a)(0.2) + Curve(0.5, knots, x - a)(0.3)
    return y + Curve(0.5, knots, x * a)(x) * Curve(0.5, knots * a, x / a)(a)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", [of_objects, one_object_twice, fluent, of_alike_objects])
def test_gradient_where_calls_differ_in_what_containers_hold(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (0.4, 0.6))


def test_one_pair_of_functions_does_for_all_objects():
    text = ya.simplegrad(of_objects, 0.4, 0.6).source
    pairs = re.findall(r"^def (_call\w*)_forward\((.*)\):", text, re.MULTILINE)
    assert pairs == [("_call", "scale, knots, shift, t")]


def test_what_all_objects_hold_stays_a_constant():
    text = ya.simplegrad(of_alike_objects, 0.4, 0.6).source
    pairs = re.findall(r"^def (_call\w*)_forward\((.*)\):", text, re.MULTILINE)
    assert pairs == [("_call", "knots, shift, t")]


def test_calls_in_the_arms_of_a_branch_have_one_function():
    def arms(x, a):
        knots = np.array([0.1, 0.2]) * a
        if x > 0.0:
            y = Curve(0.5, knots, 1.0)(x) * Curve(0.2, knots, x)(a)
        else:
            y = Curve(0.3, knots, 2.0)(a) + Curve(0.5, knots, a)(x)
        return y + Curve(x, knots, 1.0)(a)

    check(arms, (0.4, 0.6))
    text = ya.simplegrad(arms, 0.4, 0.6).source
    assert len(re.findall(r"^def _call\w*_forward\(", text, re.MULTILINE)) == 1


@pytest.fixture
def eager(monkeypatch):
    """No helper is too small to be a function of the text."""
    monkeypatch.setattr(large_functions, "SMALLEST", 2)
    monkeypatch.setattr(large_functions, "MOST_INLINED", 4)


def filled(rows, i, v):
    rows[i][0] = v
    rows[0][i] *= v


def writes_what_it_reads_first(rows, a):
    s = a
    for _ in range(2):
        filled(rows, 1, s)
    return s * (rows[0][0] + 1.5) + rows[0][1]


def polynomial(factors, x):
    return factors[0] + factors[1] * x * x


def lists_of_another_arm(x, a):
    if x > 0.0:
        y = polynomial([1.0, 2.0], x) + polynomial([0.5, 1.0], a)
    else:
        y = a
    return y + polynomial([2.0, 3.0], y) * polynomial([x, 1.0], a)


def of_a_sum(x, a):
    """The cotangent of a float is a sum over an array, which NumPy gives."""
    return np.sum(x * polynomial([0.0, 1.0], a)) + np.vdot(
        x, x * polynomial([a, 0.5], a)
    )


class Rate:
    def __init__(self, k):
        self.k = k


def told_by_identity(x, a):
    """What is given is told from what the function sees of its surroundings."""
    first, second = Rate(x), Rate(a)
    rates = [second]

    def at(rate, t):
        slope = rate.k * (1.0 if rate is first else 3.0)
        return slope * t * t + (0.5 if rate is rates[0] else t)

    return at(first, x) * at(second, a) + at(first, a) * at(second, x)


def keeps_what_it_gave(x, a):
    z = x * a
    y = polynomial([a, 1.0], z) + polynomial([1.0, a], z)
    z *= 2.0
    z += y
    y -= 1.0
    return np.sum(y * z * polynomial([x, a], z))


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (lists_of_another_arm, (0.4, 0.6)),
        (lists_of_another_arm, (-0.4, 0.6)),
        (told_by_identity, (0.4, 0.6)),
        (of_a_sum, (np.array([0.4, 0.3]), 0.6)),
        (keeps_what_it_gave, (np.array([0.4, 0.3]), 0.6)),
    ],
)
def test_gradient_where_helpers_are_functions(fn, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)


@pytest.mark.usefixtures("eager")
def test_a_helper_that_is_the_first_to_read_an_argument_writes_it():
    given = [np.array([0.9, 0.1]), np.array([0.2, 0.7])], [np.ones(2), np.ones(2)]
    for rows in given:
        theirs, ours = copy.deepcopy(rows), copy.deepcopy(rows)
        value = writes_what_it_reads_first(theirs, 0.6)
        assert ya.grad(writes_what_it_reads_first, ours, 0.6)[0] == value
        assert all(map(np.array_equal, theirs, ours))
    first, a = given[0][0], 0.6
    _, grads = ya.grad(writes_what_it_reads_first, copy.deepcopy(given[0]), a)
    # rows[0][1] is multiplied by a twice, rows[1][0] is overwritten
    np.testing.assert_allclose(grads["rows"][0], [a, a * a])
    np.testing.assert_allclose(grads["rows"][1], [0.0, 0.0])
    np.testing.assert_allclose(grads["a"], first[0] + 1.5 + 2.0 * a * first[1])


def starred(X, k):
    return X[k] * X[0] - X[1] * k


def of_rows(X, a, k):
    return starred(X[0], k) * starred(X[1], 1) + a * starred(X[0], 2) * starred(X[1], k)


@pytest.mark.usefixtures("eager")
def test_what_a_helper_calls_an_array_is_no_list_of_the_function():
    rows = [np.array([0.9, 0.1, 0.3]), np.array([0.2, 0.7, 0.5])]
    value, grads = ya.grad(of_rows, rows, 0.6, 2)
    assert value == of_rows(rows, 0.6, 2)
    step = 1e-30
    for i in range(2):
        for j in range(3):
            moved = [row.astype(complex) for row in rows]
            moved[i][j] += step * 1j
            slope = of_rows(moved, 0.6, 2).imag / step
            np.testing.assert_allclose(grads["X"][i][j], slope, rtol=1e-12)


def one_that_calls_itself(x, a, n):
    first, second = Rate(x), Rate(a)

    def walk(one, other, m):
        if m <= 0:
            return one.k * other.k
        y = math.sin(walk(other, one, m - 1)) * one.k
        return y * (2.0 if one is first else 3.0)

    return walk(first, second, n)


def test_an_object_that_calls_take_in_turn_and_the_function_sees_is_refused():
    with pytest.raises(ya.UnsupportedCall, match="`one` is a different object"):
        ya.grad(one_that_calls_itself, 0.4, 0.6, 3)


class _Part:
    def __init__(self, owner, rate):
        self.owner = owner
        self.rate = rate

    def flow(self, x):
        return self.rate * x * self.owner.scale


class _Whole:
    def __init__(self, a, b):
        self.scale = a
        self.part = _Part(self, b)
        self.part.rate = self.part.rate + a

    def total(self, x):
        return self.part.flow(x) + self.scale


def long_formula(obj, x):
    y = obj.total(x)
    y = np.sin(y) + np.cos(y) * np.exp(-y * y)
    y = y + obj.total(y) * np.tanh(y) - np.sqrt(y * y + 1.0)
    y = y * obj.scale + np.log(y * y + 2.0) / (1.0 + y * y)
    y = np.arctan(y) + y * y * y / (3.0 + y * y) - obj.total(y * 0.1)
    y = np.sin(y) + np.cos(y) * np.exp(-y * y) + y
    y = y + obj.total(y) * np.tanh(y) - np.sqrt(y * y + 1.0)
    y = y * obj.scale + np.log(y * y + 2.0) / (1.0 + y * y)
    return np.arctan(y) + y * y * y / (3.0 + y * y) - obj.total(y * 0.1)


def of_objects_that_hold_each_other(a, b, x):
    w = _Whole(a, b)
    v = _Whole(b, a)
    t = 0.0
    for y in (x, 2.0 * x, x * x, 3.0 - x):
        t = t + long_formula(w, y) * long_formula(v, t + y)
    return t


def test_objects_that_hold_each_other_are_taken_as_they_are():
    """What they have in common was looked for without an end."""
    args, h = (0.3, 0.7, 0.5), 1e-6
    value, g = ya.grad(of_objects_that_hold_each_other, *args)
    assert value == of_objects_that_hold_each_other(*args)
    for k, name in enumerate("abx"):
        up, down = list(args), list(args)
        up[k], down[k] = args[k] + h, args[k] - h
        change = of_objects_that_hold_each_other(*up)
        change = change - of_objects_that_hold_each_other(*down)
        assert np.isclose(g[name], change / (2 * h), rtol=1e-6)
