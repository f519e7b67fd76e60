"""Rows of nested lists that have a name of their own, and are written by the other one:
the value after the write, or a refusal."""

import copy

import numpy as np
import pytest

import yota_ast as ya

ROWS = [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]]
ARRAYS = [np.array(row) for row in ROWS]
REASON = "may share memory with an array that has been written since|is one of two by"


def by_number(X, a, n=1):
    r = X[n]
    X[1][1] = a * a
    return r[1] * X[0][0]


def by_number_of_a_list_made_here(X, a, n=1):
    Y = [[a, X[0][0]], [a * 2, a]]
    r = Y[n]
    Y[1][1] = a * a
    return r[1] * a


def by_number_the_row_is_written(X, a, n=1):
    Y = [[a, X[0][0]], [a * 2, a]]
    r = Y[n]
    r[1] = a * a
    return Y[1][1] * r[0]


def the_largest(X, a, n=1):
    r = max(X, key=lambda row: row[1])
    X[2][1] = a * a
    return r[1] * a


def the_last_in_order(X, a, n=1):
    r = sorted(X, key=lambda row: -row[0])[n - 1]
    X[2][0] = a
    return r[0] * r[1]


def one_of_two(X, a, n=1):
    r = X[0] if a > 0.2 else X[1]
    X[0][1] = a * a
    return r[1] * a


def one_of_two_made_here(X, a, n=1):
    p, q = [a, 1.0], [2.0, a]
    r = p if a > 0.2 else q
    p[1] = a * a
    return r[1] * a


def in_a_loop(X, a, n=1):
    s = 0.0
    for i in range(3):
        r = X[i]
        X[0][1] = s + a
        s += r[1] * a
    return s


def kept_by_a_loop(X, a, n=1):
    s, r = 0.0, X[0]
    for i in range(3):
        X[i][1] = a * s + 1.0
        s += r[1] * a
        r = X[i]
    return s


def written_in_an_arm(X, a, n=1):
    r = X[n]
    if a > 0.2:
        X[1][0] = a
    return r[0] * a


def written_by_a_helper(X, a, n=1):
    r = X[n]
    fill(X, a)
    return r[0] * a


def fill(X, a):
    X[1][0] = a * a


def of_a_dict(X, a, n=1):
    d = {"u": [a, 2.0], "v": [3.0, a]}
    k = "u" if a > 0.2 else "v"
    r = d[k]
    d["u"][1] = a * a
    return r[1] * a


def longer_by_append(X, a, n=1):
    Y = [[a], [a * 2]]
    r = Y[n]
    Y[1].append(a * a)
    return sum(r) * a


def two_levels_down(X, a, n=1):
    Y = [[[a, 1.0], [2.0, a]], [[a, a], [1.0, a * 3]]]
    r = Y[n][n]
    Y[1][1][0] = a * a
    return r[0] * a


CASES = [
    by_number, by_number_of_a_list_made_here, by_number_the_row_is_written, the_largest,
    the_last_in_order, one_of_two, one_of_two_made_here, in_a_loop, kept_by_a_loop,
    written_in_an_arm, written_by_a_helper, of_a_dict, longer_by_append,
    two_levels_down,
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("given", [ROWS, ARRAYS], ids=["lists", "arrays"])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_right_or_refused(f, given, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    expected = f(copy.deepcopy(given), 0.5)
    try:
        value = ya.grad(f, copy.deepcopy(given), 0.5)[0]
    except ya.UnsupportedSyntax:
        return
    assert value == expected
    found = ya.gradcheck(f, copy.deepcopy(given), 0.5)
    assert found, str(found)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_of_lists_either_names_what_is_written(f):
    try:
        ya.grad(f, copy.deepcopy(ROWS), 0.5)
    except ya.UnsupportedSyntax as error:
        print(f.__name__, error)


def test_a_row_that_is_not_written_is_not_refused():
    def f(X, a, n=1):
        r, q = X[n], max(X, key=lambda row: row[1])
        t = [a, a * 2]
        t[0] = r[0] * a
        return r[1] * t[0] * q[2] + sum(X[0])

    found = ya.gradcheck(f, copy.deepcopy(ROWS), 0.5)
    assert found, str(found)


def test_a_row_found_again_after_the_write():
    def f(X, a, n=1):
        r = X[n]
        s = r[0] * a
        X[1][0] = s
        r = X[n]
        return r[0] * s

    found = ya.gradcheck(f, copy.deepcopy(ROWS), 0.5)
    assert found, str(found)
