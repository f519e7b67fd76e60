"""Helpers of reverse sweeps: what undoes broadcasting, for each example."""

from __future__ import annotations

import numpy as np

from yota_ast.batching.axis_rules import batch_shape, every
from yota_ast.batching.batcher import Batcher
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.nodes import Apply
from yota_ast.runtime import expand, unbroadcast


def summed_back(b: Batcher, op: Apply) -> Atom:
    """`unbroadcast(d, x)`: the axes that x lacks are summed, then those of length 1."""
    d, x = op.args
    more = b.rank(d, op) - b.rank(x, op)
    if more < 0:
        b.refuse(op, "an adjoint of fewer axes than its variable")
    made = b.spread(d) if not b.is_mapped(d) else b.of(d)
    if more:
        made = b.apply(np.sum, made, kwargs=(("axis", Const(every(more))),))
    if not b.rank(x, op):
        return made
    return b.apply(unbroadcast, made, _in_shape(b, op, x))


def _in_shape(b: Batcher, op: Apply, x: Atom) -> Atom:
    """An array in the shape of x of all examples, of which nothing else is read."""
    if b.is_mapped(x):
        return b.of(x)
    shape = b.builder.attribute("shape", b.of(x))
    return b.apply(np.broadcast_to, b.of(x), batch_shape(b, op, [shape]))


def spread_back(b: Batcher, op: Apply) -> Atom:
    """`expand(d, x)`: in the shape of x."""
    d, x = op.args
    rank = b.rank(x, op)
    if b.rank(d, op) > rank:
        b.refuse(op, "an adjoint of more axes than its variable")
    return b.apply(expand, b.raised(d, rank), _in_shape(b, op, x))
