# ruff: noqa: PERF401
"""Lists of tuples, lists and dicts of numbers, as long as a loop makes them."""

import math

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

X = np.array([0.5, 1.5, -0.7])


def pairs(x, n):
    made = []
    for k in range(n):
        made.append((x * k, x))
    total = 0.0
    for v, w in made:
        total = total + v * w
    return total


def of_several_kinds(x, v, n):
    made = []
    for k in range(n):
        made.append(("even" if k % 2 == 0 else "odd", x * k, v * k, [x, v[:2]]))
    total = 0.0
    for name, a, b, rest in made:
        if name == "even":
            total = total + a * np.sum(b * b) + rest[0] * np.sum(rest[1])
    return total


def by_position(x, n):
    made = []
    for k in range(n):
        made.append((x * k, x))
    total = 0.0
    for i in range(n):
        total = total + math.sin(made[i][0]) * made[i][1]
    return total


def dicts(x, n):
    made = []
    for k in range(n):
        made.append({"a": x * k, "b": x})
    return sum(p["a"] * p["b"] for p in made)


def ragged(x, n):
    rows = []
    for k in range(n):
        row = []
        for j in range(k + 1):
            row.append(x[j] * k)
        rows.append(row)
    total = 0.0
    for row in rows:
        for v in row:
            total = total + v * v
    return total * rows[1][0]


def numbered(x, n):
    made = []
    for k in range(n):
        made.append((x * k, x))
    return sum(j * v * w for j, (v, w) in enumerate(made))


def of_other_length(x, n):
    for k in range(n):
        t = (x * k, x) if k else (x,)
        if k > 1:
            x = x * t[1] + t[0]
    return x * t[0]


def only_at_times(x, n):
    if n > 2:
        made = []
        for k in range(n):
            made.append(x * k)
    for k in range(n):
        if n > 2:
            x = x + made[k] * made[1]
    return x


def last_of_a_loop(x, n):
    for k in range(n):
        t = (x * k, x) if k else (x,)
    return t[0]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (of_other_length, (0.7, 3)),
        (of_other_length, (X, 3)),
        (of_other_length, (X, 1)),
        (only_at_times, (0.7, 3)),
        (only_at_times, (X, 2)),
        (last_of_a_loop, (0.7, 3)),
        (last_of_a_loop, (X, 1)),
        (pairs, (2.0, 3)),
        (pairs, (X, 3)),
        (pairs, (2.0, 0)),
        (of_several_kinds, (2.0, X, 5)),
        (by_position, (0.7, 4)),
        (dicts, (2.0, 3)),
        (ragged, (X, 3)),
        (numbered, (2.0, 4)),
    ],
    ids=lambda v: getattr(v, "__name__", str(v)),
)
def test_gradient(fn, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    if isinstance(fn(*args), np.ndarray):
        fn = summed(fn)
    check(fn, args)


def summed(fn):
    def total(x, n):
        return np.sum(fn(x, n))

    return total


def test_python_floats_stay_python_floats():
    assert type(ya.grad(pairs, 2.0, 3)[1][0]) is float


def a_row_put_twice(rows, a):
    total = a
    rows[1] = rows[0]
    if a:
        total += np.dot(rows[0], rows[1])
    return total


@pytest.mark.parametrize("passes", ["all", "none"])
def test_the_sum_of_arrays_for_a_list_gives_numbers_of_python(passes, monkeypatch):
    """They were numbers of NumPy's where a branch handed them on."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    rows = [[-0.9, 0.8, 0.2], [0.9, -0.4, -0.6]]
    _, g = ya.grad(a_row_put_twice, rows, -0.4)
    assert g["rows"] == [[-1.8, 1.6, 0.4], [0.0, 0.0, 0.0]]
    assert {type(d) for row in g["rows"] for d in row} == {float}


def less_a_part(a, b):  # a random program, 162000764
    items = [b]
    for i in range(3):
        items[i % len(items)] -= items[0] * a
    return sum(items)


def test_the_gradient_of_a_float_beside_a_list_is_a_float():
    value, gradient = ya.grad(less_a_part, -0.7, 0.35)
    assert value == less_a_part(-0.7, 0.35)
    assert [type(g) for g in gradient] == [float, float]
    assert ya.gradcheck(less_a_part, -0.7, 0.35)
