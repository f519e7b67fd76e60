"""What is sorted by literals: the order is known, and nothing of it is in the text."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api.traced_tapes import gradient_source

RATES = [1.5, 2.5]


def by_keys(x):
    d = {"b": x, "c": x * x, "a": 2.0}
    return sum(k * v for k, (_, v) in enumerate(sorted(d.items()))) * d["c"]


def backwards(x):
    d = {2: x, 0: x * x, 1: 2.0}
    return sum(k * v for k, (_, v) in enumerate(sorted(d.items(), reverse=True)))


def by_a_key(x):
    rows = [("long", x), ("l", x * x), ("lo", 3.0)]
    rows = sorted(rows, key=lambda row: len(row[0]))
    return rows[0][1] * rows[2][1]


def of_equal_keys(x):
    rows = [(1, 3 * x), (1.0, x * x), (0, x)]
    rows = sorted(rows)
    return rows[1][1] + 2 * rows[2][1]


class Turned(NamedTuple):
    key: int
    value: float

    def __lt__(self, other):
        return self.key > other.key


def by_a_comparison_of_its_own(x):
    rows = sorted([Turned(0, x), Turned(2, x * x), Turned(1, 3 * x)])
    return rows[0].value + 2 * rows[2].value * x


def by_values(x):
    rows = sorted([(x, 1.0), (x * x, 2.0)])
    return rows[0][0] * rows[1][1] + rows[1][0]


def tables_among_known_items(x):
    pairs = itertools.product([x, x * x], RATES)
    ways = zip(RATES, (np.sin, math.cos), strict=True)
    chained = itertools.chain([x], RATES, [x * x])
    return sum(a * b for a, b in pairs) * sum(w * f(x) for w, f in ways) + sum(chained)


EVERY = (
    by_keys, backwards, by_a_key, of_equal_keys, by_values,
    by_a_comparison_of_its_own, tables_among_known_items
)  # fmt: skip


@pytest.mark.parametrize("f", EVERY)
@pytest.mark.parametrize("x", [0.7, 4.0])
def test_the_gradient_holds(f, x):
    assert ya.gradcheck(f, x)


@pytest.mark.parametrize("f", [by_keys, backwards, by_a_key])
def test_nothing_is_sorted_in_the_text(f):
    lines = gradient_source(f).splitlines()
    assert not any("sorted(" in line.partition("#")[0] for line in lines)
