"""A loop that saves what its reverse reads -> the same loop, to be run once more.

In: the loop of the forward sweep, of which each iteration saves.  Out: its part on
which what is saved rests, and the state that it starts from. What it prints or draws is
not done twice: the effect goes, or the loop is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.analysis.overwritten_memory import Memory
from yota_ast.analysis.points_to import written_by
from yota_ast.errors import UnsupportedSyntax
from yota_ast.ir.abstract_values import CONTAINERS
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.block_queries import bound_by, free_in
from yota_ast.ir.builder import Names
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    Op,
    Origin,
    map_blocks,
    only,
    walk,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.syntax import saved_names

_FREELY: Final = "Take the schedule away, and all iterations are saved."


@dataclass(frozen=True, slots=True)
class State:
    """What an iteration starts from: a variable that the loop carries. copied: whether
    it is overwritten, so that a copy is saved."""

    carry: Carry
    copied: bool

    @property
    def inside(self) -> Var:
        """What the iteration finds."""
        return self.carry.inside

    def saved(self, var: Var, names: Names, origin: Origin) -> tuple[Var, list[Op]]:
        """The variable to save, and the op that copies it, if one does."""
        if not self.copied:
            return var, []
        hint = saved_names.at_entry(self.inside.hint)
        made = Var(names.fresh(hint or "%"), var.fact, hint)
        return made, [copied(made, var, origin)]


def copied(made: Var, var: Var, origin: Origin) -> Apply:
    """The op that copies an array."""
    return Apply(made, np.ndarray.copy, (var,), (), "method", "copy", origin)


@dataclass(frozen=True, slots=True)
class Again:
    """The part of a loop that is run again, and the states that it rests on.

    outside: the arrays around that are overwritten before that, of which copies are
    taken in front of the loop.
    """

    loop: For
    states: tuple[State, ...]
    outside: tuple[Var, ...]


def refusal(reason: str, op: Op, remedy: str = _FREELY) -> UnsupportedSyntax:
    """The refusal of a loop that cannot be run again from a state that is kept."""
    return UnsupportedSyntax(reason, at=op.origin.place, remedy=remedy)


def steps_again(loop: For, ahead: Block) -> Again:
    """The part of a loop of the forward sweep on which what it saves rests."""
    assert loop.stack is not None
    effects = {op.out.name for op in only(walk(loop.body), Apply) if op.effect}
    quiet = replace(loop, body=_without_effects(loop.body))
    (slim,) = without_dead(Block((quiet,)), [loop.stack])
    assert isinstance(slim, For)
    for op in only(walk(slim.body), Apply):
        if op.out.name in effects:
            raise refusal(
                "a loop with a schedule would draw random numbers a second time, or "
                "read what has changed outside",
                op,
                "Draw before the loop, and read what is drawn by the index.",
            )
    memory = Memory(ahead)
    states = tuple(_state(slim, c, memory) for c in slim.carries)
    outside = tuple(_outside(slim, memory, {c.init for c in slim.carries}))
    _refuse_shared(slim, states, memory)
    return Again(slim, states, outside)


def _without_effects(block: Block) -> Block:
    return Block(tuple(map_blocks(_quiet(op), _without_effects) for op in block))


def _quiet(op: Op) -> Op:
    return replace(op, effect=False) if isinstance(op, Apply) and op.effect else op


def _state(loop: For, carry: Carry, memory: Memory) -> State:
    """What is saved of a variable that the loop carries."""
    var, name = carry.inside, carry.inside.hint or "a value"
    if isinstance(carry.init, Undefined):
        raise refusal(
            f"`{name}` has no value before a loop with a schedule",
            loop,
            f"Assign `{name}` before the loop.",
        )
    known = var.fact
    overwritten = memory.overwritten(var)
    if overwritten and known.kind != "array":
        what = f"a {known.kind}" if known.kind in CONTAINERS else "not surely an array"
        raise refusal(f"a loop with a schedule changes `{name}`, which is {what}", loop)
    return State(carry, overwritten)


def _outside(loop: For, memory: Memory, inits: set[Any]) -> Iterable[Var]:
    """The arrays around the loop that are overwritten before it is run again."""
    within = Block((loop,))
    for var in free_in(loop.body):
        if var not in free_in(within) or not memory.overwritten(var):
            continue
        mine, name = memory.points.memory(var), var.hint or "an array"
        for op in walk(loop.body):
            target = written_by(op)
            if target is not None and memory.points.memory(target) & mine:
                raise refusal(
                    f"a loop with a schedule writes into memory that `{name}` may "
                    "share",
                    op,
                    f"Copy it before the loop: {name} = {name}.copy().",
                )
        if var.fact.kind != "array":
            raise refusal(
                f"a loop with a schedule reads `{name}`, which changes after it",
                loop,
                "Make a new one after the loop, instead of changing it.",
            )
        yield var


def _refuse_shared(loop: For, states: Sequence[State], memory: Memory) -> None:
    """Refuse states that may be one piece of memory, which copies of them are not."""
    for k, state in enumerate(states):
        for other in states[:k]:
            written = state.copied or other.copied
            if written and memory.shares(state.inside, other.inside):
                pair = " and ".join(
                    f"`{s.inside.hint or 'a value'}`" for s in (other, state)
                )
                raise refusal(
                    f"{pair} may share memory, and a loop with a schedule writes into "
                    "one of them",
                    loop,
                    "Make new arrays in the loop, or carry one array of two rows.",
                )


# ---------------------------------------------------------------- new variables


class Renamed(Substitution):
    """New variables for those that some ops define; given: what stands for others."""

    def __init__(self, block: Block, given: Mapping[str, Atom], names: Names) -> None:
        defined = {v.name: v for op in walk(block) for v in bound_by(op)}
        fresh = {
            name: replace(v, name=names.fresh(v.hint or "%"))
            for name, v in defined.items()
            if name not in given
        }
        super().__init__({**fresh, **given})

    def op(self, op: Op) -> Op:
        """An op of the reverse sweep, which quotes no line."""
        made = super().op(op)
        return replace(made, origin=replace(op.origin, text="", reverse=True))
