"""A reverse sweep in place -> the same, where zeros are set after the last read of what
stood there, and what is added to the zeros is put there.

    d = dA[1:-1].copy()         d = 0.2 * dA[1:-1]
    dA[1:-1] = 0.0
    d = 0.2 * d
    dA[:-2] += d                dA[1:-1] = d
    dA[1:-1] += d               dA[:-2] += d

What is read is a view and needs no copy then. Sums into one array may change places;
what else touches the array, and may touch the same cells, stays where it is.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.forwarded_values import with_forwarded
from yota_ast.adjoint.inplace.dead_zeros import without_zeroing
from yota_ast.adjoint.inplace.first_sums import with_first_sums
from yota_ast.adjoint.inplace.fresh_results import is_fresh
from yota_ast.adjoint.inplace.zero_assignments import (
    makers_of,
    same_index,
    with_assignments,
    without_unchanged,
)
from yota_ast.adjoint.nonsmooth.marked_kinks import marking
from yota_ast.analysis.block_places import places_of
from yota_ast.analysis.unmodified_reads import Indices, kept_ranges
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import arms_with_ends, ends_of
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Op,
    Store,
    atoms_of,
    blocks_of,
    of_ops,
    only,
    walk,
    with_blocks,
)
from yota_ast.ir.store_changes import PUT, Update, is_repeated, is_sum
from yota_ast.ops import info
from yota_ast.support.passes import enabled


def with_plainer_stores(
    block: Block,
    ends: Iterable[Atom | Undefined],
    ahead: Block,
    infer: Infer,
    names: Names,
    *,
    alone: bool = False,
) -> Block:
    """The sweep, its zeros left out, put together with sums, or set late. alone: none
    of its arrays is also written by another name."""
    ends = tuple(ends)
    if enabled("zeroing"):
        block = without_zeroing(block, ends, ahead)
    block = with_assignments(block, infer, names, makers_of(block))
    if enabled("zeroing"):
        block = without_unchanged(block, ends)
        block = with_later_zeros(block, ends, ahead, infer, names)
    if enabled("zeroing") and alone and not marking():
        block = with_forwarded(block, ends, ahead, infer, names)
        block = without_zeroing(block, ends, ahead, values=True)
    return with_first_sums(block, ahead)


def with_later_zeros(
    block: Block,
    ends: Iterable[Atom | Undefined],
    ahead: Block,
    infer: Infer,
    names: Names,
) -> Block:
    """The sweep, its zeros set as late as the reads before them need. ends: what is
    read after it; ahead: the forward sweep."""
    if not any(map(_is_zeroing, walk(block))):
        return block
    indices = Indices(places_of(block), kept_ranges(ahead))
    mover = _Mover(indices, makers_of(block), infer, names)
    return mover.block(block, _names(ends))


def _is_zeroing(op: Op) -> bool:
    zeroing = isinstance(op, Store) and op.change == PUT and op.value == Const(0.0)
    return zeroing and isinstance(op, Store) and op.target.fact.kind == "array"


def _copies(op: Op, views: set[str]) -> bool:
    """Say whether an op takes a copy of one of some views."""
    copies = isinstance(op, Apply) and info(op.fn).copies
    return copies and bool(_names(atoms_of(op)) & views)


def _names(atoms: Iterable[Atom | Undefined]) -> set[str]:
    return {a.name for a in atoms if isinstance(a, Var)}


def written_in(ops: Sequence[Op]) -> set[str]:
    """The variables into whose memory some ops write, what is within them left out."""
    return {op.target.name for op in only(ops, Store)} | {
        op.args[0].name
        for op in only(ops, Apply)
        if op.form == "augmented" and isinstance(op.args[0], Var)
    }


def _read_by(op: Op) -> set[str]:
    """What an op and those within it read."""
    found = set[str]()
    for inner in walk(Block((op,))):
        found |= _names((*atoms_of(inner), *ends_of(inner)))
    return found


@dataclass(frozen=True, slots=True)
class _Mover:
    indices: Indices
    makers: Mapping[str, Apply]
    infer: Infer
    names: Names

    def block(self, block: Block, ends: set[str]) -> Block:
        """A block; ends: what is read where it ends."""
        ops = list[Op]()
        for op in block:
            if blocks_of(op):
                arms = [self.block(arm, _names(e)) for arm, e in arms_with_ends(op)]
                same = all(map(operator.is_, arms, blocks_of(op)))
                op = op if same else with_blocks(op, arms)
            ops.append(op)
        read = [_read_by(op) for op in ops]
        zeros = [op for op in ops if isinstance(op, Store) and _is_zeroing(op)]
        for zero in reversed(zeros):
            for change in (self.later, self.put):
                made = change(zero, ops, read, ends)
                if made is not None:
                    ops, zero = made
                    read = [_read_by(op) for op in ops]
                if zero not in ops:
                    break
        return of_ops(block, tuple(ops))

    # ------------------------------------------------------------ after the last read

    def later(
        self, zero: Store, ops: Sequence[Op], read: Sequence[set[str]], ends: set[str]
    ) -> tuple[list[Op], Store] | None:
        """The ops with the zeros set after the last read of what stands there."""
        at = ops.index(zero)
        views = {
            op.out.name
            for op in only(ops[:at], Apply)
            if op.fn is operator.getitem and op.args == (zero.target, zero.index)
        }
        if views & ends:
            return None
        for last in self.last_reads(views, ops, read):
            if _copies(ops[last], views):  # the view can be the copy as well
                continue
            made = self.moved(zero, ops, read, views, last) if last > at else None
            if made is not None:
                return made
        return None

    def last_reads(
        self, views: set[str], ops: Sequence[Op], read: Sequence[set[str]]
    ) -> list[int]:
        """Where views are read last: as the text nests expressions, or as they are
        computed."""
        nested = set(views)
        for k, op in enumerate(ops):
            if isinstance(op, Apply) and op.out.hint is None and read[k] & nested:
                nested.add(op.out.name)
        every = (
            max((k for k, names in enumerate(read) if names & found), default=-1)
            for found in (nested, views)
        )
        return list(dict.fromkeys(every))

    def moved(
        self,
        zero: Store,
        ops: Sequence[Op],
        read: Sequence[set[str]],
        views: set[str],
        last: int,
    ) -> tuple[list[Op], Store] | None:
        """The ops with the zeros set behind the one at a place."""
        at = ops.index(zero)
        passed = [zero.target, zero.out]
        between = list(ops[at + 1 : last + 1])
        for k, op in enumerate(between):
            if written_in([*walk(Block((op,)))]) & views:
                return None
            if read[at + 1 + k].isdisjoint(v.name for v in passed[1:]):
                continue
            if not isinstance(op, Store) or not self.goes_elsewhere(op, passed, zero):
                return None
            between[k] = replace(op, target=passed[-2], out=passed[-1])
            passed.append(op.out)
        moved = replace(zero, target=passed[-2], out=passed[-1])
        return [*ops[:at], *between, moved, *ops[last + 1 :]], moved

    def goes_elsewhere(self, op: Store, passed: Sequence[Var], zero: Store) -> bool:
        """Whether a store into the array certainly leaves the zeros alone."""
        others = {v.name for v in passed[1:]}
        if op.target != passed[-1] or is_repeated(op.change):
            return False
        if not others.isdisjoint(_names((op.value, op.index))):
            return False
        return self.indices.apart(op.index, zero.index)

    # ------------------------------------------------------------ sums with the zeros

    def put(
        self, zero: Store, ops: Sequence[Op], read: Sequence[set[str]], ends: set[str]
    ) -> tuple[list[Op], Store] | None:
        """The ops with one of the sums that follow the zeros put in their place."""
        chain = list[tuple[int, Store]]()
        now = zero.out
        while True:
            places = [k for k, names in enumerate(read) if now.name in names]
            op = ops[places[0]] if len(places) == 1 and now.name not in ends else None
            if not isinstance(op, Store) or op.target != now or not is_sum(op.change):
                return None
            if is_repeated(op.change) or now.name in _names((op.value, op.index)):
                return None
            chain.append((places[0], op))
            now = op.out
            if same_index(op.index, zero.index, self.makers):
                break
        return self.first(zero, ops, chain)

    def first(
        self, zero: Store, ops: Sequence[Op], chain: Sequence[tuple[int, Store]]
    ) -> tuple[list[Op], Store] | None:
        """The ops, with the last of some sums put in the place of zeros before the
        others."""
        (start, _), (end, total) = chain[0], chain[-1]
        made = self.makers.get(getattr(total.value, "name", ""))
        before = {v.name for op in only(ops[start:end], Apply) for v in (op.out,)}
        if made is None or not is_fresh(made) or made.out.name in before:
            return None
        if len(chain) < 2:
            return None
        written = written_in([*walk(Block(tuple(ops[start:end])))])
        if made.out.name in written:
            return None
        builder = Builder(self.infer, self.names, total.origin)
        value = total.value
        if isinstance(total.change, Update) and total.change.fn is operator.sub:
            value = builder.apply(operator.neg, value)
        done = replace(zero, value=value, origin=total.origin)
        _, before_last = chain[-2]
        found = list[Op]()
        for k, op in enumerate(ops):
            if k == start:
                found += [*builder.ops, done]
            if op is before_last:
                found.append(replace(before_last, out=total.out))
            elif op is not zero and op is not total:
                found.append(op)
        return found, zero
