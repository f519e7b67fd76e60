"""A forward sweep -> which variables' memory is written after they are defined.

Variables share a group where one may be a view of, or the same memory as, another:
views and their bases, a store and its target, what a loop carries. A variable of a
group that is stored to later must be copied before the reverse sweep may read it;
not so where what is written was made after it, in the same iteration or a later one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import TypeGuard, assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.analysis.same_objects import Objects, objects_of
from yota_ast.ir.atoms import Var
from yota_ast.ir.block_queries import entering, is_loop
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    If,
    Op,
    Read,
    Simple,
    Store,
    Try,
    While,
    With,
    atoms_of,
    blocks_of,
    defined_by,
    path_length,
    walk,
)
from yota_ast.ir.store_changes import AppendItem, Put, RemoveLast
from yota_ast.ops import sharing


@dataclass(slots=True)
class Memory:
    """Groups of variables that may share memory, and the stores into each."""

    parent: dict[str, str] = field(default_factory=dict)
    stores: dict[str, list[int]] = field(default_factory=dict)
    slots: dict[str, list[int]] = field(default_factory=dict)
    """The stores that put something else into a list, which leave what it held as it
    is."""
    clock: int = 0
    defined: dict[str, int] = field(default_factory=dict)
    loops: dict[str, tuple[int, ...]] = field(default_factory=dict)
    depths: dict[str, int] = field(default_factory=dict)
    made: set[str] = field(default_factory=set)
    """The variables that are made with memory of their own."""
    objects: Objects = field(default_factory=Objects)

    def root(self, name: str) -> str:
        """The name that stands for the group."""
        parent = self.parent
        while (up := parent.get(name, name)) != name:
            parent[name] = name = parent.get(up, up)  # the way is shorter next time
        return name

    def join(self, a: object, b: object) -> None:
        """Two variables may share memory."""
        if isinstance(a, Var) and isinstance(b, Var) and _holds(a) and _holds(b):
            p, q = self.root(a.name), self.root(b.name)
            if p != q:
                self.parent[q] = p

    def visit(self, block: Block, loops: tuple[int, ...] = ()) -> None:
        """Enter the ops of a block, which stands in loops that begin at these times."""
        for op in block:
            self.clock += 1
            self._links(op)
            again = is_loop(op)
            inner = (*loops, self.clock) if again else loops
            for var in entering(op):
                self._define(var, inner)
            for inner_block in blocks_of(op):
                self.visit(inner_block, inner)
            self.clock += again
            for var in _outs(op):
                self._define(var, loops)

    def _define(self, var: Var, loops: tuple[int, ...]) -> None:
        self.defined[var.name] = self.clock
        self.loops[var.name] = loops

    def _links(self, op: Op) -> None:
        match op:
            case Apply():
                if op.args:
                    self._applied(op)
            case Store():
                self._stored(op)
            case If() | Try():
                for m in op.merges:
                    self.join(m.out, m.then)
                    self.join(m.out, m.orelse)
            case For():
                self._carried(op)
                for target in op.targets:  # what a list holds, a row of an array
                    self.join(target, op.iterable)
            case While():
                self._carried(op)
            case Read() | With():
                pass
            case Simple():
                for out in defined_by(op):
                    for atom in atoms_of(op):
                        self.join(out, atom)
            case _:
                assert_never(op)

    def _applied(self, op: Apply) -> None:
        how = sharing(op)
        if how == "fresh" and not _is_augmented(op) and op.out.fact.kind == "array":
            self.made.add(op.out.name)
        sources = atoms_of(op) if how == "maybe" else op.args[:1]
        for atom in () if how == "fresh" else sources:
            self.join(op.out, atom)
        self._augmented(op)

    def _stored(self, op: Store) -> None:
        self.join(op.target, op.out)
        if op.target.fact.kind not in ("array", "real"):
            self.join(op.out, op.value)  # a list holds the array itself
        held = op.target.fact.kind == "list" and isinstance(
            op.change, (Put, AppendItem, RemoveLast)
        )
        held = held and not path_length(op.target, op.index)
        stores = self.slots if held else self.stores
        stores.setdefault(op.target.name, []).append(self.clock)

    def _carried(self, op: For | While) -> None:
        for c in op.carries:
            for other in (c.init, c.inside, c.next):
                self.join(c.out, other)

    def _augmented(self, op: Apply) -> None:
        """`w -= x` of what may be a number writes where it is an array."""
        target = op.args[0]
        if _is_augmented(op) and isinstance(target, Var):
            self.join(op.out, target)
            self.stores.setdefault(target.name, []).append(self.clock)

    def overwritten(self, var: Var, *, held: bool = False) -> bool:
        """Whether a store may reach the variable's memory after its definition; held:
        not only that of a list, of which other items are what they were."""
        if not _mutable(var) and var.fact.kind not in ("tuple", "dict"):
            return False
        since, loops = self.defined.get(var.name, 0), self.loops.get(var.name, ())
        depth = self.depth(var.name)
        if len(loops) > depth:
            # the memory outlives an iteration: what is stored earlier comes again
            since = loops[depth]
        root = self.root(var.name)
        stores = [*self.stores.items()]
        if var.fact.kind not in ("array", "real") and not held:
            stores += self.slots.items()
        return any(
            t > self._since(var.name, self.objects.of(target), since)
            for target, times in stores
            if self.root(target) == root
            for t in times
        )

    def _since(self, name: str, written: str, otherwise: int) -> float:
        """The time after which a store into what was made as `written` may reach the
        memory of a variable: each iteration writes into what it has made itself."""
        if written not in self.made:
            return otherwise
        time, loops = self.defined.get(name, 0), self.loops.get(name, ())
        if self.defined[written] > time:
            return math.inf
        pairs = zip(loops, self.loops[written], strict=False)
        common = sum(1 for _ in itertools.takewhile(lambda p: p[0] == p[1], pairs))
        return loops[common] if len(loops) > common else time

    def depth(self, name: str) -> int:
        """How many of the loops around make the memory of a variable anew in each
        iteration: those around all that may share it."""
        root = self.root(name)
        if root not in self.depths:
            members = {*self.parent, *self.parent.values(), name}
            around = [
                self.loops.get(n, ()) for n in sorted(members) if self.root(n) == root
            ]
            depth = 0
            while all(len(a) > depth for a in around) and (
                len({a[depth] for a in around}) == 1
            ):
                depth += 1
            self.depths[root] = depth
        return self.depths[root]

    def shares(self, a: Var, b: Var) -> bool:
        """Whether two variables may share memory."""
        return self.root(a.name) == self.root(b.name)


def _is_augmented(op: Op) -> TypeGuard[Apply]:
    return isinstance(op, Apply) and op.form == "augmented" and _mutable(op.out)


def _mutable(var: Var) -> bool:
    return var.fact.may_be_array or var.fact.kind == "list"


def _holds(var: Var) -> bool:
    """Whether a variable is an array, or a container that may hold one."""
    return _mutable(var) or var.fact.kind in ("tuple", "dict", "object", "other")


def _outs(op: Op) -> tuple[Var, ...]:
    match op:
        case For() | While():
            return tuple(c.out for c in op.carries)
        case If() | Try():
            return tuple(m.out for m in op.merges)
        case Read() | With():
            return ()
        case Simple():
            return defined_by(op)
        case _:
            assert_never(op)


def memory_of(block: Block) -> Memory:
    """The groups and stores of a forward sweep."""
    memory = Memory(objects=objects_of(block))
    memory.visit(block)
    return memory


def writes_to(block: Block, owners: Iterable[Var]) -> list[Var]:
    """What comes of the stores that may reach the memory of some variables."""
    memory = memory_of(block)
    roots = {memory.root(v.name) for v in owners}
    return [
        op.out
        for op in walk(block)
        if (isinstance(op, Store) or _is_augmented(op))
        and memory.root(op.out.name) in roots
    ]
