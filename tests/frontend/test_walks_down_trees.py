"""Functions that call themselves with less each time, down what is known: trees of
tuples, lists, dicts and objects; and with a function where a name was given."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya

V = np.array([0.3, 1.4, 0.9])


class Node:
    def __init__(self, op, *kids):
        self.op = op
        self.kids = kids

    def at(self, x):
        if self.op == "x":
            return x
        if self.op == "sin":
            return np.sin(self.kids[0].at(x))
        return self.kids[0].at(x) * self.kids[1].at(x)


def tree():
    square = Node("*", Node("x"), Node("x"))
    deep = Node("sin", Node("sin", Node("sin", Node("sin", square))))
    return Node("*", Node("*", Node("x"), deep), Node("sin", Node("x")))


TREE = tree()
WORDS = ("*", "x", ("sin", ("*", "x", ("sin", ("sin", ("sin", "x"))))))
LEAVES = {"l": {"l": {"v": 2.0}, "r": {"v": 3.0}}, "r": {"v": 4.0}}


def of_the_module(x):
    return TREE.at(x)


def made_here(x):
    return tree().at(x)


def spoken(words, x):
    if words == "x":
        return x
    if words[0] == "sin":
        return np.sin(spoken(words[1], x))
    return spoken(words[1], x) * spoken(words[2], x)


def of_words(x):
    return spoken(WORDS, x)


def walked(leaves, x):
    if "v" in leaves:
        return leaves["v"] * x
    return walked(leaves["l"], x) * walked(leaves["r"], x * x)


def of_dicts(x):
    return walked(LEAVES, x)


def flat(items):
    if isinstance(items, (list, tuple)):
        out = []
        for item in items:
            out += flat(item)
        return out
    return [items]


def flattened(x):
    a, b, c = flat([x, [x * x, (x, [2.0 * x])]])[1:]
    return a * b * c


def is_foreign(thing):
    kind = type(thing)
    if kind == float or kind == int:  # noqa: E721, PLR1714
        return False
    if issubclass(kind, (list, tuple)):
        for item in thing:
            if is_foreign(item):
                return True
        return False
    return kind.__module__.startswith("foreign")


def asked_of_its_type(x):
    return 0.0 if is_foreign([x, (x, [x, 1])]) else x * x


@pytest.mark.parametrize(
    "f",
    [of_the_module, made_here, of_words, of_dicts, flattened, asked_of_its_type],
)
def test_the_gradient_holds(f):
    assert ya.gradcheck(f, 0.7)


def test_another_tree_is_seen(monkeypatch):
    assert ya.grad(of_the_module, 0.7)[0] == TREE.at(0.7)
    monkeypatch.setattr(TREE.kids[1], "op", "x")
    try:
        assert ya.grad(of_the_module, 0.7)[0] == TREE.at(0.7)
    except ValueError as error:
        assert "made for TREE.kids[1].op" in str(error)  # noqa: PT017


def less_mean(x):
    return x - x.mean()


def less_first(x):
    return x - x[0]


def detrended(x, how=None):
    if how is None or how in ["constant", "mean"]:
        return detrended(x, how=less_mean)
    if how == "first":
        return detrended(x, how=less_first)
    if callable(how):
        return how(x)
    raise ValueError(how)


def by_default(x):
    return np.sum(detrended(x) ** 3)


def by_name(x, how="first"):
    return np.sum(detrended(x, how) ** 3)


@pytest.mark.parametrize("f", [by_default, by_name])
def test_a_function_is_no_name(f):
    assert ya.gradcheck(f, V)
