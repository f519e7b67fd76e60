"""Objects and functions of which a `try` has chosen one."""

import copy

import numpy as np
import pytest

import yota_ast as ya


class Box:
    def __init__(self, x):
        self.x = x


def copied(a, n):
    box = first = Box(a * a)
    try:
        np.zeros(3) + np.ones(n)
    except ValueError:
        box = copy.copy(first)
    return box.x * a


def another(a, n):
    box = Box(a * a)
    try:
        np.zeros(3) + np.ones(n)
    except ValueError:
        box = Box(a)
    return box.x * a


def a_function(a, n):
    k = np.sin
    try:
        np.zeros(3) + np.ones(n)
    except ValueError:
        k = np.cos
    return k(a) * a


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", [copied, another, a_function])
def test_the_one_that_is_chosen(fn, passes, monkeypatch):
    """The text asked a name that nothing bound."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    text = ya.simplegrad(fn, 2.0, 3)
    for n in (3, 2):
        value, grads = ya.grad(fn, 2.0, n)
        assert text(2.0, n)[:2] == (value, grads["a"])
        assert value == fn(2.0, n)
        slope = (fn(2.0 + 1e-6, n) - fn(2.0 - 1e-6, n)) / 2e-6
        assert grads["a"] == pytest.approx(slope, rel=1e-6)
