"""A block -> which variables' memory is written after they are defined.

A variable whose memory is written later must be copied before the reverse sweep may
read it. Memory that a loop makes anew in each iteration, and that nothing outside the
loop holds, is not reached by the writes of other iterations.

>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.atoms import Const
>>> x, y, z = (Var(n, array_fact("f8", (None,))) for n in "xyz")
>>> made = Apply(y, abs, (x,))
>>> memory = Memory(Block((made, Store(z, x, Const(0), Const(1.0)))))
>>> memory.overwritten(x), memory.overwritten(y)
(True, False)
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator

from yota_ast.analysis.points_to import PointsTo, Roots, is_array, written_by
from yota_ast.analysis.same_objects import objects_of
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.block_queries import bound_by, entering, is_loop
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Op,
    Store,
    blocks_of,
    defined_by,
    path_length,
    walk,
)
from yota_ast.ir.store_changes import Put, changes_length
from yota_ast.ops import sharing
from yota_ast.support.value_classes import is_sparse

Loops = tuple[int, ...]


class Memory:
    """What is written into memory that the variables of a block may be, and when.

    arrays: what holds no list that the block may change, beside arrays and numbers.
    """

    def __init__(
        self, block: Block, points: PointsTo | None = None, arrays: Iterable[str] = ()
    ) -> None:
        self.points = PointsTo(block) if points is None else points
        self.arrays = frozenset(arrays)
        self.objects = objects_of(block)
        self.vars: dict[str, Var] = {}
        self.defined: dict[str, int] = {}
        self.loops: dict[str, Loops] = {}
        self.writes: list[tuple[int, Op, Atom]] = []
        self.made: set[str] = set()
        self.clock = 0
        self._visit(block, ())

    def _visit(self, block: Block, loops: Loops) -> None:
        for op in block:
            self.clock += 1
            self._note(op)
            again = is_loop(op)
            within = (*loops, self.clock) if again else loops
            inside = entering(op)
            for var in inside:
                self._define(var, within)
            for inner in blocks_of(op):
                self._visit(inner, within)
            self.clock += again
            for var in bound_by(op):
                if var not in inside:
                    self._define(var, loops)

    def _note(self, op: Op) -> None:
        """Note a write, and what is made with memory of its own."""
        target = written_by(op)
        if target is not None:
            self.writes.append((self.clock, op, target))
        elif isinstance(op, Apply) and op.out.fact.kind == "array":
            if op.args and sharing(op) == "fresh":
                self.made.add(op.out.name)

    def _define(self, var: Var, loops: Loops) -> None:
        self.vars[var.name] = var
        self.defined[var.name] = self.clock
        self.loops[var.name] = loops

    # ------------------------------------------------------------ what is asked

    def overwritten(self, var: Var, *, held: bool = False) -> bool:
        """Return whether a variable must be copied before something writes into it.

        Objects are not copied, but for sparse matrices, nor what a call has saved: a
        write into that is refused where the call is. held: not where only other items
        are put into a list.
        """
        known = var.fact
        copied = known.kind not in ("other", "object") or is_sparse(known.cls)
        return copied and self.reached(var, held=held)

    def reached(self, var: Var, *, held: bool = False) -> bool:
        """Return whether a write may reach a variable's memory after its definition."""
        if not self.writes:
            return False
        mine = self.points.memory(var)
        held = held or is_array(var.fact)
        return any(
            time > self._since(var, target, into)
            for time, op, target in self.writes
            if (into := self._written(op, target, held=held) & mine)
        )

    def shares(self, a: Var, b: Var) -> bool:
        """Return whether two variables may share memory."""
        return not self.points.memory(a).isdisjoint(self.points.memory(b))

    def sharing(self, name: str) -> Iterator[str]:
        """Yield the variables of the block that may share memory with one of it."""
        var = self.vars[name]
        return (n for n, other in self.vars.items() if self.shares(var, other))

    def depth(self, name: str) -> int:
        """Return how many of the loops around make the memory of a variable anew in
        each iteration."""
        return self._depth_of(self.points.memory(self.vars[name]), self.loops[name])

    # ------------------------------------------------------------ writes and times

    def _written(self, op: Op, target: Atom, *, held: bool) -> Roots:
        """Return the memory that a write changes: a slot of a list is no array."""
        if not isinstance(op, Store) or not _puts_into_list(op):
            return self.points.memory(target)
        if held:
            return frozenset()
        return self.points.of(target).itself - self.arrays - self.points.arrays

    def _since(self, var: Var, target: Atom, into: Roots) -> float:
        """Return the time after which a write may reach the memory of a variable."""
        written = self.objects.of(target.name) if isinstance(target, Var) else ""
        time, loops = self.defined.get(var.name, 0), self.loops.get(var.name, ())
        depth = self._depth_of(into, loops)
        if written in self.made:  # each iteration writes into what it has made itself
            if self.defined[written] > time:
                return math.inf
            depth = _common(loops, self.loops[written])
        return loops[depth] if len(loops) > depth else time

    def _depth_of(self, roots: Roots, loops: Loops) -> int:
        """Return how many of some loops make each of some memory anew."""
        around = (self._home.get(root, ()) for root in roots) if loops else ()
        return min((_common(loops, home) for home in around), default=len(loops))

    @functools.cached_property
    def _home(self) -> dict[str, Loops]:
        """The loops around all that may be, or hold, each memory."""
        found = {name: loops for name, loops in self.loops.items() if loops}
        for name, var in self.vars.items():
            for root in self.points.memory(var) & found.keys():
                found[root] = found[root][: _common(found[root], self.loops[name])]
        return found


def _common(one: Loops, other: Loops) -> int:
    """Return how many loops are around both of two places."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda p: p[0] == p[1], pairs))


def _puts_into_list(op: Store) -> bool:
    """Return whether a store changes which items a list has, and no item."""
    if op.target.fact.kind != "list" or path_length(op.target, op.index):
        return False
    return isinstance(op.change, Put) or changes_length(op.change)


def writes_to(block: Block, owners: Iterable[Var]) -> list[Var]:
    """Return what comes of the writes that may reach the memory of some variables."""
    writes = [(op, to) for op in walk(block) if (to := written_by(op)) is not None]
    if not writes:
        return []
    points = PointsTo(block)
    owned = frozenset[str]().union(*map(points.memory, owners))
    return [
        out
        for op, target in writes
        if not owned.isdisjoint(points.memory(target))
        for out in defined_by(op)
    ]
