"""Rewrites of the adjoints of products of arrays, where ranks are known."""

from __future__ import annotations

import operator

import numpy as np

from yota_ast.adjoint.rewrites.algebra_rewrites import MUL
from yota_ast.adjoint.rewrites.rewrite_engine import Rewriter, fact
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.nodes import Apply
from yota_ast.runtime import (
    unbroadcast,
    undot_left,
    undot_right,
    uninner_left,
    uninner_right,
    unmatmul_left,
    unmatmul_right,
)

MATMUL = operator.matmul


def left(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of u in u @ v."""
    dy, u, v = op.args
    ranks = (fact(u).rank, fact(v).rank)
    if ranks == (2, 1):
        return r.make(np.outer, dy, v)
    if ranks == (1, 2):
        return r.make(MATMUL, v, dy)
    if ranks == (1, 1):
        return r.make(MUL, dy, v)
    return _stacked(r, dy, _turned(r, v), u) if _are_matrices(ranks) else None


def right(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of v in u @ v."""
    dy, u, v = op.args
    ranks = (fact(u).rank, fact(v).rank)
    if ranks == (2, 1):
        return r.make(MATMUL, dy, u)
    if ranks == (1, 2):
        return r.make(np.outer, u, dy)
    if ranks == (1, 1):
        return r.make(MUL, dy, u)
    return _stacked(r, _turned(r, u), dy, v) if _are_matrices(ranks) else None


def _are_matrices(ranks: tuple[int | None, ...]) -> bool:
    """Whether both are matrices, or stacks of matrices."""
    return all(rank is not None and rank >= 2 for rank in ranks)


def _turned(r: Rewriter, x: Atom) -> Atom:
    """The transposes of a stack of matrices."""
    if fact(x).rank == 2:
        return r.attribute("T", x)
    return r.make(np.swapaxes, x, Const(-1), Const(-2))


def _stacked(r: Rewriter, a: Atom, b: Atom, x: Atom) -> Atom:
    """a @ b, summed over the stack where x is not stacked."""
    product = r.make(MATMUL, a, b)
    if fact(x).rank == fact(product).rank == 2:
        return product
    return r.make(unbroadcast, product, x)


def dot_left(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of u in np.dot(u, v): that of `u @ v` up to matrices."""
    dy, u, v = op.args
    ranks = (fact(u).rank, fact(v).rank)
    if 0 in ranks and None not in ranks:
        return r.make(unbroadcast, r.make(MUL, dy, v), u)
    return left(r, op) if ranks in SMALL else None


def dot_right(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of v in np.dot(u, v)."""
    dy, u, v = op.args
    ranks = (fact(u).rank, fact(v).rank)
    if 0 in ranks and None not in ranks:
        return r.make(unbroadcast, r.make(MUL, dy, u), v)
    return right(r, op) if ranks in SMALL else None


def inner_left(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of u in np.inner(u, v), which is `u @ v.T`."""
    dy, u, v = op.args
    ranks = (fact(u).rank, fact(v).rank)
    if ranks in ((2, 2), (1, 2)):
        return r.make(MATMUL, dy, v)
    return dot_left(r, op)


def inner_right(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of v in np.inner(u, v)."""
    dy, u, v = op.args
    ranks = (fact(u).rank, fact(v).rank)
    if ranks == (2, 2):
        return r.make(MATMUL, r.attribute("T", dy), u)
    if ranks == (1, 2):
        return r.make(np.outer, dy, u)
    return dot_right(r, op)


SMALL = ((1, 1), (2, 1), (1, 2), (2, 2))
RULES = {
    unmatmul_left: (left,),
    unmatmul_right: (right,),
    undot_left: (dot_left,),
    undot_right: (dot_right,),
    uninner_left: (inner_left,),
    uninner_right: (inner_right,),
}
