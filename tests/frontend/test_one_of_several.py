"""Lists, dicts and arrays of which it is not known which they are, by a key, a branch
or a loop: what changes them changes others, and is refused; new ones change none."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya

SEVERAL = "the function changes a list or dict that may be one of several"
FIXED = "the function changes a container that a branch or a loop has chosen"
CHANGED = "may be, or hold, a list or dict that has changed since then"
SHARED = "may share memory with an array that has changed since then"
V = np.array([0.6, 1.3, 0.9])


class Box:
    def __init__(self, r):
        self.r = r


def _perhaps(r, q):
    if q > 0:
        return r


def _or_none(r, q):
    return r if q > 0 else None


def _one_of(r, s, q):
    return r if q > 0 else s


def extended(V, n):
    d = {"a": [V[0]] * 2, "b": [V[1]]}
    s = d["a" if V[1] > 1 else "b"]
    s += [V[2]]
    return sum(d["a"])


def extended_in_a_field(V, n):
    r = [V, V]
    box = Box((r, r)[len(V) - 2])
    box.r += [V[0]]
    return sum(r)[0]


def extended_in_a_loop(V, n):
    r = [list(V) for _ in range(len(V))]
    for s in r:
        s += [n]
    return sum(r[0])


def repeated(V, n):
    r = [V[0], V[1]]
    s = (r, r)[len(V) - 2]
    s *= 2
    return sum(r)


def updated(V, n):
    d = [{"a": V[0]}, {"a": V[1]}]
    e = d[int(V[0] > 0)]
    e |= {"a": V[2]}
    return d[1]["a"] * V[0]


def a_set(V, n):
    d = [{1, 2}, {3}]
    e = d[int(V[0] > 0)]
    e |= {4}
    return len(d[1]) * V[0]


def a_list_or_an_array(V, n):
    r = [V[0], V[1]]
    s = r if V[1] > 1 else V * 2
    s += [V[1], V[2]]
    return sum(r)


def left_by_a_loop(V, n):
    r = [V[0], V[1]]
    for _ in range(n + 1):
        q = _perhaps(r, V[1])
    r[1] *= 0.5
    return sum(q)


def one_or_none_left_by_a_loop(V, n):
    r = [V[0], V[1]]
    for _ in range(n + 1):
        q = _or_none(r, V[1])
    r[1] *= 0.5
    return sum(q)


def put_in_a_list_by_a_loop(V, n):
    r = [V[0]] * 2
    rows = [[1.0] for _ in range(n + 2)]
    for _ in range(1):
        rows[1] = _perhaps(r, V[1])
    r[1] *= 0.5
    return sum([sum(q) for q in rows])


def reversed_in_a_loop(V, n):
    u = np.array([0.5, V[0], 0.5])
    both = [0.5, u]
    for _ in range(n):
        both.reverse()
    u[1] = 0.5
    return np.sum(both[0] * V) + np.sum(both[1])


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (extended, SEVERAL),
        (extended_in_a_field, SEVERAL),
        (extended_in_a_loop, SEVERAL),
        (repeated, SEVERAL),
        (updated, SEVERAL),
        (a_set, SEVERAL),
        (a_list_or_an_array, SEVERAL),
        (left_by_a_loop, FIXED),
        (one_or_none_left_by_a_loop, CHANGED),
        (put_in_a_list_by_a_loop, FIXED),
        (reversed_in_a_loop, SHARED),
    ],
)
def test_what_changes_others(f, reason, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    with pytest.raises(ya.UnsupportedSyntax, match=reason):
        ya.grad(f, V, 1)


def made_anew(V, n):
    d = [V * 2.0, V * 3.0]
    s = d[int(V[1] > 1)]
    s = s + V[2]
    return np.sum(s * d[0])


def extended_of_any_length(V, n):
    r = [v * v for v in V]
    s = r
    for _ in range(n):
        r += [V[0], 2.0]
    return sum(s)


def extended_by_a_helper(V, n):
    r = [v * v for v in V]

    def grow(q):
        q += [V[1] * n]
        return q

    s = grow(r)
    return sum(s) * r[-1]


def exchanged_in_one_arm(V, n):
    row, r = [V[0], V[0]], [0.0, 0.0]
    for k in range(n):
        if V[1] > k:
            r, row = row, r
    return r[0] * V[1] + r[1] * V[2]


def buffers_that_are_written_later(V, n):
    one, two = np.zeros(3), V * 1.0
    u, v = one, two
    for _ in range(n):
        u[1:] = v[1:] * V[:-1]
        u, v = v, u
    u[0] = 1.0
    return np.sum(u * V + v)


def is_forgotten_in_a_loop(V, n):
    r = [V[0], V[1]]
    total = 0.0
    for _ in range(n):
        q = _one_of(r, [V[2], 1.0], V[1])
        total = total + q[0] * q[1]
    r[1] *= 0.5
    return total + sum(r)


def by_a_method(V, n):
    d = {"a": [V[0], V[1]], "b": [V[1]]}
    d["a" if V[1] > 1 else "b"].append(V[2])
    return sum(d["a"])


def by_a_method_of_dicts(V, n):
    d = [{"a": V[0]}, {"a": V[1]}]
    d[int(V[0] > 0)].update(a=V[2])
    return d[1]["a"] * V[0]


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f",
    [
        made_anew,
        extended_of_any_length,
        extended_by_a_helper,
        pytest.param(
            exchanged_in_one_arm,
            marks=pytest.mark.filterwarnings("ignore:.* through comparisons alone"),
        ),
        buffers_that_are_written_later,
        by_a_method,
        by_a_method_of_dicts,
        is_forgotten_in_a_loop,
    ],
)
def test_what_changes_no_others(f, passes, n, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    found = ya.gradcheck(f, V, n)
    assert found, str(found)
