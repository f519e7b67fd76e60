"""Containers of arrays that are written later: the reverse reads them as they were."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya


def in_a_tuple(x, n):
    q, p = x.copy(), x * 2.0
    s = 0.0
    for i in range(3):
        both = (q, p)
        s += both[(i + n) % 2][0] ** 2
        q[0] += 1.0
        p[0] += 2.0
    return s * q[0] * p[0]


def in_a_list(x, n):
    q, p = x.copy(), x * 2.0
    s = 0.0
    for i in range(3):
        both = [q, p]
        s += both[(i + n) % 2][0] ** 2
        q[0] *= s
        p[0] += 2.0
    return s * q[0] * p[0]


def beside_a_number(x, n):
    q = x.copy()
    row = [0.5, x[0], 0.5]
    for _ in range(3):
        one = [3.0, q][n] * x[1]
        for i in range(len(row)):
            row[i] = one
    q[0] *= 0.5
    return np.sum(sum(row) * q)


def appended(x, n):
    q, p = x.copy(), x * 2.0
    parts = [q]
    while len(parts) < n + 2:
        parts.append(p)
    s = 0.0
    for v in parts:
        s += v[0] ** 2
    q[0] *= s
    p[0] += 2.0
    return s * q[0] * p[0]


def put_in_their_places(x, n):
    q, p = x.copy(), x * 2.0
    parts = [q, p]
    s = 0.0
    for i in range(3):
        s += parts[(i + n) % 2][0] ** 2
        parts[i % 2] = x * s
    return s * q[0] * p[0]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize(
    "f",
    [
        in_a_tuple,
        in_a_list,
        beside_a_number,
        appended,
        put_in_their_places,
    ],
)
def test_read_as_they_were(f, n, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    found = ya.gradcheck(f, np.array([0.3, 0.5, 0.9]), n)
    assert found, str(found)


def test_arrays_that_stay_are_not_copied():
    text = ya.simplegrad(put_in_their_places, np.ones(3), 1).source
    assert "deepcopy" not in text
    assert "parts_old" not in text
