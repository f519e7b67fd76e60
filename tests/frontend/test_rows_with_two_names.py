"""Rows of nested lists that have a name of their own, and are written by the other one:
the value after the write, or a refusal."""

import copy

import numpy as np
import pytest

import yota_ast as ya

ROWS = [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]]
ARRAYS = [np.array(row) for row in ROWS]
REASON = (
    "may share memory with an array that has changed since then|a branch or a loop has"
)


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


def appended_and_changed(X, a, n=1):
    rows = []
    for r in X:
        row = [r[0], 1.0]
        rows.append(row)
        row[1] = r[1] * a
    return rows[0][1] * a


def appended_each_time(X, a, n=1):
    rows, row = [], [0.0, 0.0]
    for r in X:
        rows.append(row)
        row[0] = r[0] * a
    return rows[0][0] * a


def changed_after_the_loop(X, a, n=1):
    rows, row = [], [a, 2.0]
    for _ in X:
        rows.append(row)  # noqa: PERF401
    row[1] = a * a
    return rows[-1][1] * a


def a_dict_of_each_time(X, a, n=1):
    rows, row = [], {"s": 0.0, "k": a}
    for r in X:
        row["s"] += r[0]
        rows.append(row)
    return rows[-1]["s"] * rows[0]["s"]


def returned_by_a_helper(X, a, n=1):
    rows, q = [], [0.0, a]
    for r in X:
        q = stepped(q, r[0])
        rows.append(q)
    return rows[0][0] * rows[1][1]


def stepped(q, v):
    q[0] = q[0] + v
    return q


def in_a_tuple(X, a, n=1):
    d = {"w": [a, 1.0]}
    t = (d["w"], a)
    u = [t, t][n]
    d["w"][0] = a * 3
    return u[0][0] * a


def changed_in_a_while(X, a, n=1):
    Y = [[a, 1.0], [a * 2, 2.0]]
    r = max(Y, key=lambda q: q[0])
    while a < 3:
        Y[1][0] = a * a * 0.3
        a = a + r[0]
    return a


def longer_in_one_arm(X, a, n=1):
    Y = [[a], [a * 2]]
    r = Y[n]
    if X[0][0] > 0.05:
        Y[1].append(a * a)
    else:
        Y[1].extend([a, a])
    return sum(r) * a


CASES = [
    by_number, by_number_of_a_list_made_here, by_number_the_row_is_written, the_largest,
    the_last_in_order, one_of_two, one_of_two_made_here, in_a_loop, kept_by_a_loop,
    written_in_an_arm, written_by_a_helper, of_a_dict, longer_by_append,
    two_levels_down, appended_and_changed, appended_each_time, changed_after_the_loop,
    a_dict_of_each_time, returned_by_a_helper, in_a_tuple, changed_in_a_while,
    longer_in_one_arm,
]  # fmt: skip


@pytest.mark.part(3)
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


def test_a_row_that_is_not_written_is_not_refused():
    def f(X, a, n=1):
        r, q = X[n], max(X, key=lambda row: row[1])
        t = [a, a * 2]
        t[0] = r[0] * a
        return r[1] * t[0] * q[2] + X[0][2]

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


def test_an_item_of_a_list_whose_items_are_exchanged():
    def f(X, a, n=1):
        Y = [np.array(X[0]), np.array(X[1])]
        r = Y[n]
        Y[1] = Y[1] * a
        return np.sum(r * Y[1])

    found = ya.gradcheck(f, copy.deepcopy(ROWS), 0.5)
    assert found, str(found)


def test_rows_made_anew_each_time():
    def f(X, a):
        rows, row = [], [0.0, a]
        for r in X:
            row = row[:]
            row[0] += r[0]
            rows.append(row)
        return rows[-1][0] * rows[0][0]

    found = ya.gradcheck(f, copy.deepcopy(ROWS), 0.5)
    assert found, str(found)


def test_a_row_of_a_list_that_the_next_pass_holds_as_a_whole():
    def f(X, a):
        waiting, total = [[a, 1.0]], 0.0
        while waiting:
            r = waiting.pop()
            total += r[0] * a
            if r[1] < 3:
                waiting.append([r[0] * 2, r[1] + 1])
        return total

    with pytest.raises(
        ya.UnsupportedCall, match="this change of a list of arrays or lists"
    ):
        ya.grad(f, copy.deepcopy(ROWS), 0.5)
