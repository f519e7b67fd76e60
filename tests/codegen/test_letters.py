"""Loops over items that are called as positions are: `for i in x`."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.adjoint.reverse import item_positions

X, W, U = (
    np.array([1.1, -0.4, 0.7]),
    np.array([0.6, 1.9, 0.3]),
    np.array([2.0, 0.8, -1]),
)


def product(x, w, u):
    total = 1.0
    for i in x:
        total *= i
    return total


def of_two(x, w, u):
    total = 1.0
    for i, k in zip(x, w):
        total *= i * k + total
    return total


def of_three(x, w, u):
    total = 1.0
    for i, k, j in zip(x, w, u):
        total *= i * k + j * total
    return total


def nested(x, w, u):
    total = 1.0
    for i in x:
        for k in w:
            total *= i + k * total
        for i in u:
            total += total * i
    return total


def reused(x, w, u):
    total, k = 1.0, 0.5
    for i in x:
        total *= i * k
        k = k * total
        i = i + total
        total += i
    return total * i + k


def listed(x, w, u):
    return sum([np.sin(i) * k for i in x for k in w]) * sum(i * i for i in u)


def of_rows(x, w, u):
    total = 1.0
    for i in np.outer(x, w):
        total *= np.sum(i * i) + i[0]
    return total


def of_a_list(x, w, u):
    total = 1.0
    for i in [v * v for v in x]:
        total *= i
    return total


def counted(x, w, u):
    total = 1.0
    for i, k in enumerate(x):
        total *= k * (i + 1)
    return total


def helped(x, w, u):
    def prod(l):
        p = 1.0
        for i in l:
            p *= i
        return p

    return prod(x) * prod(w) + sum(i * prod(u) for i in range(3))


def product_by_rows(x, w, u):
    total = 1.0
    for i in x:
        total *= i * w[0]
    return total


EVERY = (
    product, of_two, of_three, nested, reused, listed, of_rows, of_a_list, counted,
    helped,
)  # fmt: skip


@pytest.mark.parametrize("f", EVERY)
@pytest.mark.parametrize("passes", ["all", "none"])
def test_the_position_has_another_name(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    assert ya.gradcheck(f, X, W, U)
    assert ya.grad(f, X, W, U)[0] == f(X, W, U)
    empty = np.zeros(0)
    if f is not reused and f is not of_rows:
        assert ya.grad(f, empty, empty, empty)[0] == f(empty, empty, empty)


def test_the_text_counts_by_another_letter():
    assert "for k, i in enumerate(x):" in ya.simplegrad(product, X, W, U).source


def test_the_position_is_called_as_none_of_several_items_is():
    text = ya.simplegrad(of_three, X, W, U).source
    assert "for m, (i, k, j) in enumerate(zip(x, w, u)):" in text


def test_a_header_does_not_give_one_name_twice(monkeypatch):
    monkeypatch.setattr(item_positions, "_letter", lambda targets: "i")
    text = ya.simplegrad(product_by_rows, X, W, U).source
    assert "for i in range(len(x)):" in text
    assert ya.gradcheck(product_by_rows, X, W, U)
