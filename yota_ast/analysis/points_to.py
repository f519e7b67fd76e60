"""A forward sweep -> which memory each of its variables may be, or be a view of.

Other than `memory`, which puts all that may ever meet into one group, this follows the
way of the values: what a branch hands on may be either array, and neither of them may
be the other. Memory is called by the variable that it was made for.

>>> import numpy as np
>>> from yota_ast.ir.abstract_values import array_fact
>>> x, y, z = (Var(n, array_fact("f8", (None,))) for n in "xyz")
>>> ops = (Apply(y, abs, (x,)), Apply(z, np.transpose, (x,)))
>>> found = origins_of(Block(ops))
>>> sorted(found.of(y)), sorted(found.of(z))
(['y'], ['x'])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.block_queries import bound_by, merges_of
from yota_ast.ir.built_values import builds
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    If,
    Op,
    Raise,
    Read,
    Store,
    Try,
    While,
    With,
    atoms_of,
    blocks_of,
)
from yota_ast.ir.store_changes import AppendItem, Put
from yota_ast.ops import sharing


@dataclass(frozen=True, slots=True)
class Place:
    """When an op runs: its number, and the loops around, by theirs."""

    number: int
    loops: tuple[int, ...]


@dataclass(slots=True)
class Origins:
    """What memory variables may be, and where ops stand.

    apart: variables that share memory with these alone, whatever their ops say.
    """

    apart: Mapping[str, tuple[Atom, ...]] = field(default_factory=dict)
    memory: dict[str, frozenset[str]] = field(default_factory=dict)
    made: dict[str, Place] = field(default_factory=dict)
    writes: list[tuple[Place, Var, bool]] = field(default_factory=list)
    itself: dict[str, frozenset[str]] = field(default_factory=dict)
    """Of containers that are made here: what they are, without what they hold."""
    arrays: set[str] = field(default_factory=set)
    """The variables that are arrays or numbers, and no lists."""
    clock: int = 0

    def of(self, var: Var) -> frozenset[str]:
        """The memory that a variable may be: that of its own where nothing is known."""
        if is_array(var.fact):
            self.arrays.add(var.name)
        return self.memory.get(var.name, frozenset({var.name}))

    def written_after(self, var: Var) -> bool:
        """Whether the memory of a variable may be written when it has been made."""
        here, mine = self.made[var.name], self.of(var)
        return any(
            self._again(here, place, root)
            for place, target, slot in self.writes
            for root in self._written(target, slot=slot) & mine
        )

    def _written(self, target: Var, *, slot: bool) -> frozenset[str]:
        """The memory that a write changes: a slot of a list is no array."""
        return self._itself(target) - self.arrays if slot else self.of(target)

    def _itself(self, var: Var) -> frozenset[str]:
        """What a variable may be, without what it may hold where that is known."""
        return self.itself.get(var.name, self.of(var))

    def _again(self, here: Place, write: Place, root: str) -> bool:
        """Whether a write comes later: by its place, or in the next iteration of a
        loop around both that does not make the memory anew."""
        if write.number > here.number:
            return True
        home = self.made[root].loops if root in self.made else ()
        common = [p for p, q in zip(here.loops, write.loops, strict=False) if p == q]
        return any(loop not in home for loop in common)

    # ------------------------------------------------------------ the walk

    def visit(self, block: Block, loops: tuple[int, ...] = ()) -> None:
        """Follow the values of a block; loops until nothing changes."""
        for op in block:
            self.clock += 1
            place = Place(self.clock, loops)
            for var in bound_by(op):
                self.made.setdefault(var.name, place)
            self._op(op, place)

    def _op(self, op: Op, place: Place) -> None:
        match op:
            case Apply():
                self._apply(op, place)
            case Read():
                self._join(op.out, (op.root,))
            case Store():
                # An item put into a list leaves the arrays that the list holds.
                slot = op.target.fact.kind == "list" and isinstance(
                    op.change, (Put, AppendItem)
                )
                self.writes.append((place, op.target, slot))
                whole = op.target.fact.kind in ("array", "real")
                self._same(op.out, (op.target,), () if whole else (op.value,))
            case For() | While():
                self._loop(op, place)
            case If() | Try() | With() | Raise():
                for inner in blocks_of(op):
                    self.visit(inner, place.loops)
                for m in merges_of(op):
                    self._same(m.out, (m.then, m.orelse))
            case _:
                assert_never(op)

    def _apply(self, op: Apply, place: Place) -> None:
        if op.out.fact.is_immutable:
            return
        apart = self.apart.get(op.out.name)
        if apart is not None:
            if apart:
                self._join(op.out, apart)
            return
        how = sharing(op) if op.args else "fresh"
        if op.form == "augmented" and isinstance(op.args[0], Var):
            self.writes.append((place, op.args[0], False))
            self._join(op.out, op.args[:1])
        elif builds(op.fn):
            self._same(op.out, (op.out,), atoms_of(op))
        elif how == "maybe":
            self._join(op.out, (op.out, *atoms_of(op)))
        elif how != "fresh":
            self._join(op.out, op.args[:1])

    def _loop(self, op: For | While, place: Place) -> None:
        inner = (*place.loops, place.number)
        for var in (*(c.inside for c in op.carries), *_targets(op)):
            self.made[var.name] = Place(place.number, inner)
        if isinstance(op, For):
            for target in op.targets:
                self._join(target, (op.iterable,))
        before = -1
        while before != (now := self._size()):
            before, writes = now, len(self.writes)
            for c in op.carries:
                self._same(c.inside, (c.init, c.next))
            clock = self.clock
            for block in blocks_of(op):
                self.visit(block, inner)
            again = self._size() != before
            if again:
                self.clock = clock
                del self.writes[writes:]
        for c in op.carries:
            self._same(c.out, (c.init, c.next))

    def _size(self) -> int:
        """How much has been found; it only grows."""
        known = (*self.memory.values(), *self.itself.values())
        return sum(map(len, known))

    def _join(self, out: Var, sources: Iterable[object]) -> None:
        """Note that a variable may be, be a view of, or be in one of the sources."""
        self._enter(out, sources, self.of, ())

    def _same(
        self, out: Var, sources: Iterable[object], held: Iterable[object] = ()
    ) -> None:
        """Note that a variable is one of the sources, and holds what is held."""
        self._enter(out, sources, self._itself, held)

    def _enter(
        self,
        out: Var,
        sources: Iterable[object],
        roots: Callable[[Var], frozenset[str]],
        held: Iterable[object],
    ) -> None:
        if out.fact.is_immutable:
            return
        made = [s for s in sources if isinstance(s, Var)]
        inside = [h for h in held if isinstance(h, Var)]
        own = frozenset(root for s in made for root in roots(s))
        found = frozenset(root for v in (*made, *inside) for root in self.of(v))
        self.itself[out.name] = self.itself.get(out.name, frozenset()) | own
        self.memory[out.name] = self.memory.get(out.name, frozenset()) | found


def _targets(op: For | While) -> Iterator[Var]:
    if isinstance(op, For):
        yield from op.targets


def is_array(fact: Fact) -> bool:
    """Whether a value is an array or a number, and no list."""
    return fact.kind in ("array", "real") or fact.is_immutable


def origins_of(
    block: Block,
    apart: Mapping[str, tuple[Atom, ...]] = MappingProxyType({}),
    arrays: Iterable[str] = (),
) -> Origins:
    """Where the memory of the variables of a forward sweep comes from.

    arrays: what holds no list that the block may change, beside arrays and numbers.
    """
    origins = Origins(apart, arrays={*arrays})
    origins.visit(block)
    return origins
