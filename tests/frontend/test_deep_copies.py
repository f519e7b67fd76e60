"""Deep copies: what is one object in the original is one in the copy."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import yota_ast as ya


class Box:
    def __init__(self, r, t):
        self.r = r
        self.t = t


def an_array_in_a_tuple(x):
    a, b = copy.deepcopy((x, x))
    a[0] = x[1]
    return b[0] * x[2]


def a_list_in_a_list(x):
    row = [x[0], 1.0]
    rows = copy.deepcopy([row, row])
    rows[0][0] = x[1]
    return rows[1][0] * row[0]


def a_list_in_a_dict(x):
    row = [x[0], 1.0]
    d = copy.deepcopy({"a": row, "b": row, "c": 3.0})
    d["a"][0] = x[1]
    return d["b"][0] * d["c"]


def an_array_in_an_object(x):
    box = Box(x, x)
    other = copy.deepcopy(box)
    other.r[0] = x[1]
    return other.t[0] * box.t[0]


def a_view_beside_its_array(x):
    whole, part = copy.deepcopy((x, x[1:]))
    whole[1] = x[0]
    return part[0] * whole[1]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f",
    [
        an_array_in_a_tuple,
        a_list_in_a_list,
        a_list_in_a_dict,
        an_array_in_an_object,
        a_view_beside_its_array,
    ],
)
def test_what_is_one_stays_one(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    found = ya.gradcheck(f, np.array([0.6, 0.2, 0.9]))
    assert found, str(found)
