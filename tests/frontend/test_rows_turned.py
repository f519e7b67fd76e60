"""`zip(*rows)` and `sorted(zip(x, y))` of as many items as there are."""

from __future__ import annotations

import re
from operator import itemgetter

import numpy as np
import pytest

import yota_ast as ya

X, Y = np.array([3.0, 1.0, 2.0]), np.array([0.1, 0.2, 0.3])


def by_the_first(x, y):
    pairs = sorted(zip(x, y), key=itemgetter(0))
    a, b = zip(*pairs)
    return a[0] * b[0] + a[1] * b[2]


def in_order(x, y):
    return sum(a * b**2 for a, b in sorted(zip(x, y), reverse=True)[:2])


def arrays_of_columns(x, y):
    pairs = [(p, p * q) for p, q in zip(x, y)]
    a, b = map(np.array, zip(*pairs))
    return np.sum(a * b)


def columns_in_a_loop(x, y):
    pairs = []
    for p, q in zip(x, y):
        pairs.append((p, q * p))
    total = 0.0
    for column in zip(*pairs):
        total = total * column[0] + column[1]
    return total


def columns_that_are_listed(x, y):
    a, b = list(zip(*[(p, q) for p, q in zip(x, y)]))
    return np.dot(a, np.cumsum(b))


FUNCTIONS = [
    by_the_first, in_order, arrays_of_columns, columns_in_a_loop,
    columns_that_are_listed,
]  # fmt: skip


@pytest.mark.part(2)
@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("kind", [np.array, list])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_rows_are_turned(f, kind, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x, y = kind(X), kind(Y)
    assert ya.grad(f, x, y)[0] == f(x, y)
    assert ya.gradcheck(f, x, y)


def test_the_columns_of_no_rows_raise_as_they_are_taken_apart():
    message = r"not enough values to unpack \(expected 2, got 0\)"
    for f in (arrays_of_columns, ya.simplegrad(arrays_of_columns, X, Y)):
        with pytest.raises(ValueError, match=message):
            f(X[:0], Y[:0])


def columns_twice(x, y):
    columns = zip(*[(p, q) for p, q in zip(x, y)])
    total = 0.0
    for column in columns:
        total += column[0]
    for column in columns:
        total += column[1]
    return total


def test_columns_are_run_through_once():
    assert ya.gradcheck(columns_twice, X, Y)
    assert ya.grad(columns_twice, X, Y)[0] == columns_twice(X, Y) == X[0] + Y[0]


def test_the_text_of_columns():
    text = ya.simplegrad(by_the_first, X, Y).source
    assert re.search(
        r"(t\d+) = \[row\[0\] for row in pairs\]\n( +#.*\n)? +a = tuple\(\1\)\n", text
    )


def keys_of_dicts(x, y):
    rows = [{0: p, 1: q} for p, q in zip(x, y)]
    a, b = zip(*rows)
    return sum(a) * x[0] + sum(b)


def test_dicts_give_their_keys():
    """The values were taken for them, silently."""
    with pytest.raises(ya.UnsupportedSyntax, match="the number of items is unknown"):
        ya.grad(keys_of_dicts, X, Y)
