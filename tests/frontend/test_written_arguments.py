"""Parts of the caller's containers that are written, and the containers read whole."""

import copy

import numpy as np
import pytest

import yota_ast as ya

ROWS = [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]]
ARRAYS = [np.array(row) for row in ROWS]


class Table:
    def __init__(self):
        self.rows, self.scale = copy.deepcopy(ROWS), 0.6


def an_item(X, a):
    X[0][1] = X[1][0] * a
    return sum(X[i][1] * (i + 1) for i in range(3))


def an_item_in_a_loop(X, a):
    X[0][1] = X[1][0] * a
    s = 0.0
    for i in range(3):
        s += X[i][1] * (i + 1)
    return s


def a_row_by_name(X, a):
    r = X[0]
    r[1] = r[0] * a
    s = 0.0
    for i in range(3):
        s += X[i][1] * X[0][i]
    return s


def each_row(X, a):
    for row in X:
        row[0] = row[1] * a
    return X[0][0] * sum(sum(r) for r in X)


def as_an_array(X, a):
    X[0][1] = X[1][0] * a
    return np.sum(np.array(X) ** 2)


def items_change_places(X, a):
    t = X[0][1]
    X[0][1] = X[0][0]
    X[0][0] = t
    return sum(X[i][0] * (i + a) for i in range(3))


def rows_change_places(X, a):
    X[0], X[1] = X[1], X[0]
    return sum(X[i][0] * X[i][1] * (i + a) for i in range(3))


def written(X, i, v):
    X[i][0] = v


def by_a_helper(X, a):
    written(X, 0, a)
    written(X, 1, X[0][0] * X[2][1])
    return sum(X[i][0] * (i + a) for i in range(3))


def by_a_number(X, a, n=1):
    r = X[n]
    r[0] = a * r[1]
    return sum(X[i][0] * X[i][1] for i in range(3))


def an_item_of_a_dict(K, a):
    K["p"][1] = K["q"][0] * a
    return sum(K[k][1] * K["p"][0] for k in K)


def an_item_of_a_field(t, a):
    t.rows[0][1] = t.scale * a
    return sum(t.rows[i][1] * (i + 1) for i in range(3))


def rows_of_a_field(t, a):
    for i in range(3):
        t.rows[i][0] = t.rows[i][1] * a
    s = 0.0
    for i in range(3):
        s += t.rows[i][0] * t.rows[0][i]
    return s


OF_LISTS = [
    an_item, an_item_in_a_loop, a_row_by_name, each_row, as_an_array,
    items_change_places, rows_change_places, by_a_helper, by_a_number,
]  # fmt: skip
OF_ARRAYS = [each_row, items_change_places, rows_change_places, by_a_helper]
CASES = [
    *((f, ROWS) for f in OF_LISTS),
    *((f, ARRAYS) for f in OF_ARRAYS),
    (an_item_of_a_dict, {"p": [0.1, 0.2], "q": [0.3, 0.4]}),
    (an_item_of_a_field, Table()),
    (rows_of_a_field, Table()),
]


@pytest.mark.part(2)
@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(("f", "given"), CASES)
def test_what_is_written_is_read_where_the_whole_is(f, given, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    expected = f(copy.deepcopy(given), 0.5)
    assert ya.grad(f, copy.deepcopy(given), 0.5)[0] == expected
    found = ya.gradcheck(f, copy.deepcopy(given), 0.5)
    assert found, str(found)


def test_the_callers_list_is_as_the_function_leaves_it():
    here, there = copy.deepcopy(ROWS), copy.deepcopy(ROWS)
    a_row_by_name(here, 0.5)
    ya.grad(a_row_by_name, there, 0.5)
    assert here == there != ROWS


def test_an_array_that_may_be_any_of_the_callers():
    def f(X, a):
        X[int(a * 4) % 3][0] = a
        return X[1][0] * X[0][1]

    with pytest.raises(
        ya.UnsupportedSyntax, match="an array in `X`, at an unknown key"
    ):
        ya.grad(f, copy.deepcopy(ARRAYS), 0.5)
