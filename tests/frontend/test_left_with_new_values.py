"""What a break or continue within branches takes along: names that are assigned before
it, and again by the statements that it skips."""

import math

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.ir.interpreter import play

from .lowering import tape_of


def continued(s, c, n):
    for k in range(n):
        if k != 5:
            if s < c:
                s = s * 2
                continue
        s = c / 2
    return s


def continued_deep(s, c, n):
    k = 0
    trip = False
    while True:
        if trip or k == n:
            break
        k += 1
        if k < 5 and c > 0:
            d = s / 3
            if d < 1:
                new = s * d + c
                if new > 0:
                    c = c * d - s * s
                    s = new
                    trip = abs(c) <= 1e-9
                    continue
        s = c / 2
        c = s + 1
        trip = s < 0.1
    return s + c


def broken(s, c, n):
    for k in range(n):
        if k != 5:
            if s < c:
                s = s * 2
                break
        s = c / 2
    return s


def broken_else(s, c, n):
    for k in range(n):
        if k == 9:
            c = c + 1
        else:
            if k > 1:
                t = s * c
                s = t * 3
                break
            s = s + t if k else s
        t = c * 2
        s = c
    else:
        t = 1.0
    return s + t


def within_with(s, c, n):
    for k in range(n):
        with np.errstate(all="ignore"):
            if k != 2:
                if s < c:
                    s = s * 2
                    continue
            s = c * 3
        s = c / 2
    return s


def inner_loop(s, c, n):
    for k in range(n):
        for j in range(3):
            if j:
                if s < c:
                    s = s * 1.5
                    break
            s = c / 3
        else:
            if s > c:
                s = s - c
                continue
        s = s + c
    return s


PROGRAMS = [continued, continued_deep, broken, broken_else, within_with, inner_loop]
VALUES = [(0.5, 0.6, 4), (0.5, 0.6, 8), (0.5, -0.6, 8), (0.1, 0.7, 3)]


@pytest.mark.parametrize("fn", PROGRAMS)
def test_value_and_gradient_are_those_of_the_way_taken(fn):
    tape = tape_of(fn, *VALUES[0])
    gradient = ya.simplegrad(fn, *VALUES[0])
    for args in VALUES:
        assert play(tape, *args) == fn(*args)
        val, ds, dc, *_ = gradient(*args)
        assert val == fn(*args)
        for got, d in ((ds, (1, 0)), (dc, (0, 1))):
            h = 1e-6
            ahead = fn(args[0] + h * d[0], args[1] + h * d[1], args[2])
            back = fn(args[0] - h * d[0], args[1] - h * d[1], args[2])
            assert got == pytest.approx((ahead - back) / (2 * h), rel=1e-6, abs=1e-7)


def continued_in_try(s, c, n):
    for k in range(n):
        try:
            s = s * np.sqrt(1 + c * c)
            if k == 1:
                continue
        except ValueError:
            s = c
        s = c / 2
    return s


def broken_before_finally(s, c, n):
    last = 0.0
    for k in range(n):
        try:
            if k == 2:
                last = s * c
                break
            last = c
        finally:
            last = last + s
        last = s
    return last


def returned_before_finally(s, c, n):
    try:
        if s > n:
            return s * c
        last = math.sqrt(s + 9)
    except ValueError:
        last = c
    finally:
        s = last * 2 if s <= n else s
    return s + c


@pytest.mark.parametrize(
    "fn", [continued_in_try, broken_before_finally, returned_before_finally]
)
def test_what_a_try_is_left_with(fn):
    for args in VALUES:
        assert play(tape_of(fn, *args), *args) == fn(*args)
        report = ya.gradcheck(fn, *args)
        assert report, str(report)
