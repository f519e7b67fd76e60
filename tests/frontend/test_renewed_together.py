"""Several names that are given lists of their own at once: `xs, ys = [], []`."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya


def until(x, n):
    time, rows = [], []
    for k in range(n):
        time, rows = [], []
        for t in np.arange(0.0, k + 1.0, 0.5):
            time.append(t)
            rows.append(x * t * k)
        if max([abs(r) for r in rows]) > 4.0:
            break
    return sum(rows) + time[-1] * x if n else x


def exchanged(x, n):
    a, b = [x], [x * 2]
    for k in range(n):
        a, b = b, a
        a.append(x * k)
    return sum(a) - sum(b) ** 2


def handed_on(x, n):
    a, b = [x], []
    for k in range(n):
        a, b = [x * k, x], a
        b.append(x * x)
    return sum(a) + sum(b) ** 2


def one_under_two_names(x, n):
    a, b = [x], []
    for k in range(n):
        c = [x * k]
        a, b = c, c
        b.append(x * x)
    return sum(a) + sum(b) ** 2


def read_by_the_other(x, n):
    a, total = [x], 0.0
    for k in range(n):
        a, pairs = [k * x], zip(a, reversed(a), strict=True)
        for p, q in pairs:
            total += p * q
    return sum(a) + total


def kept(x, n):
    a, b, kept = [x], [], [[x]]
    for k in range(n):
        a, b = [k * x], [x]
        kept.append(a)
        if sum(a) > 2:
            break
    return sum(kept[-1]) + sum(kept[0]) * sum(b)


def in_an_arm(x, n):
    a, b = [x], [x]
    for k in range(n):
        if k > 1:
            a, b = [], []
        for j in range(k):
            a.append(x * j)
            b.append(x)
    return sum(a) * sum(b)


def annotated(x, n):
    a: list[float] = []
    for k in range(n):
        a: list[float] = []
        for j in range(k):
            a.append(x * j)
        if x > 50:
            break
    return sum(a) + x


def of_keys(x, n):
    a, b = {"w": x}, {"w": 2 * x}
    for k in range(n):
        a, b = {"w": b["w"] * k}, {"w": a["w"]}
        if x > 50:
            break
    return a["w"] + b["w"]


def the_best_row(x, n):
    def row(a):
        return [a, a * 2, a + 1]

    best, kept = float("inf"), None
    for k in range(n):
        new = row(x * (k - 1.3))
        cost = sum(abs(v) for v in new)
        if best > cost:
            best, kept = cost, new
    return best * kept[0] + kept[2] if kept else x


def the_best_row_by_itself(x, n):
    best, kept = 100.0, [0.0]
    for k in [1, 2, 3]:
        new = [x * k, x - k]
        cost = sum(abs(v) for v in new) * n
        if best > cost:
            best = cost
            kept = new
    return best * kept[0] + x


EVERY = (
    the_best_row, the_best_row_by_itself, until, exchanged, handed_on, of_keys,
    one_under_two_names, read_by_the_other, kept, in_an_arm, annotated,
)  # fmt: skip


@pytest.mark.parametrize("f", EVERY)
@pytest.mark.parametrize("n", [0, 1, 3, 6])
def test_right(f, n):
    assert ya.grad(f, 0.7, n)[0] == f(0.7, n)
    assert ya.gradcheck(f, 0.7, n)
    slope = ya.grad(f, wrt=0)
    assert ya.jvp(f, wrt=0)(0.7, n, 1.0)[1] == pytest.approx(slope(0.7, n))


def read_by_its_old_name(x, n):
    a, b = [x], []
    for k in range(n):
        old = a
        a, b = [], [x]
        old.append(1.0)
        for j in range(k):
            a.append(x * j)
    return sum(a) + sum(b)


def test_a_list_that_has_another_name_is_refused():
    with pytest.raises(ya.UnsupportedSyntax, match="this loop replaces `a`"):
        ya.grad(read_by_its_old_name, 0.7, 4)


def chosen_and_changed(x, a):
    first = [a * 3, a]
    row = [1.0, 2.0]
    for v in x:
        row = [first, first][int(v > 0)]
    first[1] = a * a
    return sum(first) + 2 * sum(row)


def the_largest_of_changed(x, a):
    first, second = [a * 3, a], [a, a * a]
    row, total = [v for v in x if v < 1], 0.0
    for v in x:
        total += sum(row)
        first[1] = a * v
        row = max(first, second, key=sum)
    return total


def written_under_the_other_name(x, a):
    first = [a * 3, a]
    row = [v for v in x if v < 1]
    for v in x:
        first[1] *= v
        row.append(v)
        row = max(first, first, key=sum)
    return sum(row) + sum(first)


@pytest.mark.parametrize(
    "f", [chosen_and_changed, the_largest_of_changed, written_under_the_other_name]
)
def test_a_list_that_was_chosen_from_others_is_not_taken_for_a_new_one(f):
    with pytest.raises(ya.UnsupportedSyntax):
        ya.grad(f, np.array([0.3, 0.5, -0.7]), 1.3)
