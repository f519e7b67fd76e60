"""Names that stand for one container or another, by a branch or a loop: what is written
into it by another name would not be seen, and is refused."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya

REASON = "the function changes a container that a branch or a loop has chosen"
V = np.array([0.6, 1.3, 0.9])


class Box:
    pass


def in_a_loop(V, n):
    a, b = [V[0], 1.0], [V[1], 2.0]
    for _ in range(n):
        b = a
    a[0] = V[2]
    return b[0] * V[1]


def in_a_while(V, n):
    a, b = [V[0], 1.0], [V[1], 2.0]
    while n > 0:
        b = a
        n -= 1
    a[0] = V[2]
    return b[0] * V[1]


def of_equal_items(V, n):
    a, b = [1.0, 2.0], [1.0, 2.0]
    for _ in range(n):
        b = a
    a[0] = V[2]
    return b[0] * V[1]


def of_equal_items_in_nested_loops(V, n):
    rows = [[1.0] * 3 for _ in range(3)]
    for _ in range(n):
        for _ in range(2):
            rows[1] = rows[0]
    rows[0][-1] -= V[1]
    return np.sum(np.array(rows) ** 2)


def as_an_item(V, n):
    a, b = [V[0], 1.0], [V[1], 2.0]
    both = [a, b]
    for _ in range(n):
        both[1] = both[0]
    a[1] = V[2]
    return both[1][1] * V[1]


def under_a_key(V, n):
    d = {"a": [V[0], 1.0], "b": [2.0, 3.0]}
    for _ in range(n):
        d["b"] = d["a"]
    d["a"][1] = V[2]
    return d["b"][1] * V[1]


def in_a_tuple(V, n):
    a, b = [1.0, 2.0], [1.0, 2.0]
    both = (a, b)
    for _ in range(n):
        both = (b, b)
    b[0] = V[2]
    return both[0][0] * V[1]


def as_a_field(V, n):
    box = Box()
    box.a, box.b = [V[0], 1.0], [2.0, 3.0]
    for _ in range(n):
        box.b = box.a
    box.a[1] = V[2]
    return box.b[1] * V[1]


def of_objects(V, n):
    box, other = Box(), Box()
    box.x, other.x = V[0], 3.0
    for _ in range(n):
        other = box
    box.x = V[2]
    return other.x * V[1]


def first_named_in_a_loop(V, n):
    a = [V[0], 1.0]
    x = [0.0, 0.0]
    for _ in range(n + 1):
        x = a
    a[0] = V[2]
    return x[0] * V[1]


def of_a_dict_named_in_a_loop(V, n):
    a = {"x": V[0]}
    for _ in range(n + 1):
        x = a
    a["x"] = V[2]
    return x["x"] * V[1]


def by_a_branch_in_a_loop(V, n):
    a, b = [V[0], 1.0], [V[1], 2.0]
    x = a
    for i in range(n + 1):
        x = b if i > 0 else a
    b[0] = V[2]
    return x[0] * V[1]


def by_nested_loops(V, n):
    a, b = [V[0], 1.0], [V[1], 2.0]
    x = a
    for i in range(n + 1):
        if i > 0:
            for _ in range(i):
                x = b
    b[0] = V[2]
    return x[0] * V[1]


def by_nested_branches(V, n):
    a, b = [V[0], 1.0], [V[1], 2.0]
    x = a
    if V[0] > 0:
        if V[1] > n:
            x = b
    b[0] = V[2]
    return x[0] * V[1]


def by_a_branch_in_one_arm(V, n):
    a, b = [V[0], 1.0], [V[1], 2.0]
    if V[2] > 0:
        x = a if V[1] > n else b
    else:
        x = [V[2], 5.0]
    x[0] = V[2]
    return a[0] * V[1] + b[0]


def with_another_name_in_one_arm(V, n):
    if V[1] > n:
        r = [V[0], 1.0]
        q = r
    else:
        r = [V[1], 1.0]
        q = [V[2], 2.0]
    r[1] = V[2]
    return q[1] * V[1]


def with_a_name_in_one_arm_alone(V, n):
    q = None
    if V[1] > n:
        r = [V[0], 1.0]
        q = r
    else:
        r = [V[1], 1.0]
    r[0] = V[2]
    return r[0] * (2.0 if q is None else q[0])


def appended_in_one_arm(V, n):
    rows = []
    if V[1] > n:
        r = [V[0], 1.0]
        rows.append(r)
    else:
        r = [V[1], 2.0]
    r[0] = V[2]
    return sum(q[0] for q in rows) * r[0]


def of_any_length_in_one_arm(V, n):
    if V[1] > n:
        r = [V[i] for i in range(n + 1)]
        t = r
    else:
        r = [V[i] for i in range(n + 2)]
        t = [V[i] for i in range(n + 2)]
    r[0] = V[2]
    return t[0] * r[0]


def fill(r, q):
    for i in range(len(r)):
        r[i] = r[i] * 0.5 + q


def pick(r, t, q):
    if q > 0.1:
        return r
    return t


def filled_by_a_helper(V, n):
    r = [V[i] * 0.5 for i in range(n + 2)]
    t = [V[0], V[1]]
    u = pick(r, t, V[0])
    fill(r, V[1])
    return u[0] * V[1]


def extended_by_a_statement(V, n):
    row = [V[0], V[1]]
    box = Box()
    box.r = row
    if V[1] < n:
        box.r = [V[1]]
    row += [V[2]]
    return sum(box.r)


def filled_in_a_loop(V, n):
    r, t = [V[0], V[1]], [V[1], V[2]]
    u = pick(r, t, V[0])
    for i in range(n + 1):
        t[i] *= V[1]
    return u[0] * V[1]


REFUSED = [
    in_a_loop, in_a_while, of_equal_items, of_equal_items_in_nested_loops, as_an_item,
    under_a_key, in_a_tuple, as_a_field, of_objects, first_named_in_a_loop,
    of_a_dict_named_in_a_loop, by_a_branch_in_a_loop, by_nested_loops,
    by_nested_branches, by_a_branch_in_one_arm, with_another_name_in_one_arm,
    with_a_name_in_one_arm_alone, appended_in_one_arm, of_any_length_in_one_arm,
    filled_by_a_helper, filled_in_a_loop, extended_by_a_statement,
]  # fmt: skip


@pytest.mark.parametrize("f", REFUSED)
def test_a_write_by_another_name_is_refused(f):
    with pytest.raises(ya.UnsupportedSyntax) as error:
        ya.grad(f, V, 1)
    assert error.value.reason == REASON


def is_read_alone(V, n):
    a, b = [V[0], 1.0], [V[1], 2.0]
    for _ in range(n):
        b = a
    return b[0] * a[0]


def is_forgotten(V, n):
    a, b = [V[0], 1.0], [V[1], 2.0]
    for i in range(n + 1):
        x = a if i % 2 else b
        a[1] = V[2] * x[1]
    return a[1] * b[1]


def is_new_each_time(V, n):
    old = [V[0], 1.0]
    for _ in range(n):
        new = [0.0, 0.0]
        for j in range(2):
            new[j] = old[j] * V[1]
        old = new
    return old[0] * old[1]


def is_the_same_in_both_arms(V, n):
    if V[1] > n:
        r = [V[0], 1.0]
        q = r
    else:
        r = [V[1], 1.0]
        q = r
    r[0] = V[2]
    return r[0] * q[0]


def is_swapped_whole(V, n):
    one, two = Box(), Box()
    one.v, two.v = V * 1.0, V * 2.0
    for _ in range(n):
        one.v[0] *= V[1]
        one, two = two, one
    return one.v[0] * two.v[1]


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f",
    [
        is_read_alone,
        is_forgotten,
        is_new_each_time,
        is_the_same_in_both_arms,
        is_swapped_whole,
    ],
)
def test_what_no_other_name_sees(f, passes, n, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    found = ya.gradcheck(f, V, n)
    assert found, str(found)
