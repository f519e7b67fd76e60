"""A reverse sweep in place -> the same, with slices that make up an array put together.

What is put into new zeros slice by slice is one array if the slices lie one after
another and leave nothing out, as the parts that a function takes of a vector:

    dg = np.zeros_like(g)
    dg[2 * n :] = du          ->         dg = np.concatenate((di, df, du))
    dg[n : 2 * n] += df
    dg[:n] += di

What else is added to the zeros is added to that array. Each value has the shape of its
slice. Of two slices `x[:k]` and `x[k:]` any k parts the array; the ends of more must
not fall, and are counted from the front.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.inplace.kept_views import Reads
from yota_ast.adjoint.vectors.new_zeros import stores_into, with_zeros_changed
from yota_ast.analysis.points_to import written_by
from yota_ast.ir.abstract_values import Fact, same_dtype
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.axis_lengths import ZERO, Dim, End, is_natural, literal_dim, total
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Op,
    Store,
    only,
    walk,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.store_changes import ADD, PUT, SUBTRACT

MOST = 8
"""How many slices are put together."""
DOUBLE: Final = np.dtype(np.float64)
_FULL = (None, None)
Ends = tuple[End, End]


def with_slices_at_once(
    block: Block, infer: Infer, names: Names, assumed: Assumptions
) -> Block:
    """The block, and those within, with such stores joined. assumed: what the text asks
    of its arguments, which is more afterwards."""
    joining = _Joining(infer, names, assumed)
    return with_zeros_changed(block, _is_known, joining.joined)


@dataclass(frozen=True, slots=True)
class _Slice:
    """A slice along one axis that a store writes, and where the store stands."""

    place: int
    op: Store
    axis: int
    ends: Ends

    @property
    def starts_first(self) -> bool:
        """Whether it begins with the array."""
        return self.ends[0] in (None, 0, ZERO)


def _are_apart(one: _Slice, other: _Slice) -> bool:
    """Whether literals show that two slices share nothing."""
    ends = ((one.ends[1], other.ends[0]), (other.ends[1], one.ends[0]))
    return one.axis == other.axis and any(
        type(stop) is int and type(start) is int and 0 <= stop <= start
        for stop, start in ends
    )


@dataclass(frozen=True, slots=True)
class _Joining:
    infer: Infer
    names: Names
    assumed: Assumptions
    reads: Reads = field(default_factory=Reads)

    def joined(self, ops: list[Op], made: Apply) -> list[Op]:
        """The ops, the slices that make up new zeros put together."""
        at = next(k for k, op in enumerate(ops) if op is made)
        found = self.slices(ops, made)
        parts = _side_by_side(found)
        if parts is None:
            return ops
        last = max(s.place for s in parts)
        rest = [s for s in found if s.place < last and s not in parts]
        gone = {s.place for s in (*parts, *rest)}
        if any(k not in gone and _writes(ops[k]) for k in range(min(gone), last)):
            return ops
        if not _may_be_added(found, parts) or not self.fit(parts, made.out.fact, ops):
            return ops
        whole = self.at_once(parts, rest, found[[s.place for s in found].index(last)])
        kept = [(k, op) for k, op in enumerate(ops) if k not in {at, *gone}]
        before = [op for k, op in kept if k < last]
        return [*before, *whole, *(op for k, op in kept if k > last)]

    def at_once(
        self, parts: Sequence[_Slice], rest: Sequence[_Slice], last: _Slice
    ) -> Sequence[Op]:
        """The array that slices make up, and what else is added to it."""
        end = last.op.out
        builder = Builder(self.infer, self.names, last.op.origin)
        target = self.whole(parts, end, builder)
        for each in rest:
            change = ADD if each.op.change == PUT else each.op.change
            out = replace(end, name=self.names.fresh(end.name))
            builder.ops.append(replace(each.op, out=out, target=target, change=change))
            target = out
        return Substitution({target.name: end}).block(builder.block()).ops

    def fit(self, parts: Sequence[_Slice], known: Fact, ops: Sequence[Op]) -> bool:
        """Whether values are as large as their slices, and of the dtype of the array.
        The slice of numbers that are put side by side has as many places."""
        trial = Assumptions(natural=dict(self.assumed.natural))
        listed = {op.out.name for op in only(ops, Apply) if op.fn is build_tuple}
        for each in parts:
            given = fact_of_atom(each.op.value)
            if isinstance(each.op.value, Var) and each.op.value.name in listed:
                if not same_dtype(known.dtype, DOUBLE):
                    return False
                continue
            part = self.infer(operator.getitem, (Var("", known), each.op.index), ())
            alike = given.kind == "array" and same_dtype(given.dtype, known.dtype)
            if not (alike and trial.same_shapes(given.shape, part.shape)):
                return False
        self.assumed.update(trial)
        self.assumed.shapes = True
        return True

    def whole(self, parts: Sequence[_Slice], end: Var, builder: Builder) -> Var:
        """The values of slices one after another."""
        values: list[Atom] = []
        for each in parts:
            value = each.op.value
            if each.op.change == SUBTRACT:
                value = builder.apply(operator.neg, value)
            values.append(value)
        listed = builder.apply(build_tuple, *values, form="build")
        axis = parts[0].axis
        kwargs = (("axis", Const(axis)),) if axis else ()
        return builder.apply(
            np.concatenate, listed, kwargs=kwargs, hint=end.hint, fact=end.fact
        )

    def slices(self, ops: Sequence[Op], made: Apply) -> list[_Slice]:
        """The slices that are written of new zeros, until something else is."""
        found: list[_Slice] = []
        for place, op in stores_into(ops, made, self.reads):
            part = _slice_of(place, op, made.out.fact.rank or 0)
            if part is None or len(found) == MOST:
                break
            found.append(part)
        return found


def _is_known(op: Apply) -> bool:
    """Whether an op makes an array of known rank and dtype."""
    fact = op.out.fact
    return fact.kind == "array" and bool(fact.rank) and fact.dtype is not None


def _writes(op: Op) -> bool:
    return any(written_by(o) is not None for o in walk(Block((op,))))


def _slice_of(place: int, op: Store, rank: int) -> _Slice | None:
    """The slice that a store writes, along one axis; None of another index."""
    if op.change not in (PUT, ADD, SUBTRACT):
        return None
    parts = _parts_of(op.index)
    if parts is None or len(parts) > rank:
        return None
    taken = [k for k, ends in enumerate(parts) if ends != _FULL]
    if len(taken) != 1:
        return None
    return _Slice(place, op, taken[0], parts[taken[0]])


def _parts_of(index: Atom) -> list[Ends] | None:
    """The ends of the slices of an index; None of one that is not of slices alone."""
    if isinstance(index, Const):
        value: Any = index.value
        every = value if isinstance(value, tuple) else (value,)
        if not all(type(p) is slice and p.step in (None, 1) for p in every):
            return None
        return [(p.start, p.stop) for p in every]
    known = index.fact
    facts = known.items if known.kind == "tuple" else (known,)
    found: list[Ends] = []
    for fact in facts or (Fact("unknown"),):
        if fact.cls is not slice or fact.ends is None or fact.ends[2] not in (None, 1):
            return None
        found.append(fact.ends[:2])
    return found


def _side_by_side(found: Sequence[_Slice]) -> list[_Slice] | None:
    """The slices that make up an array, the first part of it first."""
    ways = [[s] for s in found if s.starts_first and s.ends[1] is not None]
    while ways:
        way = ways.pop()
        stop = way[-1].ends[1]
        if stop is None:
            if len(way) == 2 or _rise([s.ends[1] for s in way[:-1]]):
                return way
            continue
        axis = way[0].axis
        following = [s for s in found if s.axis == axis and s.ends[0] == stop]
        ways += [[*way, s] for s in following if s not in way]
    return None


def _rise(ends: Sequence[End]) -> bool:
    """Whether ends are not below 0, and none is less than the one before."""
    dims = [ZERO, *(literal_dim(e) if type(e) is int and e >= 0 else e for e in ends)]
    if not all(isinstance(d, Dim) for d in dims):
        return False
    steps = zip(dims[1:], dims[:-1], strict=True)
    return all(
        is_natural(total([(p, 1), (q, -1)]))
        for p, q in steps
        if isinstance(p, Dim) and isinstance(q, Dim)
    )


def _may_be_added(found: Sequence[_Slice], parts: Sequence[_Slice]) -> bool:
    """Whether what is put is added to zeros, so that it may be put in another order."""
    return all(
        s.op.change != PUT
        or all((p in parts and s in parts) or _are_apart(p, s) for p in found[:k])
        for k, s in enumerate(found)
    )
