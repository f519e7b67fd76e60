"""Adjoints that an arm hands on as they are: not written while both are read."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya


def two_written(x, a):
    q, p = x * 1.0, x * 2.0
    p[1] = 1.0
    if a > 0.5:
        q[1] = 2.0
    return q + p


def three_written(x, a):
    q, p, r = x * 3.0, x * 2.0, x * x
    q[1] = 1.0
    if a > 0.5:
        p[2] = 3.0
        r[0] = 1.0
    return q + p + r


def by_nested_branches(x, a):
    p, q = x * 2.0, x * 3.0
    q[1] = 1.0
    if a > 0.2:
        if x[1] > 0.3:
            p[2] = 1.0
    return q + p


def exchanged(x, a):
    q, p, r = x * 3.0, x * 2.0, x * x
    r[1] = 1.0
    if a > 0.5:
        p = q
    return r + p + q


def in_a_list(x, a):
    parts = [x * 2.0, x * 3.0]
    parts[1][1] = 1.0
    if a > 0.5:
        parts[0][2] = 1.0
    return parts[0] + parts[1]


def of_a_sum(x, a):
    y = x * x
    y[1] = 0.0
    if a < 0.5:
        s = np.sum(x * y)
    else:
        s = np.sum(x)
    return s + np.sum(y * x) + x[0]


def read_twice(x, a):
    y = x * x
    if a > 0.5:
        y[0] = 0.5
    s = np.sum(x * x[::-1]) + np.sum(y * x)
    return s + x[0]


def by_an_unknown_key(x, a):
    parts = [x, x.copy()]
    same = parts
    parts[0][1] = 0
    parts[1] = same[len(x) - 2]
    s = a + sum([q * 1.0 for q in parts])
    s += sum([q * 1.0 for q in same])
    return s


def one_adjoint_for_three(x, a):
    p, q, r = x[::-1].copy(), x[::-1].copy(), x[::-1].copy()
    return p + x + q + r


def one_adjoint_in_a_list(x, a):
    parts = [x[::-1].copy(), x]
    parts.append(x[::-1].copy())
    return a + sum(list(parts))


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("a", [0.1, 0.4, 0.9])
@pytest.mark.parametrize(
    "f",
    [
        two_written,
        three_written,
        by_nested_branches,
        exchanged,
        in_a_list,
        of_a_sum,
        read_twice,
        one_adjoint_for_three,
        one_adjoint_in_a_list,
        by_an_unknown_key,
    ],
)
def test_both_are_right(f, a, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    found = ya.gradcheck(f, np.array([0.4, 0.2, 0.7]), a)
    assert found, str(found)


def test_what_is_not_read_again_is_still_written_in_place():
    text = ya.simplegrad(two_written, np.ones(3), 0.1).source
    assert "dp = unset(dp, 1)" in text
    text = ya.simplegrad(read_twice, np.ones(3), 0.1).source
    assert "dy[0] = 0.0" in text
