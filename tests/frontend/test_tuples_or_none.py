"""What is a tuple in one case and None in another, and rows that are repeated."""

import json

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


def found(x):
    best = None
    for k in range(3):
        if k * x > 1:
            best = (k, k * x)
    return best[1] * x if best else x


def given_back(x):
    def pair(a):
        return (a, 2.0 * a) if a > 0.5 else None

    c = pair(x)
    a, b = c
    return a * b + sum(c) + max(c) * 3 + min(c) * float(np.prod(c))


def complex_ones(x):
    t = None
    if x > 0.5:
        t = (1j * x, 2.0)
    return (t[0] * t[1]).imag * x


def read_from_a_text(x):
    a = json.loads("[1.0, 2.0]")
    a[0] = x
    return a[0] * a[1] * x


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", [found, given_back, complex_ones, read_from_a_text])
def test_items_are_read(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, 0.7)


def repeated(x):
    t = None
    if x > 0.5:
        t = (x,)
    return sum(t * 3)


def joined(x):
    t, u = None, None
    if x > 0.5:
        t, u = (x,), (x * x,)
    u = t + u
    return u[0] * u[1]


@pytest.mark.parametrize("fn", [repeated, joined])
@pytest.mark.parametrize("how", [ya.grad, ya.jvp])
def test_they_are_no_arrays_that_are_added(fn, how):
    with pytest.raises(ya.UnsupportedSyntax, match="joined or repeated"):
        how(fn, 0.7) if how is ya.grad else how(fn)(0.7, 1.0)
    with pytest.raises(ya.UnsupportedSyntax, match="joined or repeated"):
        ya.simplegrad(fn)


def rows(x, n):
    b = [[x, 1.0]] * n + [[2 * x, x]] * 2
    return sum(r[0] * r[1] for r in b)


def tuples(x, n):
    b = ((x, {"a": x * x}),) * n
    return sum(r[0] * r[1]["a"] for r in b)


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("fn", [rows, tuples])
def test_rows_are_repeated(fn, n):
    check(fn, 0.7, n)


def a_row_in_the_middle(m, i):
    rows = [[m, 1.0], [m * 2, 2.0]]
    return rows[i][0] * 2


def test_an_index_that_is_given():
    text = ya.simplegrad(a_row_in_the_middle, wrt="m")
    assert [text(0.7, i) for i in (0, 1)] == [(1.4, 2.0), (2.8, 4.0)]
