"""A call without a batched form -> the calls for each direction, one after the other.

    np.convolve(dx, w)   ->   np.stack([np.convolve(d, w) for d in dx])

All else is still computed for all directions at once. It is for directions alone: a
batch of examples refuses the call, for there the loop would be what takes the time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from yota_ast.batching.batcher import Batcher, dtype_of
from yota_ast.ir.abstract_values import Fact, array_fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.built_values import build_list
from yota_ast.ir.facts.joined_facts import list_of
from yota_ast.ir.nodes import Apply, Block, Carry, For, Store
from yota_ast.ir.store_changes import AppendItem
from yota_ast.ops import sharing


def one_by_one(b: Batcher, op: Apply) -> Atom | None:
    """The results of a call for each direction, in one array; None where a direction is
    no array, or the result may be another's memory, which is written."""
    given = [a for a in (*op.args, *(a for _, a in op.kwargs)) if isinstance(a, Var)]
    mapped = list({a.name: a for a in given if b.is_mapped(a)}.values())
    if not mapped or not _is_plain(b, op, mapped):
        return None
    rows = {a.name: b.builder.var(a.fact, "d") for a in mapped}
    found = _listed(b, op, mapped, rows)
    known = op.out.fact
    shape = (b.size, *known.shape) if isinstance(known.shape, tuple) else None
    return b.apply(np.stack, found, fact=array_fact(dtype_of(known), shape))


def _is_plain(b: Batcher, op: Apply, mapped: Sequence[Var]) -> bool:
    arrays = all(
        b.layouts.of(a) is True and fact_of_atom(b.of(a)).kind == "array"
        for a in mapped
    )
    apart = sharing(op) == "fresh" or not b.writes
    return arrays and apart and b.layouts.of(op.out) is True and op.out.fact.is_numeric


def _listed(b: Batcher, op: Apply, mapped: Sequence[Var], rows: dict[str, Var]) -> Var:
    """The list of the results."""

    def row(atom: Atom) -> Atom:
        own = rows.get(atom.name) if isinstance(atom, Var) else None
        return b.of(atom) if own is None else own

    arrays = [b.of(a) for a in mapped]
    iterable = arrays[0] if len(arrays) == 1 else b.apply(zip, *arrays)
    listed = list_of(op.out.fact)
    empty = Fact("list", items=(), cls=list)
    start = b.builder.apply(build_list, form="build", fact=empty)
    inner = b.builder.nested()
    kwargs = tuple((name, row(a)) for name, a in op.kwargs)
    form = "operator" if op.form == "augmented" else op.form
    one = inner.apply(
        op.fn, *map(row, op.args), kwargs=kwargs, form=form, spelling=op.spelling,
        fact=op.out.fact,
    )  # fmt: skip
    inside, after = b.builder.var(listed), b.builder.var(listed)
    body = inner.block()
    put = Store(after, inside, Const(None), one, AppendItem(), op.origin)
    out = b.builder.var(listed)
    loop = For(
        tuple(rows.values()), iterable, Block((*body.ops, put)),
        (Carry(out, start, inside, after),), origin=op.origin,
    )  # fmt: skip
    b.builder.ops.append(loop)
    return out
