"""Lists and dicts of a module, copied: the copy is the function's own, and what is made
of it changes with the module."""

from __future__ import annotations

import collections
import copy
import sys

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api.traced_tapes import gradient_source

WEIGHTS = [1.5, 2.5]
ROWS = [[1.0, 2.0], [3.0, 4.0]]
NAMES = ["a", "b"]
SHARED = [WEIGHTS, WEIGHTS]
OPTIONS = {"rate": 2.0, "inner": {"k": 1.5}, "steps": [1.0, 2.0]}


def by_list(x):
    d = list(WEIGHTS)
    d.append(x)
    return d[0] * x * d[2]


def by_star(x):
    d = [*WEIGHTS]
    d[0] = x
    return d[0] * x * d[1]


def by_method(x):
    d = WEIGHTS.copy()
    d.append(x)
    return sum(d) * d[2]


def by_slice(x):
    d = WEIGHTS[:]
    d.append(x)
    return sum(d) * d[2]


def by_copy(x):
    d = copy.copy(OPTIONS)
    d["rate"] = x * x
    return d["rate"] * d["inner"]["k"] * d["steps"][1]


def by_deepcopy(x):
    d = copy.deepcopy(OPTIONS)
    d["inner"]["k"] = x
    d["steps"][0] = x * x
    d["steps"].append(3 * x)
    return d["rate"] * d["inner"]["k"] * sum(d["steps"])


def of_rows(x):
    d = copy.deepcopy(ROWS)
    d[0][1] = x
    return d[0][1] * x + d[1][0] * d[0][0] * x


def of_one_row_twice(x):
    d = copy.deepcopy(SHARED)
    d[0][0] = x
    return d[1][0] * x * d[1][1]


def rows_one_by_one(x):
    d = list(ROWS)
    row = list(d[1])
    row[0] = x
    return row[0] * row[1] * x


def names(x):
    d = list(NAMES)
    d.append("c")
    return x ** len(d)


def from_keys(x):
    d = dict.fromkeys(NAMES, x)
    e = collections.OrderedDict.fromkeys(d)
    e["b"] = d["a"] * x
    return e["b"] * len(e) if e["a"] is None else x


def of_a_grown_list(x):
    r = []
    for k in range(3):
        r.append(x * k)  # noqa: PERF401
    s = copy.deepcopy(r)
    s[1] = x * x
    return sum(r) * sum(s)


EVERY = (
    by_list, by_star, by_method, by_slice, by_copy, by_deepcopy, of_rows,
    of_one_row_twice, rows_one_by_one, names, from_keys, of_a_grown_list,
)  # fmt: skip


@pytest.mark.parametrize("f", EVERY)
def test_the_gradient_holds_and_the_module_is_as_before(f):
    before = copy.deepcopy((WEIGHTS, ROWS, NAMES, OPTIONS))
    assert ya.gradcheck(f, 0.7)
    assert (WEIGHTS, ROWS, NAMES, OPTIONS) == before


def test_what_the_module_holds_now_counts(monkeypatch):
    assert ya.grad(by_deepcopy, 0.7)[0] == by_deepcopy(0.7)
    monkeypatch.setitem(OPTIONS, "rate", 5.0)
    assert ya.grad(by_deepcopy, 0.7)[0] == by_deepcopy(0.7)
    monkeypatch.setattr(sys.modules[__name__], "WEIGHTS", [7.0, 2.5])
    assert ya.grad(by_list, 0.7)[0] == by_list(0.7)
    monkeypatch.setitem(OPTIONS["inner"], "k", 4.0)
    assert ya.grad(by_copy, 0.7)[0] == by_copy(0.7)


def writes_an_item_of_the_module(x):
    d = list(ROWS)
    d[0][0] = x
    return d[0][0] * x


def test_what_the_copy_shares_is_not_written():
    with pytest.raises(ya.YotaError):
        ya.grad(writes_an_item_of_the_module, 0.7)
    assert ROWS[0][0] == 1.0


ARRAYS = [np.ones(2), np.zeros(2)]


def of_arrays(x):
    d = copy.deepcopy(ARRAYS)
    d[0][1] = x
    return np.sum(d[0] * d[0]) + np.sum(d[1]) * x


def test_arrays_are_copied():
    assert ya.gradcheck(of_arrays, 0.7)
    assert ARRAYS[0].tolist() == [1.0, 1.0]


POINTS = np.array([0.5, 1.5])
PAIR = (1.5, 2.5)


def weighted(x, a, b):
    return a * x * x + b * x


def given_by_a_star(x):
    return weighted(x, *WEIGHTS) * weighted(x * x, *PAIR)


def given_an_array_s(x):
    return sum(weighted(x * k, *POINTS) for k in range(3))


def given_rows(x):
    return sum(weighted(x, *row) for row in ROWS)


def in_displays(x):
    items = [*WEIGHTS, x]
    items += WEIGHTS
    first, *rest = PAIR
    return sum(items) * items[2] * first + max(*PAIR, x) * rest[0] * (*PAIR, x)[2]


@pytest.mark.parametrize(
    "f", [given_by_a_star, given_an_array_s, given_rows, in_displays]
)
def test_what_a_star_takes_apart(f):
    assert ya.gradcheck(f, 0.7)


def test_a_longer_table_is_seen(monkeypatch):
    assert ya.grad(in_displays, 0.7)[0] == in_displays(0.7)
    monkeypatch.setattr(sys.modules[__name__], "WEIGHTS", [1.0, 2.0, 3.0])
    assert ya.grad(in_displays, 0.7)[0] == in_displays(0.7)


LONG = [0.5 * k for k in range(20)]


def of_a_long_table(x):
    d = list(LONG)
    d[3] = x
    d.append(x * x)
    return sum(d) * d[3] * d[-1]


def test_a_long_table_is_held_as_a_whole():
    assert ya.gradcheck(of_a_long_table, 0.7)
    assert "d = list(test_copies_of_tables.LONG)" in gradient_source(of_a_long_table)
    assert "list(" not in gradient_source(by_list).partition("# reverse")[0]
