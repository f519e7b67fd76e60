"""Sums of products of arrays that lie along different axes -> products of matrices.

    np.sum(x[:, :, np.newaxis] * w[np.newaxis], axis=1)

is that of x and w, and so are the adjoints of both.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from yota_ast.adjoint.rewrites.algebra_rewrites import MUL
from yota_ast.adjoint.rewrites.broadcast_rewrites import spread_of
from yota_ast.adjoint.rewrites.rewrite_engine import Rewriter, fact
from yota_ast.adjoint.rewrites.rewrite_patterns import Table, computed
from yota_ast.adjoint.vectors.index_parts import NEW, WHOLE, index_of, parts_of_index
from yota_ast.ir.abstract_values import array_fact
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.nodes import Apply
from yota_ast.runtime import expand, unbroadcast


class _Labelled(NamedTuple):
    """An array, and the numbers of its axes."""

    array: Atom
    axes: list[int]


class _Factors(NamedTuple):
    """Two factors without their axes of length 1, and the axes of what they make; lone:
    those of the latter along which neither factor lies, and which it has all the
    same."""

    first: _Labelled
    second: _Labelled
    kept: list[int]
    lone: list[int]


def contracted(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of u in `np.sum(u * v, axes)`, where u and v lie along different
    axes, as `x[..., np.newaxis] * w`: a product of matrices."""
    u, product = op.args[1], r.inner(op.args[0], MUL)
    for e, v in (product.args, product.args[::-1]) if product else ():
        found = _factors(r, e, u, v)
        fits = found is not None and _fits(r, op.args[0], u, found.kept + found.lone)
        if found is None or (found.lone and not fits):
            continue
        total = _product(r, found)
        if total is None:
            continue
        total = _shaped(r, total, op.args[0], found.kept)
        whole = _with_units(r, total, found.kept, u)
        if found.lone:
            return r.apply(expand, whole, u)
        return whole if fits else r.apply(unbroadcast, whole, u)
    return None


def _product(r: Rewriter, found: _Factors) -> Atom | None:
    """The sum over all axes but those kept."""
    pairs, kept = [found.first, found.second], found.kept
    both = sorted({*pairs[0].axes} & {*pairs[1].axes})
    order = [[k for k in p.axes if k in kept] for p in pairs]
    if order[1] + order[0] == kept:
        pairs, order = pairs[::-1], order[::-1]
    if order[0] + order[1] != kept:
        return None
    alone = [[k for k in p.axes if k not in kept and k not in both] for p in pairs]
    pairs = [_summed(r, *each) for each in zip(pairs, alone, strict=True)]
    if len(both) == 1 and sorted(len(p.axes) for p in pairs) in ([1, 2], [2, 2]):
        return _matrices(r, pairs[0], pairs[1], both[0])
    sums = (*((*(p.axes.index(k) for k in both),) for p in pairs),)
    return r.apply(np.tensordot, pairs[0].array, pairs[1].array, Const(sums))


def _matrices(r: Rewriter, a: _Labelled, b: _Labelled, over: int) -> Atom:
    """The product of matrices, or of one and a vector, over an axis of both."""
    turned = len(a.axes) > 1 and a.axes[0] == over
    left = r.attribute("T", a.array) if turned else a.array
    turned = len(b.axes) > 1 and b.axes[1] == over
    right = r.attribute("T", b.array) if turned else b.array
    return r.apply(operator.matmul, left, right)


def _summed(r: Rewriter, factor: _Labelled, over: list[int]) -> _Labelled:
    """A factor summed over some axes, along which the other does not lie."""
    if not over:
        return factor
    at = tuple(factor.axes.index(k) for k in over)
    axis = Const(at[0] if len(at) == 1 else at)
    total = r.method("sum", factor.array, kwargs=(("axis", axis),))
    return _Labelled(total, [k for k in factor.axes if k not in over])


def _shaped(r: Rewriter, array: Atom, like: Atom, axes: list[int]) -> Atom:
    """What was just made of some axes of another array has their lengths."""
    shape = fact(like).shape
    if not isinstance(shape, tuple):
        return array
    known = array_fact(fact(array).dtype, tuple(shape[k] for k in axes))
    return r.known_as(array, known)


def _fits(r: Rewriter, product: Atom, u: Atom, kept: list[int]) -> bool:
    """Whether axes of a product are as long as those of u."""
    known, wanted = fact(product).shape, fact(u).shape
    if not isinstance(known, tuple) or not isinstance(wanted, tuple):
        return False
    lead = len(known) - len(wanted)
    own = tuple(known[k + lead] for k in kept)
    return r.assumed.same_shapes(own, tuple(wanted[k] for k in kept))


def _factors(r: Rewriter, e: Atom, u: Atom, v: Atom) -> _Factors | None:
    """What is spread in e, and v, each without its axes of length 1."""
    spread, wanted, known = spread_of(r, e), fact(u).shape, fact(v).shape
    narrow = r.maker(e if spread is None else spread[0], operator.getitem)
    if narrow is None or not isinstance(wanted, tuple) or not isinstance(known, tuple):
        return None
    index = parts_of_index(r, narrow.args[1], fact(narrow.args[0]).rank)
    if index is None or not {*index} <= {NEW, WHOLE}:
        return None
    if not len(known) == len(wanted) == len(index):
        return None
    own = [k for k, part in enumerate(index) if part == WHOLE]
    units, along = _units(known), _units(wanted)
    met = [k for k in _own_units(r, v, units) if along[k] and k not in own]
    others = [k for k, unit in enumerate(units) if not unit or k in met]
    whole = [k for k, unit in enumerate(along) if not unit or k in met]
    lone = [k for k in whole if k not in own and k not in others]
    kept = [k for k in whole if k not in lone]
    both = {*own} & {*others}
    if not both or both & {*kept}:
        return None
    w = _Labelled(_without_units(r, v, others), others)
    return _Factors(_Labelled(narrow.args[0], own), w, kept, lone)


def _units(shape: Sequence[Dim | None]) -> list[bool]:
    """Whether the axes of a shape have length 1."""
    return [n is not None and n.is_unit for n in shape]


def _own_units(r: Rewriter, v: Atom, units: list[bool]) -> list[int]:
    """The axes of length 1 that an array has of its own: no index has added them."""
    made = r.maker(v, operator.getitem)
    own = [k for k, unit in enumerate(units) if unit]
    if made is None:
        return own
    parts = parts_of_index(r, made.args[1], fact(made.args[0]).rank)
    if parts is None or len(parts) != len(units):
        return []
    return [k for k in own if parts[k] != NEW]


def _without_units(r: Rewriter, v: Atom, others: list[int]) -> Atom:
    """An array without its axes of length 1."""
    made, rank, axes = r.maker_of(v), fact(v).rank or 0, others
    if made is not None and made.fn is operator.getitem and len(others) < rank:
        array, index = made.args
        parts = parts_of_index(r, index, fact(array).rank)
        if parts is not None and len(parts) == rank:
            left = [k for k, part in enumerate(parts) if part != NEW]
            firsts = [k for k in left if k not in others and parts[k] == WHOLE]
            own = [Const(0) if k in firsts else parts[k] for k in left]
            v = array if {*own} <= {WHOLE} else _at(r, array, own)
            left = [k for k in left if k not in firsts]
            rank, axes = len(left), [left.index(k) for k in others]
    if len(axes) == rank:
        return v
    return _at(r, v, [WHOLE if k in axes else Const(0) for k in range(rank)])


def _at(r: Rewriter, array: Atom, parts: list[Atom]) -> Atom:
    """Some parts of an array."""
    return r.apply(operator.getitem, array, index_of(r, parts))


def _with_units(r: Rewriter, total: Atom, kept: list[int], u: Atom) -> Atom:
    """A sum with axes of length 1 where u has them."""
    axes = range(fact(u).rank or 0)
    if len(kept) == len(axes):
        return total
    if kept == list(axes)[1:]:
        return r.apply(operator.getitem, total, NEW)
    return r.apply(
        operator.getitem,
        total,
        index_of(r, [WHOLE if k in kept else NEW for k in axes]),
    )


TABLE: Table = (computed(contracted, unbroadcast),)
