"""A forward sweep -> where each of its variables stands: in which loops and arms.

In: a block.  Out: for each name the `Place` of its definition, and the op that makes
it.  `keep` asks here what a block of the reverse sweep can see.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.reverse.mirrored_blocks import Backwards, loop_key
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.block_queries import entering
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    If,
    Op,
    Simple,
    Try,
    While,
    With,
    blocks_of,
    defined_by,
)


@dataclass(frozen=True, slots=True)
class Place:
    """loops: the keys of the loops around, outermost first. arms: the branches around
    within the innermost loop, as (name of the branch, which arm), outermost first."""

    loops: tuple[str, ...] = ()
    arms: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class Places:
    """Where the variables of a forward sweep are defined, and by what."""

    of: dict[str, Place] = field(default_factory=dict)
    vars: dict[str, Var] = field(default_factory=dict)
    maker: dict[str, Op] = field(default_factory=dict)
    order: dict[str, int] = field(default_factory=dict)
    loops: dict[str, For | While] = field(default_factory=dict)
    loop_place: dict[str, Place] = field(default_factory=dict)
    handed: dict[str, Var] = field(default_factory=dict)
    """What a branch hands on, by the name that it has in the arm."""
    stops: set[str] = field(default_factory=set)
    """The flags that end loops."""
    branches: int = 0

    def visit(self, block: Block, place: Place) -> None:
        """Enter the definitions of a block and of the blocks within."""
        for op in block:
            match op:
                case With():
                    self.visit(op.body, place)
                    continue
                case If() | Try():
                    self._branch(op, place)
                case For() | While():
                    if op.carries:
                        self._loop(op, place)
                case Simple():
                    pass
                case _:
                    assert_never(op)
            for var in defined_by(op):
                self._define(var, place, op)

    def _branch(self, op: If | Try, place: Place) -> None:
        self.branches += 1
        within = tuple(
            Place(place.loops, (*place.arms, (self.branches, arm))) for arm in (0, 1)
        )
        for arm, inner in arms_of(op):
            self.visit(inner, within[arm])
        for m in op.merges:
            if m.out.name in self.stops:
                continue  # the text breaks where it is set: it has no name
            for inside, end in zip(within, (m.then, m.orelse), strict=True):
                if isinstance(end, Var) and self.of.get(end.name) == inside:
                    self.handed.setdefault(end.name, m.out)

    def _loop(self, op: For | While, place: Place) -> None:
        key = loop_key(op)
        self.loops[key] = op
        self.loop_place[key] = place
        if isinstance(op.stop, Var):
            self.stops.add(op.stop.name)
        inside = Place((*place.loops, key))
        for var in entering(op):
            self._define(var, inside, op)
        for inner in blocks_of(op):
            self.visit(inner, inside)

    def _define(self, var: Var, place: Place, op: Op) -> None:
        self.of[var.name] = place
        self.vars[var.name] = var
        self.maker[var.name] = op
        self.order[var.name] = len(self.order)

    def enter(self, var: Var) -> None:
        """A parameter that the function writes into: it is there from the start."""
        self.of[var.name] = Place()
        self.vars[var.name] = var
        self.order[var.name] = -1

    def apply_of(self, name: str) -> Apply | None:
        """The primitive op that makes a variable, if one does."""
        op = self.maker.get(name)
        return op if isinstance(op, Apply) else None


def arms_of(op: If | Try) -> tuple[tuple[int, Block], ...]:
    """The blocks of a branch and the side of the merges that each is on. A try is a
    branch on whether its body raised."""
    if isinstance(op, If):
        return ((0, op.then), (1, op.orelse))
    return ((0, op.body), (0, op.orelse), (1, op.handler))


def places_of(block: Block) -> Places:
    """The places of all variables of a forward sweep."""
    places = Places()
    places.visit(block, Place())
    return places


@dataclass(slots=True)
class LoopPlan:
    """What one loop keeps: `saved` a tuple an iteration, `again` computed anew in the
    reverse. `index`: the loop variable suffices, and the range runs backwards."""

    saved: list[Var] = field(default_factory=list)
    again: set[str] = field(default_factory=set)
    index: bool = False
    stack: Var | None = None
    trips: Var | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What both sweeps must do: a plan for each loop that is reversed, the variables
    that leave the arms of branches (by inner name), and those that are copied."""

    places: Places
    loops: dict[str, LoopPlan]
    exports: dict[str, Var]
    copies: dict[str, Var]
    again: frozenset[str] = frozenset()
    """Values outside loops that the reverse computes again, where it reads them."""
    made: frozenset[str] = frozenset()
    """The names of those exports that no branch of the user's hands on already."""
    instead: Mapping[str, Apply] = field(default_factory=dict)
    """How the reverse reads what still stands in memory."""
    deep: frozenset[str] = frozenset()
    """The containers among what is copied of which the arrays are overwritten."""


def backwards_of(op: For) -> Backwards:
    """Which loop a loop of the reverse sweep runs backwards over."""
    assert isinstance(op.iterable, Const)
    assert isinstance(op.iterable.value, Backwards)
    return op.iterable.value
