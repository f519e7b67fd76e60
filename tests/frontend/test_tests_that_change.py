"""Tests of loops, operands of `and` and `or`, and items that change something."""

from functools import partial

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


class Box:
    def __init__(self, s):
        self.s = s
        self.calls = 0
        self.full = False

    def step(self, q):
        self.s = self.s * q + 1.0
        return self.s

    def late(self, q):
        self.calls += 1
        if self.calls > 1:
            self.s = self.s * q + 1.0
        return self.s

    def fill(self):
        self.full = True

    def empty(self):
        self.full = False


def an_attribute(b, c):
    box = Box(b)
    while box.step(c) < 3:
        c = c * 1.1
    return box.s * c


def an_attribute_of_the_second_test_on(b, c):
    box = Box(b)
    while box.late(c) < 3:
        c = c * 1.1
    return box.s * c


def both_operands(b, c):
    box = Box(b)
    while box.step(c) < 3 and box.step(b) < 3:
        c = c * 1.1
    return box.s


def put(y, c):
    y[0] = y[0] * c + 1.0
    return y[0]


def an_array(b, c):
    y = np.array([b, c])
    while put(y, c) < 3:
        c = c * 1.1
    return y[0] * c


def a_list(b, c):
    y = [b]
    while put(y, c) < 3:
        c = c * 1.1
    return y[0] * c


def a_name_of_outside(b, c):
    n = 0

    def more():
        nonlocal n, b
        n += 1
        b = b * c
        return n < 4

    while more():
        c = c * 1.1
    return b


def false_at_once(b, c):
    def halved():
        nonlocal b
        b = 0.5 * b
        return b

    while halved() > 10:
        c = c * 1.1
    return b * c


CHANGING = [
    an_attribute, an_attribute_of_the_second_test_on, both_operands, an_array, a_list,
    a_name_of_outside, false_at_once,
]  # fmt: skip


@pytest.mark.parametrize("fn", CHANGING)
@pytest.mark.parametrize("args", [(0.3, 0.9), (0.3, 0.8), (0.9, 0.95)])
def test_what_the_last_test_changed_stays(fn, args):
    check(fn, *args)


def filled(a, b):
    box = Box(a)
    b and box.fill()
    return a * 2 if box.full is False else a * 3


def emptied(a, b):
    box = Box(a)
    box.full = True
    b or box.empty()
    return a * 2 if box.full is True else a * 3


NOTHING = 0.0


def filled_by_a_constant(a, b):
    box = Box(a)
    NOTHING and box.fill()
    return a * 2 if box.full is False else a * 3 + b


@pytest.mark.parametrize("fn", [filled, emptied, filled_by_a_constant])
@pytest.mark.parametrize("b", [0.0, 1.0, -0.0, 2])
def test_a_flag_is_no_operand(fn, b):
    value, gradients = ya.grad(fn, 2.0, b)
    assert value == fn(2.0, b)
    assert gradients["a"] == value / 2.0


def summed(b, c):
    box = Box(b)
    return sum(box.step(q) for q in (b, c)) * max(box.step(q) for q in (b, c)) * box.s


def listed(b, c):
    box = Box(b)
    kept = list(filter(lambda q: box.step(q) > 1, (b, c)))
    return sum(map(box.step, (b, c))) * (1 + len(kept)) * box.s


def starred(b, c):
    box = Box(b)
    return max(*map(box.step, (b, c)), *(box.step(q) for q in (c, b))) * box.s


def extended(b, c):
    box, held = Box(b), []
    held.extend(box.step(q) for q in (b, c))
    return sum(sorted(box.step(q) * r for q, r in zip(held, (b, c)))) * box.s


@pytest.mark.parametrize("fn", [summed, listed, starred, extended])
@pytest.mark.parametrize("args", [(0.3, 0.9), (0.3, -0.9), (1.4, 0.6)])
def test_what_takes_all_items_may_change_something(fn, args):
    check(fn, *args)


def some(b, c):
    box = Box(b)
    return (2.0 if any(box.step(q) > 1.2 for q in (b, c)) else 3.0) * box.s


def first(b, c):
    box = Box(b)
    steps = (box.step(q) for q in (b, c))
    return next(steps) * box.s


def looped(b, c):
    box, total = Box(b), 0.0
    for q in map(box.step, (b, c)):
        total += q * box.s
    return total


def comprehended(b, c):
    box = Box(b)
    return sum([q * box.s for q in filter(box.step, (b, c))])


def drawn(b, c):
    draws = np.random.default_rng(0)
    for q in (draws.random() for _ in range(2)):
        b = b * q * draws.random()
    return b * c


def named(b, c):
    found = 1.0
    if any((found := b * q) > 0.5 for q in (1.0, c, 3.0)):
        return found * c
    return found


def largest(b, c):
    box = Box(b)
    return max((box.step(q) for q in (b, c)), key=lambda q: q * box.s)


def through_partial(b, c):
    box, total = Box(b), 0.0
    for q in partial(map, box.step)((b, c)):
        total += q * box.s
    return total


def of_an_array(b, c):
    box = Box(b)
    found = any(map(lambda q: box.step(q) > 1, np.array([b, c])))
    return (2.0 if found else 3.0) * box.s


IN_PIECES = [
    some, first, looped, comprehended, drawn, named, largest, through_partial,
    of_an_array,
]  # fmt: skip


@pytest.mark.parametrize("fn", IN_PIECES)
def test_what_takes_items_one_by_one_may_not(fn):
    with pytest.raises(ya.UnsupportedSyntax, match="computing one changes"):
        ya.grad(fn, 0.9, 2.0)


def extended_by_itself(b, c):
    held = [b, c]
    held.extend(held[-1] * q for q in (2.0, 3.0))
    return sum(held)


def added_to_itself(b, c):
    held = [b, c]
    held += (held[-1] * q for q in (2.0, 3.0))
    return sum(held)


def updated_by_itself(b, c):
    held = {"a": b}
    held.update((k, held.get("z", c) * 2.0) for k in "za")
    return sum(held.values())


@pytest.mark.parametrize("fn", [extended_by_itself, added_to_itself, updated_by_itself])
def test_items_that_read_what_they_are_put_into_are_refused(fn):
    with pytest.raises(ya.UnsupportedSyntax, match="has changed since it was made"):
        ya.grad(fn, 0.9, 2.0)


def extended_by_a_copy(b, c):
    held = [b, c]
    held.extend(q * b for q in list(held))
    held += (b * c * q for q in range(len(held)))
    return sum(held)


def test_what_they_run_over_is_made_before_the_first_item():
    check(extended_by_a_copy, 0.9, 2.0)


def bound_with_else(b, c):
    s = 0.0
    while (s := s + b) < 5.0:
        c = c * s
    else:
        c = c + s * s
    return c * s


def changed_with_else(b, c):
    box = Box(b)
    while box.step(c) < 30.0:
        if box.s * b > 20.0:
            c = c * 3.0
            break
        b = b + 1.0
    else:
        b = b * c * box.s
    return b * c


def changed_with_an_else_that_loops(b, c):
    box = Box(b)
    while box.step(c) < 30.0:
        b = b + 1.0
    else:
        for q in (b, c, b * c):
            if q > c:
                break
            b = b * q
        else:
            c = c * 2.0
    return b * c


def bound_with_an_else_that_returns(b, c):
    for _ in range(2):
        while (b := b * 1.5 + c) < 9.0:
            c = c + 0.3
            if c > 2.4:
                break
        else:
            if b > 12.0:
                return b * c
            c = c * b
    return b + c * c


ELSES = [
    bound_with_else,
    changed_with_else,
    changed_with_an_else_that_loops,
    bound_with_an_else_that_returns,
]


@pytest.mark.parametrize("fn", ELSES)
@pytest.mark.parametrize("b", [0.4, 0.9, 3.0, 8.0])
def test_the_else_of_such_a_loop_runs_before_it_is_left(fn, b):
    check(fn, b, 2.0)
