"""Helpers of sweeps, for each example: what undoes broadcasting, and what hands on."""

from __future__ import annotations

import numpy as np

from yota_ast.batching.axis_rules import batch_shape, every
from yota_ast.batching.batcher import Batcher, name_of
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
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


def handed_on(b: Batcher, op: Apply) -> Atom:
    """`real_like(d, x)`: d, or a part of it; `along_rooted(d, y, dd=dd)`: dd."""
    given = dict(op.kwargs)
    dd = given.get("dd", Const(None))
    found = op.args[0] if dd == Const(None) else dd
    atoms = [a for a in (*op.args, *given.values()) if fact_of_atom(a).is_numeric]
    rank = b.rank(found, op)
    if not b.is_mapped(found) or any(b.rank(a, op) > rank for a in atoms):
        b.refuse(op, f"`{name_of(op)}` is given a tangent of another shape")

    def raised(atom: Atom) -> Atom:
        return b.raised(atom, rank) if fact_of_atom(atom).is_numeric else b.of(atom)

    args = tuple(map(raised, op.args))
    kwargs = tuple((k, raised(a)) for k, a in op.kwargs)
    made = b.same(op, args=args, kwargs=kwargs)
    return b.builder.refine(made, b.fact(found))


def adjoint_mark(b: Batcher, op: Apply) -> Atom:
    """`rooted(d, y)`: d, marked by others of as many axes."""
    d, *others = op.args
    if any(b.rank(a, op) != b.rank(d, op) for a in others):
        b.refuse(op, "an adjoint is marked by an array of other axes")
    return b.apply(op.fn, b.spread(d), *map(b.of, others))
