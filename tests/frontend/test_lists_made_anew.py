"""pop, insert, reverse, sort, clear and del of lists whose length is not known: what
else stands for the list sees it, or it is refused."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya

V = np.array([0.6, 1.3, 0.9])


def popped(V):
    r = [v * v for v in V]
    s = r.pop()
    t = r.pop(0)
    return s * s + t * sum(r)


def popped_in_the_middle(V):
    r = [v * v for v in V]
    s = r.pop(1)
    r.append(s * V[0])
    t = r.pop(-2)
    return s * t + sum(r)


def turned(V):
    r = [v * v for v in V]
    r.reverse()
    return r[0] * r[0] + sum(r)


def ordered(V):
    r = [v * v for v in V]
    r.sort()
    s = r[0] * r[0] + r[-1]
    r.sort(key=lambda q: -q)
    return s * r[0] + r[1]


def ordered_pairs(V):
    r = [(v * v, k) for k, v in enumerate(V)]
    r.sort(reverse=True)
    return r[0][0] * r[0][1] + r[2][0]


def ordered_of_known_items(V):
    r = [V[2], V[0]]
    s = r
    s.sort()
    return r[0] * 2 + r[1]


def put_in(V):
    r = [v * v for v in V]
    r.insert(0, V[0])
    r.insert(1, 3.0)
    r.insert(-1, V[1])
    return r[0] * r[-1] + sum(r) * r[1] + r[3]


def emptied(V):
    r = [v * v for v in V]
    s = r
    r.clear()
    s.append(V[0])
    return sum(r)


def deleted(V):
    r = [v * v for v in V]
    del r[0]
    del r[-1]
    return sum(r) * V[0]


def a_stack(V):
    stack, s, k = [v * v for v in V], 0.0, 0
    while stack and k < 20:
        q = stack.pop()
        s += q
        k += 1
        if q > 0.3 and k < 5:
            stack.append(q * V[0])
            stack.append(q * 0.5)
    return s


def a_queue_of_pairs(V):
    waiting, s = [(V[0], 0)], 0.0
    while waiting:
        v, depth = waiting.pop(0)
        s += v * depth
        if depth < 2:
            waiting.append((v * V[1], depth + 1))
            waiting.append((v * V[2], depth + 1))
    return s


def filled_and_emptied(V):
    stack, s = [], 0.0
    for k in range(3):
        if k > 0:
            s += stack.pop() * V[0]
        stack.append(k * V[k])
    return s + sum(stack)


def in_two_lists(V):
    a, b = [v * v for v in V], []
    while a:
        b.append(a.pop() * len(a))
    return sum(b) + b[0] * b[-1]


def a_window(V):
    out = []
    for k in range(5):
        out.append(V[k % 3] * k)
        if len(out) > 2:
            out.pop(0)
    return out[0] * out[1]


def turned_round(V):
    r = [v * v for v in V]
    for i in range(2):
        r.insert(0, r.pop() * V[i])
    return r[0] * 2 + r[1]


def by_a_helper(V):
    r = [v * v for v in V]

    def change(q):
        q.pop()
        q.reverse()

    change(r)
    return r[0] * 2 + r[1]


def by_another_name(V):
    r = [v * v for v in V]
    d, t = {"r": r}, r
    for _ in range(2):
        t.pop()
    return sum(d["r"]) * len(r)


def in_one_arm(V):
    s = [v * v for v in V]
    if V[0] > 0.5:
        t = s
        t.pop()
    else:
        s.reverse()
    return s[0] * s[-1] * len(s)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f",
    [
        popped, popped_in_the_middle, turned, ordered, ordered_pairs,
        ordered_of_known_items, put_in, emptied, deleted, a_stack, a_window,
        a_queue_of_pairs, filled_and_emptied, in_two_lists,
        turned_round, by_a_helper, by_another_name, in_one_arm,
    ],
)  # fmt: skip
def test_a_list_is_made_anew(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    assert ya.grad(f, V)[0] == f(V)
    found = ya.gradcheck(f, V)
    assert found, str(found)


def test_the_list_of_the_caller_is_changed():
    def change(V, r):
        r.pop()
        r.sort()
        return r[0] * V[0]

    mine, plain = [3.0, 2.0, 1.0], [3.0, 2.0, 1.0]
    value, (dV, _) = ya.grad(change, V, mine)
    assert value == change(V, plain)
    assert mine == plain
    assert dV[0] == mine[0]


def of_arrays(V):
    s = [v * V for v in V]
    a = s.pop()
    a[0] = 1.0
    return np.sum(a) + np.sum(s[0])


def of_lists(V):
    s = [[v, v * v] for v in V]
    a, b = s.pop()
    return a * b + s[0][0]


def an_array_comes_in(V):
    r, x = [v * v for v in V], V * 2.0
    r.insert(0, x)
    x[0] = 9.0 * V[1]
    return r[0][0] + r[1]


def a_list_comes_in(V):
    r, row = [v * v for v in V], [V[0]]
    r.insert(0, row)
    row[0] = 5.0 * V[1]
    return r[0][0] + r[1]


def held_by_another(V):
    s = [v * v for v in V]
    rows = [[s[0]] for _ in V]
    rows[1] = s
    s.pop()
    return sum([sum(q) for q in rows])


def run_over(V):
    s = [v * v for v in V]
    for v in s:
        if v > 1:
            s.pop()
    return sum(s)


def read_by_an_iterator(V):
    s = [v * v for v in V]
    squares = (q * q for q in s)
    s.pop()
    return sum(squares)


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (of_arrays, "this change of a list of arrays or lists"),
        (of_lists, "this change of a list of arrays or lists"),
        (an_array_comes_in, "this change of a list of arrays or lists"),
        (a_list_comes_in, "this change of a list of arrays or lists"),
        (held_by_another, "may be, or hold, a list or dict that has changed"),
        (run_over, "the loop writes into the value that it runs over"),
        (
            read_by_an_iterator,
            "the iterator `squares` reads something that has changed",
        ),
    ],
)
def test_what_another_would_not_see_is_refused(f, why):
    with pytest.raises(ya.YotaError, match=why):
        ya.grad(f, V)


def powers(x):
    found = []
    for k in range(3):
        found.append(x**k)  # noqa: PERF401
    return found


def longer(V):
    a = powers(V[0])
    b = [V[1]]
    b += a
    b.append(V[2])
    a.append(V[1])
    return sum(b) * b[1] + sum(a) * len(b)


def longer_in_a_loop(V):
    out, row = [], [V[0]]
    for k in range(3):
        row.append(V[1] * k)
        out += row
        out.extend(v * v for v in row)
    return sum(v * v for v in out)


def by_itself(V):
    out = [V[0], V[1]]
    for _ in range(2):
        out += out
    a = powers(V[2])
    a.extend(a)
    return sum(v * v for v in out) * sum(a)


def of_a_selection(V):
    items = [V[0]]
    items += list(V[V > 0.8])
    return sum(items) * items[1]


def under_two_names(V):
    a = powers(V[0])
    b = a
    b += a
    return sum(a) * len(b)


@pytest.mark.parametrize(
    "f", [longer, longer_in_a_loop, by_itself, of_a_selection, under_two_names]
)
def test_a_list_of_numbers_is_extended_by_one_of_any_length(f):
    assert ya.gradcheck(f, V)


def by_rows(V):
    rows = []
    for k in range(3):
        rows.append(V * k)  # noqa: PERF401
    out = []
    out += rows
    out[1][0] = 5.0
    return np.sum(rows[1] * out[2])


def test_arrays_are_in_both():
    with pytest.raises(ya.UnsupportedSyntax, match="may share memory"):
        ya.grad(by_rows, V)


def of_rows(V):
    rows = []
    for k in range(len(V)):
        rows.append(V * k)  # noqa: PERF401
    out = [V * 1.0]
    out.extend(rows)
    return np.sum(out[-1] * out[0]) + np.sum(np.array(out) ** 2)


def of_rows_in_a_loop(V):
    out = []
    for k in range(3):
        out.extend([[v * k, v * v] for v in V])
    return sum(a * b for a, b in out)


def of_rows_in_an_arm(V):
    out = []
    rows = [v * V for v in V]
    if V[0] > 0.5:
        out.extend(rows[1:])
    else:
        out += rows
    return np.sum(np.array(out) ** 2) * len(out)


def _longer(items, more):
    items.extend(more)
    return items


def of_rows_by_a_helper(V):
    out = _longer([], (np.sin(v * V) for v in V))
    out = _longer(out, [np.cos(V) * v for v in V[1:]])
    total = 0.0
    for row in out:
        total = total * 0.5 + np.sum(row * row)
    return total


def of_rows_by_itself(V):
    rows = [v * V for v in V]
    rows += rows
    return np.sum(np.array(rows) ** 3) * len(rows)


def of_rows_put_elsewhere_later(V):
    rows = [v * V for v in V]
    out = []
    out.extend(rows)
    rows[0] = 2 * rows[1]
    out[1] = out[1] * rows[0]
    V = 0 * V
    return np.sum(np.array(out) ** 2) + np.sum(np.array(rows) * V)


ROWS = [
    of_rows, of_rows_in_a_loop, of_rows_in_an_arm, of_rows_by_a_helper,
    of_rows_by_itself, of_rows_put_elsewhere_later,
]  # fmt: skip


@pytest.mark.parametrize("f", ROWS)
def test_a_list_is_extended_by_rows_of_any_number(f):
    assert ya.gradcheck(f, V)
    along, step = np.array([1.0, -0.5, 0.25]), 1e-6
    _, found = ya.jvp(f)(V, along)
    ends = [f(V + h * along) for h in (step, -step)]
    assert found == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-6)


@pytest.mark.parametrize("f", ROWS)
def test_the_same_for_other_lengths(f):
    df, longer = ya.simplegrad(f, V), np.array([0.7, 0.2, 1.1, 0.4])
    _, found = df(longer)
    steps = 1e-6 * np.eye(4)
    want = [(f(longer + h) - f(longer - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(found, want, rtol=1e-6, atol=1e-7)
