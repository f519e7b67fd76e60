# ruff: noqa: RUF005, RUF007
"""Slices of lists that are assigned or deleted, and lists that loops rebind."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

from .every_mode import slopes

X = np.array([0.7, 1.3, -0.4, 2.1])
V = np.array([0.3, -0.5, 0.8, 0.2])


def weighed(items):
    return sum(k * v * v for k, v in enumerate(items, 1)) * len(items)


# ---------------------------------------------------------------- slices


def of_literals(x, n):
    items = list(x)
    items[1:3] = x[:2] * x[1]
    items[:1] = [v * x[3] for v in x]
    items[-2:] = []
    items[3:1] = [x[2], 5.0]
    items[9:] = (v + 1 for v in x[:2])
    return weighed(items)


def of_variables(x, n):
    items = [v * 1.5 for v in x]
    same = items
    items[n:] = [x[0] * x[1]]
    items[n - 2 : n] = same
    same[-n:-1] = items[:2]
    items[n : n - 2] = x[1:]
    return weighed(same)


def of_known_items(x, n):
    items = [x[0], x[1], 2.0, x[0] * x[2]]
    items[1:n] = x[2:]
    items[:2] = x[:3] * 2
    return weighed(items)


def within_loops(x, n):
    items = list(x)
    for i in range(n):
        items[i : i + 2] = [items[i + 1] * 2, items[i]]
    for v in x:
        if v > 0:
            items[:-1] = items[1:]
            items[-1] = v * v
    return weighed(items)


def deleted(x, n):
    items = x.tolist()
    del items[n - 2 : n]
    items[1:1] = [x[0], x[1] ** 2]
    del items[-n:-1]
    return weighed(items)


# ---------------------------------------------------------------- names


def last_of_them(x, n):
    items = []
    for v in x:
        items.append(v * v)
        items = items[-n:]
    return weighed(items)


def longer(x, n):
    items = [x[0]]
    for v in x:
        items = items + [v * v] if v > 0 else [v] + items[:2]
    return weighed(items)


def pairs(x, n):
    items = list(x)
    while len(items) > 1:
        items = [(1 - x[0]) * a + x[0] * b * b for a, b in zip(items, items[1:])]
    return items[0]


def pairs_by_a_helper(x, n):
    def folded(items):
        return [a * b + 1 for a, b in zip(items[::2], items[1::2])]

    items = [v + 1 for v in x]
    while len(items) > 1:
        items = folded(items)
    return items[0]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize(
    "f",
    [
        of_literals, of_variables, of_known_items, within_loops, deleted, last_of_them,
        longer, pairs, pairs_by_a_helper,
    ],
)  # fmt: skip
def test_every_mode(f, n, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    slope = slopes(lambda x: f(x, n), X)
    val, g = ya.grad(f, X, n)
    assert val == f(X, n)
    np.testing.assert_allclose(g[0], slope, atol=1e-6)
    assert ya.jvp(lambda x: f(x, n))(X, V)[1] == pytest.approx(slope @ V, abs=1e-5)


def test_one_text_serves_all_lengths():
    made = ya.simplegrad(of_variables, X, 2, wrt="x")
    for x in (X, np.array([1.5, 0.2]), np.arange(7.0)):
        val, dx = made(x, 2)
        assert val == of_variables(x, 2)
        np.testing.assert_allclose(
            dx, slopes(lambda y: of_variables(y, 2), x), rtol=1e-5
        )


def test_a_list_with_another_name_is_not_rebound():
    def kept(x):
        items, before = [x[0]], []
        for v in x:
            before = items
            items = items + [v * v]
        return sum(items) * sum(before)

    with pytest.raises(UnsupportedSyntax, match="replaces `items`"):
        ya.grad(kept, X)
