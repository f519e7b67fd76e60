"""Rewrites of the adjoints of covariances and histograms, where the settings are known.

`uncov(d, x)[0]` of several rows becomes `(d + d.T) @ (x - mean) / (n - 1)`. The weights
of a histogram get what the bins get that their elements are in, and elements nothing,
where no edge is read.
"""

from __future__ import annotations

import operator

import numpy as np

from yota_ast import runtime
from yota_ast.adjoint.rewrites.algebra_rewrites import SUB
from yota_ast.adjoint.rewrites.rewrite_conditions import (
    array,
    floats,
    literal,
    rank,
    same_shape,
    without,
)
from yota_ast.adjoint.rewrites.rewrite_engine import Rewriter, fact
from yota_ast.adjoint.rewrites.rewrite_patterns import (
    Bound,
    Table,
    computed,
    operands,
    rewrite,
)
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import Apply

_NONE = Const(None)


def _fewer(_: Rewriter, bound: Bound) -> bool:
    """Bind how many fewer than the samples their squares are divided by."""
    given, bias = bound["ddof"], bound["bias"].value
    bound["k"] = Const(0 if bias else 1) if given == _NONE else given
    return type(bound["k"].value) is int


def _by_rows(_: Rewriter, bound: Bound) -> bool:
    """Whether variables are rows."""
    return bool(bound["rowvar"].value)


def items_of_histogram(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoints of the elements and of the weights of a histogram."""
    made = r.maker(op.args[0], runtime.uncount)
    given = {} if made is None else operands(made)
    dy = r.maker(given["dy"], build_tuple) if made is not None else None
    if dy is None or given["density"] not in (_NONE, Const(value=False)):
        return None
    if op.args[1] == Const(0):
        is_idle = _is_zero(r, dy.args[1]) or _are_given(given["bins"], given["range"])
        x = given["x"]
        return r.apply(np.zeros_like, x) if is_idle and fact(x).is_floating else None
    if op.args[1] != Const(2) or given["range"] != _NONE:
        return None
    x, weights, is_count = given["x"], given["weights"], fact(given["bins"]).is_scalar
    if not is_count or fact(x).rank != 1 or fact(weights).rank != 1:
        return None
    return _of_bins(r, dy.args[0], r.apply(operator.getitem, given["y"], Const(1)), x)


def _of_bins(r: Rewriter, dcounts: Atom, edges: Atom, x: Atom) -> Atom:
    """What goes back to the weight of each element: the last bin has both its edges."""
    place = r.apply(np.searchsorted, edges, x, kwargs=(("side", Const("right")),))
    last = r.apply(SUB, r.attribute("size", edges), Const(2))
    index = r.apply(np.minimum, r.apply(SUB, place, Const(1)), last)
    return r.apply(operator.getitem, dcounts, index)


def _are_given(bins: Atom, ends: Atom) -> bool:
    """Whether the edges are those of arguments, and of no elements."""
    return ends != _NONE or bool(fact(bins).rank)


def _is_zero(r: Rewriter, d: Atom) -> bool:
    """Whether the edges have no adjoint."""
    made = r.maker(d, np.zeros_like, runtime.expand)
    return made is not None and (made.fn is np.zeros_like or made.args[0] == Const(0.0))


_WEIGHTED = (array("x", "w"), floats("x", "w"), same_shape("x", "w"))
_SETTINGS = (literal("rowvar", "bias", "ddof"), floats("x"), rank(x=2, d=2), _fewer)
TABLE: Table = (
    rewrite(
        "uncov(d, x, None, rowvar, bias, ddof, None, None)[0]",
        "(d + d.T) @ (x - np.mean(x, axis=1, keepdims=True)) / (x.shape[1] - k)",
        *_SETTINGS, _by_rows,
    ),
    rewrite(
        "uncov(d, x, None, rowvar, bias, ddof, None, None)[0]",
        "(x - np.mean(x, axis=0)) @ (d + d.T) / (x.shape[0] - k)",
        *_SETTINGS, without(_by_rows),
    ),
    computed(items_of_histogram, operator.getitem),
    rewrite("average_shares(x, None, w)", "w / np.sum(w)", *_WEIGHTED),
    rewrite(
        "unweight(d, x, None, w)", "d / np.sum(w)", *_WEIGHTED, same_shape("d", "x")
    ),
    rewrite(
        "x - np.average(x, None, w, keepdims=True)", "x - np.average(x, weights=w)",
        *_WEIGHTED,
    ),
)  # fmt: skip
