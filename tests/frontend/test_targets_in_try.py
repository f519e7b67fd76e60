"""Assignments of several targets in a `try`, of which a later one raises."""

import contextlib

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


def two_targets(x):
    i, a = 1.0, [0.0]
    try:
        i, a[9] = x, 1.0
    except IndexError:
        pass
    return i * 3 + x


def one_value(x):
    i, a = 1.0, [0.0]
    with contextlib.suppress(IndexError):
        i = a[9] = x
    return i * 3 + x


def taken_apart(x):
    i = 1.0
    try:
        i, (_, _) = x, (1.0,)
    except ValueError:
        i = i * 2.0
    return i * 3 + x


def at_run_time(x, n):
    i, j, u = 1.0, x, np.zeros(2)
    try:
        (i, j), u[n] = (x, x * x), x
    except IndexError:
        j = j + x
    return i * 3 + float(u[0]) + j


def two_items(x):
    a = [0.0, 1.0]
    b = a
    try:
        a[0] = a[9] = x
    except IndexError:
        pass
    return b[0] * 3 + x


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", [two_targets, one_value, taken_apart, two_items])
def test_the_earlier_targets_have_their_values(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, 0.7)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_an_index_that_is_known_at_run_time(n):
    check(at_run_time, 0.7, n)


def named_in_the_place(x):
    a, i = [0.0, 1.0], 0
    try:
        a[(i := 9)] = x
    except IndexError:
        pass
    return i * 3 + x


def named_by_a_function(x):
    i, u = 1.0, np.zeros(2)

    def place():
        nonlocal i
        i = x
        return 9

    try:
        u[place()] = 2.0
    except IndexError:
        pass
    return i * 3 + x


@pytest.mark.parametrize("fn", [named_in_the_place, named_by_a_function])
def test_what_the_place_assigns_may_be_either(fn):
    with pytest.raises(ya.UnsupportedSyntax, match="`i` is read after a `try`"):
        ya.grad(fn, 0.7)
