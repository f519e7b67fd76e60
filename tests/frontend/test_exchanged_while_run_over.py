"""A loop over an array that it exchanges for another, and writes: refused, for each
item is read when the loop comes to it."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya

X, W = np.array([0.3, 0.5, 0.9]), np.array([0.6, 0.2, 0.4])


def by_a_swap(x, w):
    x, w = x * 1.0, w * 1.0
    for e in w:
        x -= e
        w, x = x, w
    return w


def by_a_third_name(x, w):
    x, w = x * 1.0, w * 1.0
    for e in w:
        t = x
        x = w
        w = t
        w *= e
    return w


def in_turn(x, w):
    x, w, z = x * 1.0, w * 1.0, x * w
    for e in w:
        x, w, z = z, x, w
        x[0] *= e
    return x + w + z


@pytest.mark.parametrize("f", [by_a_swap, by_a_third_name, in_turn])
def test_refused(f):
    with pytest.raises(ya.UnsupportedSyntax, match="has changed since"):
        ya.grad(f, X, W, seed=np.ones(3))


def of_a_copy(x, w):
    x, w = x * 1.0, w * 1.0
    for e in w.copy():
        x -= e
        w, x = x, w
    return w


def two_buffers(x, w):
    old, new = x * 1.0, w * 1.0
    for e in w:
        new[1:] = old[:-1] * e
        new[0] = old[2]
        old, new = new, old
    return old + new


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [of_a_copy, two_buffers])
def test_right(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    found = ya.gradcheck(f, X, W)
    assert found, str(found)
