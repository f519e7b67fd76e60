"""A reverse sweep in place -> the same, where what is added to cells of new zeros, to
each once, is put there.

    db = np.zeros_like(b)                db = np.zeros_like(b)
    for i in range(n):                   for i in range(n):
        db[i] += dx[i] / L[i, i]             db[i] = dx[i] / L[i, i]

Each iteration adds to cells of its own: an index is the number of the iteration, and no
two sums of one iteration meet. So it is in nested loops, if an index has the number of
each, and in loops behind one another that go over cells of their own. What is taken
off is negated, in a product the number: `dL[i, :i] = -t * x[:i]` for
`dL[i, :i] -= t * x[:i]`.

In: a sweep whose adjoints add up in place.  Out: the same.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.analysis.block_places import places_of
from yota_ast.analysis.unmodified_reads import (
    Access,
    Indices,
    is_apart,
    kept_ranges,
)
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.block_queries import ends_of, names_read
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.nodes import (
    Apply,
    Block,
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


def with_first_stores(back: Block, ahead: Block, infer: Infer, names: Names) -> Block:
    """The sweep, with assignments for such sums of adjoints; ahead: the forward sweep,
    which may have some too."""
    zeros = [op.out for op in only(walk(back), Apply) if _is_new(op)]
    if not zeros:
        return back
    cells = _Cells(_readers(back), Indices(places_of(back), kept_ranges(ahead)))
    firsts = {id(s) for var in zeros for s in cells.firsts(var)}
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


def _is_new(op: Apply) -> bool:
    """Whether an op makes an array of floats that are zeros."""
    dtype = op.out.fact.dtype
    is_float = dtype is not None and dtype.kind == "f"
    return op.fn in (np.zeros, np.zeros_like) and is_float


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

    def firsts(self, zeros: Var) -> Iterator[Store]:
        """Find the sums that are the first of their cells: no store goes to them
        before, nor does the sum itself in a turn before."""
        places = self.indices.places
        if zeros.name not in places.of:
            return
        depth = len(places.of[zeros.name].loops)
        _, found, looped = self.stores(zeros, None)
        each = [(store, self.access(store)) for store in found]
        for store, own in each if looped else ():
            if store.change not in (ADD, SUBTRACT) or not store.origin.reverse:
                continue
            if all(is_apart(one, own, depth, self.indices) for _, one in each):
                yield store

    def access(self, store: Store) -> Access:
        """Return when a store writes, and where."""
        places, name = self.indices.places, store.out.name
        axes = self.indices.axes(store.index, store.target.fact.shape)
        return Access(places.of[name].loops, places.order[name], tuple(axes))

    def stores(self, now: Var, last: Var | None) -> tuple[Var, list[Store], bool]:
        """Return what an array is when stores have gone into it, until something else
        is done with it, the stores, and whether loops are among them; last: what it is
        behind them all."""
        found, looped = list[Store](), False
        while now != last:
            readers = self.readers.get(now.name, [])
            done = self.done(readers[0], now) if len(readers) == 1 else None
            if done is None:
                break
            now, stores, loops = done
            found, looped = found + stores, looped or loops
        return now, found, looped

    def done(self, op: Op, now: Var) -> tuple[Var, list[Store], bool] | None:
        """Return what an array is after an op that writes into it, the stores, and
        whether it is a loop; None: it does something else, too."""
        match op:
            case Store():
                return (op.out, [op], False) if op.target == now else None
            case For():
                inner = next((c for c in op.carries if c.init == now), None)
                if inner is None or not isinstance(inner.next, Var):
                    return None
                end, found, _ = self.stores(inner.inside, inner.next)
                return (inner.out, found, True) if end == inner.next else None
            case Simple() | Compound():
                return None
            case _:
                assert_never(op)
