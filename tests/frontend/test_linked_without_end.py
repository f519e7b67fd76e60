"""Tuples and lists that a loop links: no variable stands for any number of them."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

from .checking import check

V = np.array([0.3, 1.2, -0.5, 2.0])


def walked(v):
    head, total = (v[0], (v[1], (v[2], None))), 0.0
    while head:
        t, head = head
        total += t * t
    return total


def linked(v):
    head = None
    for t in v:
        head = (t, head)
    total = 0.0
    while head:
        t, head = head
        total = total * 0.5 + t
    return total


def linked_by_lists(v):
    head = None
    for t in v:
        head = [t, head]
    total = 0.0
    while head:
        total = total * 0.5 + head[0]
        head = head[1]
    return total


@pytest.mark.parametrize("fn", [walked, linked, linked_by_lists])
def test_they_are_refused(fn):
    with pytest.raises(UnsupportedSyntax, match="replaces"):
        ya.grad(fn, V)


def of_one_depth(v):
    pair = (v[0], (v[1], 1.0))
    for t in v:
        pair = (pair[0] * t, (pair[1][0] + t, pair[1][1]))
    return pair[0] + pair[1][0]


def test_of_one_depth_they_are_carried():
    check(of_one_depth, V)
