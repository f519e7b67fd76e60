"""A reverse sweep in place -> the same, where what was put into a cell goes on by name.

    dd[:, k] = dd[:, k] * s            t = dd[:, k] * s - e
    dd[:, k - 1] -= dd[:, k] * a  ->   dd[:, k - 1] -= t * a
    dd[:, k] -= e                      du[:, k] += t
    du[:, k] += dd[:, k]               dd[:, k] = t

What reads the cells reads the value. A sum that follows an assignment joins it, and
another assignment replaces it, if nothing else reads the cells in between. If nothing
reads them later, the assignment is left out in the end: see `dead_zeros.py`.

In: a sweep each variable of which has one value, before views are copied that are read
behind a write.  Out: the same.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.inplace.zero_assignments import (
    Following,
    makers_of,
    same_index,
)
from yota_ast.analysis.block_places import places_of
from yota_ast.analysis.points_to import PointsTo, Roots, written_by
from yota_ast.analysis.unmodified_reads import Indices, kept_ranges
from yota_ast.ir.abstract_values import same_dtype
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.block_queries import place_of
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.facts.lengths_that_fit import are_of_one_shape
from yota_ast.ir.nodes import Apply, Block, Op, Store, map_blocks, of_ops, only, walk
from yota_ast.ir.store_changes import PUT, Update, is_repeated, is_sum
from yota_ast.ops import info


def with_forwarded(
    block: Block,
    ends: Iterable[Atom | Undefined],
    ahead: Block,
    infer: Infer,
    names: Names,
) -> Block:
    """The sweep with values that go on by name; ends: what is read when it has run;
    ahead: the forward sweep, whose loops keep their numbers."""
    if not any(s.change == PUT for s in only(walk(block), Store)):
        return block
    read = {a.name for a in ends if isinstance(a, Var)}
    indices = Indices(places_of(block), kept_ranges(ahead))
    makers, points = makers_of(block), PointsTo(block)
    targets = [a for a in map(written_by, walk(block)) if isinstance(a, Var)]
    read |= _written_through(targets, makers)
    written = Roots().union(*map(points.memory, targets))
    forwarding = _Forwarding(makers, indices, infer, names, read, points, written)
    found = forwarding.block(block)
    if not forwarding.instead:
        return block
    return Following(forwarding.instead).block(found)


def _written_through(targets: Iterable[Var], makers: Mapping[str, Apply]) -> set[str]:
    """The names of parts of arrays that are written."""
    found = set[str]()
    for target in targets:
        op = makers.get(target.name)
        while op is not None and op.out.name not in found:
            found.add(op.out.name)
            first = op.args[0] if op.args else None
            op = makers.get(first.name) if isinstance(first, Var) else None
    return found


@dataclass(frozen=True, slots=True)
class _Cell:
    """What cells hold, and the assignment that put it there.

    whole: whether the value has the shape of the cells, and is not repeated there.
    read: whether something else than what is replaced may have read them since.
    """

    index: Atom
    value: Var
    store: Store
    whole: bool
    read: bool = False


@dataclass(slots=True)
class _Forwarding:
    """ends: what is read behind the sweep, or written: such a part of an array stays
    one. written: the memory that is written. instead: by names, what stands there."""

    makers: Mapping[str, Apply]
    indices: Indices
    infer: Infer
    names: Names
    ends: set[str]
    points: PointsTo
    written: Roots
    instead: dict[str, Var] = field(default_factory=dict)
    cells: dict[str, list[_Cell]] = field(default_factory=dict)
    """For a version of an array, what is known of its cells."""

    def block(self, block: Block) -> Block:
        """A block and those within."""
        ops = list[Op]()
        for op in block:
            made = map_blocks(op, self.block)
            stores, reads = [*only([op], Store)], [*only([op], Apply)]
            if stores:
                self.store(stores[0], ops)
            elif not (reads and self.is_known(reads[0])):
                ops.append(made)
        return of_ops(block, tuple(ops))

    def is_known(self, op: Apply) -> bool:
        """Whether an op reads what was put there, which then stands in its place. What
        else it reads is noted."""
        shape = info(op.fn).shape_only
        for k, atom in enumerate(op.args):
            if isinstance(atom, Var) and k not in shape and atom.name in self.cells:
                if op.fn is operator.getitem and not k:
                    return self.is_read(op, atom)
                self.note(atom, None)
        return False

    def is_read(self, op: Apply, array: Var) -> bool:
        """Whether the cells that an op reads are known."""
        for cell in self.cells[array.name]:
            if same_index(cell.index, op.args[1], self.makers):
                alike = _is_alike(cell.value, op.out, whole=cell.whole)
                if op.out.name not in self.ends and alike:
                    self.instead[op.out.name] = cell.value
                    return True
        self.note(array, op.args[1])
        return False

    def note(self, array: Var, index: Atom | None) -> None:
        """Note that cells of an array are read; None: all of them."""
        self.cells[array.name] = [
            cell
            if index is not None and self.indices.apart(cell.index, index)
            else replace(cell, read=True)
            for cell in self.cells[array.name]
        ]

    # ------------------------------------------------------------ what is written

    def store(self, op: Store, ops: list[Op]) -> None:
        """Add a store, and note what is known behind it."""
        for atom in (op.value, op.index):
            if isinstance(atom, Var) and atom.name in self.cells:
                self.note(atom, None)
        known = self.cells.get(op.target.name, [])
        same = [c for c in known if same_index(c.index, op.index, self.makers)]
        kept = [c for c in known if self.indices.apart(c.index, op.index)]
        sums = is_sum(op.change) and not is_repeated(op.change)
        whole = self.is_whole(op)
        # not where the assignment stands before a branch
        if same and not same[0].read and place_of(same[0].store, ops) is not None:
            if sums:
                op, whole = self.joined(op, same[0], ops), whole or same[0].whole
            elif op.change == PUT:
                self.leave_out(same[0].store, ops)
        ops.append(op)
        if op.change == PUT and _fits(op) and self.stays(op.value):
            assert isinstance(op.value, Var)
            kept.append(_Cell(op.index, op.value, op, whole))
        self.cells[op.out.name] = kept

    def stays(self, value: Atom) -> bool:
        """Whether what is put into cells is what it is for good: no other name writes
        into it."""
        return self.points.memory(value).isdisjoint(self.written)

    def is_whole(self, op: Store) -> bool:
        """Whether a value has the shape of the cells that it is put into."""
        cells = self.infer(operator.getitem, (op.target, op.index), ())
        return isinstance(op.value, Var) and are_of_one_shape(cells, op.value.fact)

    def joined(self, op: Store, cell: _Cell, ops: list[Op]) -> Store:
        """The assignment of a sum, in the place of one and of what is added."""
        assert isinstance(op.change, Update)
        builder = Builder(self.infer, self.names, op.origin)
        total = builder.apply(op.change.fn, cell.value, op.value)
        self.leave_out(cell.store, ops)
        ops += builder.ops
        return replace(op, value=total, change=PUT)

    def leave_out(self, store: Store, ops: list[Op]) -> None:
        """Leave out an assignment that nothing has read."""
        k = place_of(store, ops)
        if k is not None:
            del ops[k]
        self.instead[store.out.name] = store.target


def _fits(store: Store) -> bool:
    """Say whether cells hold the value itself that is put there, and no rounded or
    repeated one."""
    value, known = store.value, store.target.fact
    if store.out.fact.is_scalar or known.kind != "array":
        return False
    return isinstance(value, Var) and same_dtype(value.fact.dtype, known.dtype)


def _is_alike(value: Var, read: Var, *, whole: bool) -> bool:
    """Say whether a value is a number or an array as what is read of cells; whole: it
    has their shape."""
    known, other = value.fact, read.fact
    if not same_dtype(known.dtype, other.dtype) or known.kind != other.kind:
        return False
    return known.kind == "scalar" or (known.kind == "array" and whole)
