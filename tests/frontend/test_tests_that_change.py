"""Tests of loops and operands of `and` and `or` that change something."""

import numpy as np
import pytest

import yota_ast as ya


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
    value, _ = ya.grad(fn, *args)
    assert value == fn(*args)
    report = ya.gradcheck(fn, *args)
    assert report, str(report)


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
