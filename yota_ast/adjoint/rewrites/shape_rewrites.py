"""Rewrites of helpers for shapes into NumPy's own words, where ranks are known.

`untile(d, x, 2)` of a vector becomes `d.reshape(2, -1).sum(axis=0)`.
"""

from __future__ import annotations

import operator

import numpy as np

from yota_ast.adjoint.rewrites.algebra_rewrites import MUL
from yota_ast.adjoint.rewrites.helper_rewrites import arguments, parts_of
from yota_ast.adjoint.rewrites.rewrite_engine import Rewriter, fact
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.nodes import Apply
from yota_ast.runtime import (
    unconcatenate,
    undiag,
    unhstack,
    unmatmul_left,
    unmatmul_right,
    unnorm,
    unpad,
    unrepeat,
    unstack,
    untensordot_left,
    untensordot_right,
    untile,
    untrace,
    unvstack,
)


def _count(atom: Atom) -> int | None:
    """A literal number of at least 1."""
    if isinstance(atom, Const) and type(atom.value) is int and atom.value >= 1:
        return atom.value
    return None


def _is_vector(x: Atom) -> bool:
    return fact(x).kind == "array" and fact(x).rank == 1


def tiled(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of a vector that was laid end to end."""
    dy, x, reps = (arguments(op)[k] for k in ("dy", "x", "reps"))
    n = _count(reps)
    if n is None or not _is_vector(x):
        return None
    rows = r.method("reshape", dy, Const(n), Const(-1))
    return r.method("sum", rows, kwargs=(("axis", Const(0)),))


def repeated(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of a vector of which each item was repeated."""
    given = arguments(op)
    n = _count(given["repeats"])
    if n is None or not _is_vector(given["x"]):
        return None
    if given["axis"] not in (Const(None), Const(0), Const(-1)):
        return None
    rows = r.method("reshape", given["dy"], Const(-1), Const(n))
    return r.method("sum", rows, kwargs=(("axis", Const(1)),))


def padded(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of an array that got a margin of zeros."""
    if len(op.args) != 3 or op.kwargs:
        return None
    dy, x, width = op.args
    n, rank = _count(width), fact(x).rank
    if n is None or not rank:
        return None
    part = slice(n, -n)
    return r.make(operator.getitem, dy, Const(part if rank == 1 else (part,) * rank))


def vertical(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoints of what np.vstack joined."""
    return _joined(r, op, vertically=True)


def horizontal(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoints of what np.hstack joined."""
    return _joined(r, op, vertically=False)


def _joined(r: Rewriter, op: Apply, *, vertically: bool) -> Atom | None:
    dy, arrays = op.args[:2]
    parts = parts_of(r, arrays)
    if parts is None or len(op.args) != 2 or op.kwargs:
        return None
    ranks = {fact(p).rank for p in parts}
    if len(ranks) != 1 or ranks & {0, None}:
        return None
    if vertically and ranks == {1}:
        return r.make(unstack, dy, arrays, Const(0))
    axis = 0 if vertically or ranks == {1} else 1
    return r.make(unconcatenate, dy, arrays, Const(axis))


def on_the_diagonal(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of a vector that became a diagonal."""
    given = arguments(op)
    if not _is_vector(given["x"]) or not isinstance(given["k"], Const):
        return None
    more = () if given["k"] == Const(0) else (given["k"],)
    return r.make(np.diag, given["dy"], *more)


def traced(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of a matrix of which the trace was taken."""
    given = arguments(op)
    d, x = given["dy"], given["x"]
    if fact(x).rank != 2 or not fact(d).is_scalar or given["offset"] != Const(0):
        return None
    if (given["axis1"], given["axis2"]) != (Const(0), Const(1)):
        return None
    shape = r.attribute("shape", r.shaped_like(x))
    sides = [r.make(operator.getitem, shape, Const(k)) for k in (0, 1)]
    return r.make(MUL, d, r.make(np.eye, *sides))


def sum_of_sizes(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of a vector's 1-norm."""
    given = arguments(op)
    x, d = given["x"], given["dy"]
    if given["ord"] != Const(1) or not _is_vector(x) or not fact(d).is_scalar:
        return None
    known = fact(x).dtype
    if known is None or known.kind != "f":
        return None
    return r.make(MUL, d, r.make(np.sign, x))


def contracted(r: Rewriter, op: Apply) -> Atom | None:
    """np.tensordot(u, v, 1) of matrices and vectors is u @ v."""
    given = arguments(op)
    ranks = (fact(given["u"]).rank, fact(given["v"]).rank)
    if given["axes"] != Const(1) or not all(k in (1, 2) for k in ranks):
        return None
    fn = unmatmul_left if op.fn is untensordot_left else unmatmul_right
    return r.make(fn, op.args[0], given["u"], given["v"])


RULES = {
    untile: (tiled,),
    unrepeat: (repeated,),
    unpad: (padded,),
    unvstack: (vertical,),
    unhstack: (horizontal,),
    undiag: (on_the_diagonal,),
    untrace: (traced,),
    unnorm: (sum_of_sizes,),
    untensordot_left: (contracted,),
    untensordot_right: (contracted,),
}
