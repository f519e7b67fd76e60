"""Rewrites of the adjoints of matrix products, where ranks are known."""

from __future__ import annotations

import operator

import numpy as np

from ..runtime import unmatmul_left, unmatmul_right
from ..tape import Apply, Atom
from .algebra import MUL
from .rewrite import Rewriter, fact

MATMUL = operator.matmul


def left(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of u in u @ v."""
    dy, u, v = op.args
    ranks = (fact(u).rank, fact(v).rank)
    if ranks == (2, 2):
        return r.make(MATMUL, dy, r.attribute("T", v))
    if ranks == (2, 1):
        return r.make(np.outer, dy, v)
    if ranks == (1, 2):
        return r.make(MATMUL, v, dy)
    if ranks == (1, 1):
        return r.make(MUL, dy, v)
    return None


def right(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of v in u @ v."""
    dy, u, v = op.args
    ranks = (fact(u).rank, fact(v).rank)
    if ranks == (2, 2):
        return r.make(MATMUL, r.attribute("T", u), dy)
    if ranks == (2, 1):
        return r.make(MATMUL, dy, u)
    if ranks == (1, 2):
        return r.make(np.outer, u, dy)
    if ranks == (1, 1):
        return r.make(MUL, dy, u)
    return None


RULES = {unmatmul_left: (left,), unmatmul_right: (right,)}
