"""Lists and dicts whose only name is given another one, in an arm or a loop."""

from __future__ import annotations

import math

import numpy as np
import pytest

import yota_ast as ya

V, W = np.array([1.0, 1.5, 3.0, 0.4]), np.array([0.6, 1.9, 0.3, 2.2])


def groups(x):
    out, group = [], []
    for v in x:
        if v > 1.2:
            out.append(sum(group) ** 2)
            group = []
        group.append(v * v)
    return sum(out) + sum(group)


def one_or_none(x):
    group = [x[0]]
    if x[1] > 1.2:
        group = []
    group.append(x[2] * 2)
    return sum(group)


def pairs(x):
    out, group = [], []
    for v in x:
        group.append(v * v)
        if len(group) == 2:
            out.append(group[0] * group[1])
            group = []
    return sum(out) + sum(group)


def of_places(x):
    places, total = [0], 0.0
    for i in range(1, len(x)):
        if x[i] > 1.2:
            total += x[places[np.argmax([x[j] for j in places])]]
            places = []
        places.append(i)
    return total * x[0]


def a_table(x):
    table = {"a": x[0]}
    for i in range(3):
        if x[i] > 1.2:
            table = {"a": x[i] * 2}
        table["a"] = table["a"] * x[i]
    return table["a"]


def a_state(x):
    state = {"p": x[0], "v": x[1]}
    for _ in range(3):
        new = {"p": state["p"] + 0.1 * state["v"], "v": state["v"] - state["p"]}
        if new["p"] > 1.2:
            state = new
        state["p"] = state["p"] * 1.5
    return state["p"] * state["v"]


def turned(x):
    pair = [x[0], x[1]]
    for i in range(3):
        if x[i] > 1.2:
            pair = [pair[1], pair[0]]
        pair[0] = pair[0] * x[i]
    return pair[0] * 2 + pair[1]


def read_by_a_closure(x):
    group = [x[0]]

    def total():
        return sum(group)

    s = 0.0
    for i in range(3):
        s += total()
        if x[i] > 1.2:
            group = [x[2]]
        group.append(x[i] ** 2)
        s *= total()
    return s


def held_elsewhere_before(x):
    group = [x[0]]
    old = group
    group = [x[1]]
    for i in range(2):
        if x[i] > 1.2:
            group = [x[2]]
        group.append(x[i])
    old.append(x[3])
    return sum(group) * sum(old)


def in_a_try(x):
    group = [x[0]]
    for i in range(3):
        try:
            group = [x[i], np.log(x[i])]
        except ValueError:
            group = [x[2]]
        group[0] = group[0] * 2
    return sum(group)


def in_a_handler(x):
    group = [x[0]]
    for i in range(3):
        try:
            group = [x[i], math.sqrt(1.2 - x[i])]
        except ValueError:
            group = [x[2], x[1]]
        group.append(2 * x[i])
    return sum(group)


def the_one_before_is_kept(x):
    before, group, s = [0.0], [x[0]], 0.0
    for i in range(3):
        s += sum(before) * x[i]
        before = group
        group = []
        group.append(x[i])
    return s + sum(before) * sum(group)


def of_another_length(x):
    row, s = [x[0]], 0.0
    row[0] = 0.5
    for v in x:
        s += sum(row) * len(row) * v
        row = [1, 0.3 * v]
    return s + sum(row)


def shorter(x):
    row = [x[0], 2.0]
    row[0] = 0.5
    k = 0
    while k < len(x):
        row = [x[k] ** 2]
        k += 1
    return sum(row)


def emptied(x):
    row = [x[0]]
    for v in x:
        row.clear()
        row.append(v * v)
    return sum(row)


def left_early(x):
    row, s = [1.0], 0.0
    row[0] = x[2]
    for v in x:
        s += sum(row) * v
        row = [v * v, v, v**3]
        if v < 0.5:
            continue
        row = [v]
        if v > 2.5:
            break
    return sum(row) * s


def in_two_loops(x):
    s = 0.0
    for v in x:
        d = []
        for w in x[:3]:
            d.append(w * v)  # noqa: PERF401  a list that the loop holds
        for _ in range(2):
            d = [sum(d) * sum(d)]
            s += d[0]
    return s


def a_table_that_grows(x):
    for v in x:
        table = {}
        table["a"] = v * v
    return table["a"]


EVERY = (
    of_another_length, shorter, emptied, left_early, in_two_loops, a_table_that_grows,
    groups, one_or_none, pairs, of_places, a_table, a_state, turned,
    read_by_a_closure, held_elsewhere_before, in_a_try, in_a_handler,
    the_one_before_is_kept,
)  # fmt: skip


@pytest.mark.parametrize("f", EVERY)
@pytest.mark.parametrize("x", [V, W])
def test_it_is_one_list(f, x):
    assert ya.gradcheck(f, x)
    assert ya.grad(f, x)[0] == f(x)


def of_numbers(a, n):
    row = [0.0]
    row[0] = 0
    for _ in range(n):
        row = [1, 0.3]
    return a + sum(row)


def of_arrays(a, n):
    rows = [np.ones(2) * a]
    rows[0] = np.ones(2) * a * a
    for i in range(n):
        rows = [np.ones(2) * a * i, np.ones(2) * a * a]
    return a * len(rows) + np.sum(rows)


def of_lists(a, n):
    rows = [[1.0]]
    rows.append([2.0])
    for _ in range(n):
        rows = [[a, 3.0]]
    return a * len(rows) + sum(rows[0])


def of_keys(a, n):
    table = {"a": 1.0}
    table["a"] = 2.0
    for _ in range(n):
        table = {"b": a, "a": 4.0}
    return a + len(table) + sum([table[k] for k in table])


@pytest.mark.parametrize("f", [of_numbers, of_arrays, of_lists, of_keys])
@pytest.mark.parametrize("n", [0, 1, 2, 4])
def test_it_may_have_another_length(f, n):
    assert ya.gradcheck(f, 0.5, n)
    assert ya.grad(f, 0.5, n)[0] == f(0.5, n)


def of_two_names(x):
    group = [x[0]]
    other = group
    for i in range(3):
        if x[i] > 1.2:
            group = [x[2]]
        group.append(x[i])
    return sum(group) * sum(other)


def of_a_bound_method(x):
    group = [x[0]]
    add = group.append
    for i in range(3):
        if x[i] > 1.2:
            group = [x[2]]
        add(x[i])
        group.append(x[i] ** 2)
    return sum(group)


def in_a_tuple(x):
    group = [x[0]]
    held = (group, x[1])
    for i in range(3):
        if x[i] > 1.2:
            group = [x[2]]
        group.append(x[i] ** 2)
    return sum(group) * sum(held[0]) * held[1]


def of_two_targets(x):
    group = other = [x[0]]
    for i in range(3):
        if x[i] > 1.2:
            group = other = [x[2]]
        group.append(x[i] ** 2)
        other.append(x[i])
    return sum(group) * 2 + sum(other)


def run_over(x):
    group, s = [x[0], x[1]], 0.0
    for v in group:
        s += v * v
        if v > 1.2:
            group = [x[2]]
        group.append(x[3] * v)
    return s + sum(group)


def given(x, group):
    for i in range(3):
        if x[i] > 1.2:
            group = [x[2]]
        group.append(x[i])
    return sum(group)


def of_a_default(x):
    group = [x[0]]
    total = lambda held=group: sum(held)
    if x[1] > 1.2:
        group = [x[2]]
    group.append(x[3])
    return total() * sum(group)


SHARED = (
    of_two_names, of_a_bound_method, in_a_tuple, of_two_targets, run_over, of_a_default
)  # fmt: skip


@pytest.mark.parametrize("f", SHARED)
@pytest.mark.parametrize("x", [V, W])
def test_what_has_two_names_is_refused(f, x):
    with pytest.raises(ya.UnsupportedSyntax, match="a branch or a loop has chosen"):
        ya.grad(f, x)


def test_the_callers_list_stays_as_it_is():
    mine = [0.5, 0.7]
    with pytest.raises(ya.UnsupportedSyntax, match="a branch or a loop has chosen"):
        ya.grad(given, V, mine)
    assert mine == [0.5, 0.7]


def test_the_text_gives_the_name_another_list():
    text = ya.simplegrad(groups, V).source
    assert "            group = []\n        else:" in text
    assert text.count("group = []") == 2
