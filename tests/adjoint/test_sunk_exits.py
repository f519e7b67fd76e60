"""Loops that return early: what they return is reversed before the loop."""

import math
import operator
from dataclasses import replace

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.adjoint.sunk_exits import with_sunk_exits
from yota_ast.ir.atoms import Const, Undefined, Var
from yota_ast.ir.builder import Names
from yota_ast.ir.nodes import Apply, Block, Carry, For, If, Merge
from yota_ast.ir.tape import Tape

from .checking import PASSES, check
from .loop_programs import passage


def newton(x, k, n):
    for _ in range(n):
        f = x * x - k
        if abs(f) < 0.3:
            return x
        x = x - 0.3 * f / x
    return x * k


def of_arrays(x, w, n):
    for _ in range(n):
        x = np.tanh(w * x) + 0.3 * x[::-1]
        if x[0] > 0.9:
            return np.sum(x * w)
    return x @ x


def of_what_is_within(x, k, n):
    for _ in range(n):
        x = x * 1.4
        if x > 2.0:
            y = x * k
            z = math.exp(-y * y)
            return z * z
    return x * k


def of_two(x, k, n):
    for i in range(n):
        x = x * k + 0.5
        if x > 2.0:
            return x * i, k * x
    return k, x


def several(x, k, n):
    for _ in range(n):
        x = 1.3 * x + 0.1 * k
        if x > 3.0:
            return x * k
        if x < -1.0:
            return k * x * x
        x = x - 0.1
    return x + k


def nested(x, k, n):
    for i in range(n):
        for j in range(3):
            x = x + 0.3 * math.sin(k * x + j)
            if x > 2.5:
                return x * k
        x = x + 0.1 * i
    return k - x


def while_it_grows(x, k, n):
    i = 0
    while i < n:
        i += 1
        x = x * (1.0 + k * k)
        if x > 3.0:
            return x * k
    return x


def written_on_the_way(x, w, n):
    for _ in range(n):
        x = 1.2 * x
        if x[0] > 1.0:
            x[1] = w[0] * x[0]
            return np.sum(x * w)
    return np.sum(x)


def endless(x, k, n):
    i = 0
    while True:
        i += 1
        if i > n or x > 3.0:
            return x * k
        x = x * (1.0 + k * k)


def or_raises(x, k, n):
    for _ in range(n + 9):
        x = 1.3 * abs(x) + 0.2
        if x > 2.0 + k:
            return x
    raise ValueError("it did not grow")


def by_a_helper(x, k, n):
    return passage(x, k, n) * newton(x, k + 2.0, n)


def assigned_on_the_way(x, k, n):
    best = k
    for _ in range(n):
        x = 1.3 * x
        if x > 1.8:
            best = x * x
            break
    return best + x


NUMBERS = [
    passage, newton, of_what_is_within, of_two, several, nested, while_it_grows,
    endless, or_raises, by_a_helper, assigned_on_the_way,
]  # fmt: skip
ARRAYS = [of_arrays, written_on_the_way]
X, W = np.array([0.4, -0.2, 0.7]), np.array([1.1, 0.3, 0.8])


@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize("fn", NUMBERS + ARRAYS, ids=lambda f: f.__name__)
def test_the_gradient(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (0.7, 0.6, 4) if fn in NUMBERS else (X, W, 4))


@pytest.mark.parametrize(
    "fn", [f for f in NUMBERS if f is not of_two], ids=lambda f: f.__name__
)
def test_other_numbers(fn):
    """The code of one example, whichever way another one takes out of the loop."""
    made = ya.simplegrad(fn, 0.7, 0.6, 4)
    for x in (-2.0, -0.3, 0.2, 0.9, 1.9, 2.4):
        for k in (0.4, 1.1):
            for n in (1, 2, 5, 9):
                value, slopes = ya.grad(fn, x, k, n)
                found = made(x, k, n)
                assert found[0] == value == fn(x, k, n)
                assert found[1:] == pytest.approx((slopes["x"], slopes["k"]), rel=1e-12)
                assert ya.gradcheck(fn, x, k, n)


def in_two_steps(p, by):
    z = math.sqrt(1.0 + by * by)
    if z > 1.2:
        z = z * p
    if z > 1.0:
        z = math.sin(z) * by + p
    return z * by


def by_a_call(x, k, n):
    for _ in range(n):
        if x > 2.0:
            return in_two_steps(x, k)
        x = x * 1.4
    return in_two_steps(k, x)


def with_slopes(x, k, n):
    value, (dx, dk) = ya.value_and_grad(by_a_call, wrt=["x", "k"])(x, k, n)
    return value + dx * dk


@pytest.mark.parametrize("args", [(1.0, 0.7, 5), (1.0, 0.7, 1), (3.0, 0.7, 0)])
def test_a_call_that_saves_stays_in_the_loop(args):
    check(with_slopes, args)


@pytest.mark.parametrize("fn", [passage, newton, nested, endless, or_raises])
def test_second_derivatives(fn):
    for x in (0.3, 1.7):
        ends = [ya.grad(fn, x + h, 0.6, 4)[1]["x"] for h in (1e-6, -1e-6)]
        found = ya.hvp(fn, wrt="x")(x, 1.0, 0.6, 4)
        assert found == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-6)


def test_no_iteration_asks_whether_it_was_the_last():
    text = ya.simplegrad(passage, 0.7, 0.6, 4).source
    assert (
        text[text.index("    # reverse") :]
        == """\
    # reverse
    if early:
        # return x * k
        dx = seed * k
        dk = seed * x
    else:
        # return x * x
        dx = 2 * seed * x
        dk = 0.0
    for x_in in saved[::-1]:
        # x = x + k * math.sin(x)
        dk += dx * math.sin(x_in)
        dx += dx * k * math.cos(x_in)

    return val, dx, dk
"""
    )


@pytest.mark.parametrize("fn", [endless, or_raises])
def test_what_ends_by_a_return_alone_asks_nothing(fn):
    text = ya.simplegrad(fn, 0.7, 0.6, 4).source
    assert "early" not in text
    assert "None" not in text
    assert fn is endless or "if" not in text[text.index("    # reverse") :]


@pytest.mark.parametrize("is_sure", [True, False])
def test_what_is_read_in_some_cases_stays_within(is_sure):
    """Behind the loop it would be reversed in the other cases: 0 times infinity."""
    x, n, item, into, y = (Var(name) for name in ("x", "n", "item", "into", "y"))
    inside, left, out, test, out_x = map(Var, ("in", "left", "out", "test", "out_x"))
    end, stop, result = Var("end"), Var("stop"), Var("result")
    branch = If(
        Var("met"), Block((Apply(y, math.log, (into,)),)), Block(),
        (Merge(end, y, Undefined()), Merge(stop, Const(True), Const(False))),
    )  # fmt: skip
    body = Block((Apply(Var("met"), operator.gt, (into, Const(5.0))), branch))
    carries = (Carry(out_x, x, into, into), Carry(out, Undefined(), inside, end))
    loop = For((item,), n, body, carries, stop)
    read = Apply(result, operator.mul, (out, Const(2)))
    some = If(
        test, Block((replace(read, out=left),)), Block(), (Merge(result, left, x),)
    )
    tape = Tape("f", (), Block((loop, read if is_sure else some)), result)
    assert (with_sunk_exits(tape, Names()).back == tape) is not is_sure


def test_what_is_only_known_within_stays_within():
    text = ya.simplegrad(of_what_is_within, 0.7, 0.6, 4).source
    reverse = text[text.index("    # reverse") :]
    assert "if x > 2.0:" in reverse
