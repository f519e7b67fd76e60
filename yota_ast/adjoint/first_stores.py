"""A reverse sweep in place -> the same, where what is added to cells of new zeros, to
each once, is put there.

    db = np.zeros_like(b)                db = np.zeros_like(b)
    for i in range(n):                   for i in range(n):
        db[i] += dx[i] / L[i, i]             db[i] = dx[i] / L[i, i]

Each iteration adds to cells of its own: an index is the number of the iteration, and no
two sums of one iteration meet. So it is in nested loops, if an index has the number of
each. What is taken off is negated, in a product the number: `dL[i, :i] = -t * x[:i]`
for `dL[i, :i] -= t * x[:i]`.

In: a sweep whose adjoints add up in place.  Out: the same.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.analysis.block_places import places_of
from yota_ast.analysis.unmodified_reads import Indices, kept_ranges
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.block_queries import ends_of, names_read
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    Compound,
    For,
    Op,
    Simple,
    Store,
    atoms_of,
    map_blocks,
    of_ops,
    only,
    walk,
    with_args,
)
from yota_ast.ir.store_changes import ADD, PUT, SUBTRACT
from yota_ast.ops import info

Found = list[tuple[Store, tuple[For, ...]]]
"""Stores, and the loops around them from that on which carries the zeros."""


def with_first_stores(back: Block, ahead: Block, infer: Infer, names: Names) -> Block:
    """The sweep, with assignments for such sums of adjoints; ahead: the forward sweep,
    which may have some too."""
    loops = [*only(walk(back), For)]
    makers = {op.out.name: op for op in only(walk(back), Apply)}
    zeros = [(loop, c) for loop in loops for c in loop.carries if _is_new(c, makers)]
    if not zeros:
        return back
    cells = _Cells(_readers(back), Indices(places_of(back), kept_ranges(ahead)))
    firsts = {id(s) for loop, c in zeros for s in cells.firsts(loop, c)}

    putting = _Putting(firsts, Counter(names_read(back)), infer, names)
    return putting.block(back) if firsts else back


@dataclass(frozen=True, slots=True)
class _Putting:
    """firsts: the sums that are put. reads: how often each variable is read."""

    firsts: set[int]
    reads: Mapping[str, int]
    infer: Infer
    names: Names

    def block(self, block: Block) -> Block:
        """The block, with assignments for such sums."""
        ops = list[Op]()
        for op in block:
            for store in only([op], Store):
                if id(store) in self.firsts:
                    op = replace(store, change=PUT)
                    if store.change == SUBTRACT:
                        op = replace(op, value=self.negated(store, ops))
            ops.append(map_blocks(op, self.block))
        return of_ops(block, tuple(ops))

    def negated(self, store: Store, ops: list[Op]) -> Atom:
        """What is taken off, negated: in a product with a number that is negated. ops:
        those before it, to which others are added."""
        builder, value = Builder(self.infer, self.names, store.origin), store.value
        made = next((o for o in only(ops, Apply) if o.out == value), None)
        if made is not None and self.reads[made.out.name] == 1:
            k = _number_in(made)
            if k is not None:
                factor = builder.apply(operator.neg, made.args[k])
                args = (*made.args[:k], factor, *made.args[k + 1 :])
                place = ops.index(made)
                ops[place : place + 1] = [*builder.ops, with_args(made, args, ())]
                return value
        negative = builder.apply(operator.neg, value)
        ops += builder.ops
        return negative


def _number_in(op: Apply) -> int | None:
    """Return which factor of a product is a variable number."""
    if info(op.fn).arithmetic != "product":
        return None
    numbers = (isinstance(a, Var) and a.fact.is_scalar for a in op.args)
    return next((k for k, is_number in enumerate(numbers) if is_number), None)


def _is_new(carry: Carry, makers: Mapping[str, Apply]) -> bool:
    """Whether a loop carries an array that is nothing but zeros when it begins."""
    made = makers.get(carry.init.name) if isinstance(carry.init, Var) else None
    dtype = carry.inside.fact.dtype
    is_float = dtype is not None and dtype.kind == "f"
    return made is not None and made.fn in (np.zeros, np.zeros_like) and is_float


def _readers(back: Block) -> dict[str, list[Op]]:
    found: dict[str, list[Op]] = {}
    for op in walk(back):
        for atom in (*atoms_of(op), *ends_of(op)):
            if isinstance(atom, Var):
                found.setdefault(atom.name, []).append(op)
    return found


@dataclass(frozen=True, slots=True)
class _Cells:
    readers: Mapping[str, Sequence[Op]]
    indices: Indices

    def firsts(self, loop: For, carry: Carry) -> Iterator[Store]:
        """Find the sums that are the first of their cells."""
        found = self.stores(carry, (loop,)) or []
        if found and self.are_own(found) and self.are_apart(found):
            sums = (s for s, _ in found if s.change in (ADD, SUBTRACT))
            yield from (s for s in sums if s.origin.reverse)

    def are_own(self, found: Found) -> bool:
        """Whether each iteration of each loop writes to cells of its own."""
        ways: dict[int, set[tuple[int, int]]] = {}
        for store, around in found:
            for loop in around:
                places = self.places(store, loop)
                ways[id(loop)] = ways.get(id(loop), places) & places
        return all(ways.values())

    def places(self, store: Store, loop: For) -> set[tuple[int, int]]:
        """Return the axes on which a store writes to what has the number of a loop, and
        how much more than that it is."""
        counter = self.indices.counter(loop)
        name = "" if counter is None else counter[0].name
        axes = self.indices.axes(store.index) if name else []
        return {
            (k, low)
            for k, spans in enumerate(axes)
            for low, high in [spans.get(name, (None, None))]
            if low is not None and low == high
        }

    def are_apart(self, found: Found) -> bool:
        """Whether no two stores meet in an iteration of the loops around both."""
        stores = [s for s, _ in found]
        return all(
            self.indices.apart(one.index, other.index)
            for one, other in combinations(stores, 2)
        )

    def stores(self, carry: Carry, around: tuple[For, ...]) -> Found | None:
        """Return all that is done to what a loop carries; None: not that alone."""
        found: Found = []
        now = carry.inside
        while now != carry.next:
            readers = self.readers.get(now.name, [])
            done = self.done(readers[0], now, around) if len(readers) == 1 else None
            if done is None:
                return None
            now, stores = done
            found += stores
        return found

    def done(
        self, op: Op, now: Var, around: tuple[For, ...]
    ) -> tuple[Var, Found] | None:
        """Return what an array is after an op that writes into it, and the stores."""
        match op:
            case Store():
                return (op.out, [(op, around)]) if op.target == now else None
            case For():
                inner = next((c for c in op.carries if c.init == now), None)
                if inner is None:
                    return None
                within = self.stores(inner, (*around, op))
                return None if within is None else (inner.out, within)
            case Simple() | Compound():
                return None
            case _:
                assert_never(op)
