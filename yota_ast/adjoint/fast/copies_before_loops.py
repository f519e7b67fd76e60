"""Both sweeps -> the same, copies that each iteration makes of an array made once.

    for _ in range(n):                   u = u.copy()
        t = u[2:] - u[:-2]               for _ in range(n):
        inner = u[1:-1] + k * t              t = u[2:] - u[:-2]
        u = u.copy()                         u[1:-1] += k * t
        u[1:-1] = inner

The iteration writes into the array that it is handed. Nothing else may hold that array
or a part of it: in the iteration, what was there is read before it is written, and all
that is computed of it, before and behind, is new memory. Nothing else writes into the
array with which the loop begins: the caller would not see it in a copy.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.fast.element_ops import dims_of
from yota_ast.adjoint.fast.written_roots import WrittenRoots
from yota_ast.analysis.points_to import PointsTo
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.block_queries import ends_of, is_loop
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    Op,
    Simple,
    Store,
    While,
    atoms_of,
    map_blocks,
    of_ops,
    walk,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.store_changes import PUT, Update
from yota_ast.ops import sharing


def with_copies_before(
    ahead: Block, back: Block, infer: Infer, names: Names
) -> tuple[Block, Block]:
    """Both sweeps, and the blocks within them."""
    mover = _Mover(infer, names, (ahead, back))
    return mover.block(ahead), mover.block(back)


@dataclass(frozen=True, slots=True)
class _Mover:
    """Moves copies out of the loops of both sweeps."""

    infer: Infer
    names: Names
    sweeps: tuple[Block, Block]

    def block(self, block: Block) -> Block:
        """A block, and the blocks within it."""
        ops: list[Op] = []
        for op in block:
            builder = Builder(self.infer, self.names, op.origin)
            inner = map_blocks(op, self.block)
            if is_loop(inner):
                inner = self._moved(inner, builder)
            ops += [*builder.ops, inner]
        return of_ops(block, tuple(ops))

    def _moved(self, loop: For | While, builder: Builder) -> For | While:
        """A loop; the copies that stand before it are added to what builds."""
        for carry in loop.carries:
            found = _Written.of(loop, carry)
            init = carry.init
            if found is None or not isinstance(init, Var):
                continue
            if self._is_written(init, found.store):
                continue
            copy = builder.apply(
                np.ndarray.copy, init, form="method", spelling="copy",
                hint=carry.inside.hint, fact=init.fact,
            )  # fmt: skip
            own = replace(carry, init=copy)
            carries = tuple(own if c == carry else c for c in loop.carries)
            loop = replace(loop, carries=carries, body=found.body())
        return loop

    def _is_written(self, array: Var, store: Store) -> bool:
        """Whether anything but a store may write into an array, also behind a loop that
        does not run: it would write into the copy instead."""
        every = (op for block in self.sweeps for op in walk(block))
        others = (op for op in every if isinstance(op, Simple) and op != store)
        return WrittenRoots(others, PointsTo(*self.sweeps)).may_hold(array)


@dataclass(frozen=True, slots=True)
class _Written:
    """The body of a loop that copies what a carry hands in, writes into the copy and
    hands it on."""

    ops: tuple[Op, ...]
    carry: Carry
    copy: Apply
    store: Store

    @classmethod
    def of(cls, loop: For | While, carry: Carry) -> _Written | None:
        """Such a body, if nothing else holds the array that is copied."""
        ops = loop.body.ops
        store = next((s for s in _stores(ops) if s.out == carry.next), None)
        copies = (op for op in ops if isinstance(op, Apply) and _copies(op, carry))
        copy = next((c for c in copies if store and c.out == store.target), None)
        if store is None or copy is None or store.change != PUT:
            return None
        found = cls(ops, carry, copy, store)
        return found if found.is_alone(loop) else None

    def is_alone(self, loop: For | While) -> bool:
        """Whether nothing of the array handed in or handed on is held elsewhere, and
        the former is read before the write alone."""
        at = self.ops.index(self.store)
        before, behind = self.ops[:at], self.ops[at + 1 :]
        cond = loop.cond.ops if isinstance(loop, While) else ()
        old = _parts({self.carry.inside, self.copy.out}, (*cond, *before), self.copy)
        new = _parts({self.store.out}, behind, None)
        if old is None or new is None:
            return False
        ends = ends_of(loop)
        ends.remove(self.carry.next)  # once: it may be saved, or handed on twice
        late = {a for op in walk(Block(behind)) for a in _read(op)}
        return not (old | new).intersection(ends) and not old & late

    def body(self) -> Block:
        """The body, without the copy."""
        renamed = Substitution({self.copy.out.name: self.carry.inside})
        ops = [*renamed.block(Block(tuple(op for op in self.ops if op != self.copy)))]
        store = renamed.op(self.store)
        assert isinstance(store, Store)
        at, plus = ops.index(store), self._sum(ops)
        if plus is not None:
            added, part = plus
            own = (atom for atom in added.args if atom != part.out)
            ops[at] = replace(store, value=next(own), change=Update(added.fn))
            ops = [op for op in ops if op not in (added, part)]
        return Block(tuple(ops))

    def _sum(self, ops: Sequence[Op]) -> tuple[Apply, Apply] | None:
        """What is written, if it is the sum of the same part and something of its
        shape; and that part."""
        made: dict[Atom, Apply] = {op.out: op for op in ops if isinstance(op, Apply)}
        added = made.get(self.store.value)
        if added is None or added.fn not in (operator.add, operator.sub):
            return None
        commutes = added.fn is operator.add
        for atom in added.args if commutes else added.args[:1]:
            part = made.get(atom)
            if part is None or not self._is_same_part(part):
                continue
            once = all(_times_read(ops, v) == 1 for v in (added.out, part.out))
            if once and added.form == "operator" and added.args[0] != added.args[1]:
                return added, part
        return None

    def _is_same_part(self, part: Apply) -> bool:
        """Whether an op reads what is written."""
        wanted = (self.carry.inside, self.store.index)
        value, value_fact = self.store.value, fact_of_atom(self.store.value)
        same = part.fn is operator.getitem and part.args == wanted
        same = same and part.out.fact.is_floating and value_fact.is_floating
        return same and dims_of(part.out) == dims_of(value) != ()


def _stores(ops: Sequence[Op]) -> Iterator[Store]:
    return (op for op in ops if isinstance(op, Store))


def _copies(op: Apply, carry: Carry) -> bool:
    """Whether an op copies the array that a carry hands in."""
    alone = op.args == (carry.inside,) and not op.kwargs
    return alone and op.fn is np.ndarray.copy and carry.inside.fact.kind == "array"


def _parts(found: set[Atom], ops: Sequence[Op], copy: Apply | None) -> set[Atom] | None:
    """Arrays and the parts of them that some ops read; None if they may hold one
    anywhere else. copy: what copies it."""
    for op in ops:
        for each in walk(Block((op,))):
            if each is copy or found.isdisjoint(_read(each)):
                continue
            if isinstance(each, Apply) and each is op and _is_part(each):
                found.add(each.out)
            elif not _makes_new(each) and not _writes_elsewhere(each, found):
                return None
    return found


def _makes_new(op: Op) -> bool:
    """Whether an op makes new memory, or a number, of what it reads."""
    if not isinstance(op, Apply) or op.effect or op.form == "augmented":
        return False
    return op.out.fact.is_number or sharing(op) == "fresh"


def _writes_elsewhere(op: Op, found: set[Atom]) -> bool:
    """Whether an op writes numbers into an array that is none of some."""
    into_array = isinstance(op, Store) and op.target.fact.kind == "array"
    return into_array and isinstance(op, Store) and op.target not in found


def _is_part(op: Apply) -> bool:
    """Whether an op takes a part by slices."""
    index = op.args[1] if op.fn is operator.getitem and len(op.args) == 2 else None
    if not isinstance(index, Const):
        return False
    items = index.value if isinstance(index.value, tuple) else (index.value,)
    return all(isinstance(item, slice) for item in items)


def _read(op: Op) -> list[Atom]:
    return [a for a in (*atoms_of(op), *ends_of(op)) if isinstance(a, Var)]


def _times_read(ops: Sequence[Op], var: Var) -> int:
    """How often some ops read a variable."""
    every = (a for op in walk(Block(tuple(ops))) for a in _read(op))
    return sum(a == var for a in every)
