"""The statements of a block -> what they change, and assign, by their numbers.

>>> from yota_ast.ir.abstract_values import FLOAT
>>> from yota_ast.ir.nodes import Apply
>>> from yota_ast.ir.atoms import Var
>>> ops = [Apply(Var(n, FLOAT, n), abs, (Var("x"),)) for n in ("a", "b", "a")]
>>> done = Done.by(ops, {}, {})
>>> done.assigned_within("a", 1, 3), done.changes_within(0, 3)
([a::float], [])
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Generic, TypeAlias, TypeVar, assert_never

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.analysis.points_to import is_augmented
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    Op,
    Simple,
    Store,
    blocks_of,
    defined_by,
)
from yota_ast.ir.tape import Guard
from yota_ast.syntax.names import is_weak

_T = TypeVar("_T")
Named: TypeAlias = dict[int, tuple[Var, ...]]
"""What statements with blocks assign, by their identity."""
Changes: TypeAlias = dict[int, tuple[Store | Apply, ...]]
"""What they change, likewise."""


def written(block: Block | Iterable[Op | Guard]) -> Iterable[Store | Apply]:
    """Yield what may change memory or the world: stores, sums in place, and ops with an
    effect.

    >>> from yota_ast.ir.abstract_values import Fact
    >>> from yota_ast.ir.atoms import Const
    >>> y, z = Var("y", Fact("list")), Var("z", Fact("list"))
    >>> [op.out for op in written(Block((Store(z, y, Const(0), Const(1.0)),)))]
    [z::list]
    """
    for op in block:
        match op:
            case Apply():
                if op.effect or is_augmented(op):
                    yield op
            case Store():
                yield op
            case Guard():
                yield from written(op.block)
            case Simple() | Compound():
                for inner in blocks_of(op):
                    yield from written(inner)
            case _:
                assert_never(op)


class Numbers(Generic[_T]):
    """Things with the numbers of statements, in order."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.things: list[_T] = []

    def add(self, number: int, thing: _T) -> None:
        """Add a thing of the last statement so far, or a later one."""
        self.numbers.append(number)
        self.things.append(thing)

    def within(self, start: int, stop: int) -> list[_T]:
        """Return what belongs to the numbers from `start` to below `stop`."""
        first = bisect_left(self.numbers, start)
        return self.things[first : bisect_left(self.numbers, stop, first)]


@dataclass(frozen=True, slots=True)
class Done:
    """What the statements of a block change, and assign under names of the user's.

    Each with its statement's number, in order; blocks inside are included.
    """

    changes: Numbers[Store | Apply]
    assigned: dict[str, Numbers[Var]]

    @classmethod
    def by(cls, ops: Sequence[Op | Guard], known: Named, changing: Changes) -> Done:
        """What these statements do. known, changing: see `named_by`, `changed_by`."""
        changes: Numbers[Store | Apply] = Numbers()
        assigned: dict[str, Numbers[Var]] = {}
        for k, op in enumerate(ops):
            if isinstance(op, Apply):  # most ops: numbers without names
                if op.effect or is_augmented(op):
                    changes.add(k, op)
                named = named_by(op, known)
            else:
                for each in changed_by(op, changing):
                    changes.add(k, each)
                named = () if isinstance(op, Guard) else named_by(op, known)
            for var in named:
                found = assigned.get(var.hint or "")
                if found is None:
                    found = assigned[var.hint or ""] = Numbers()
                found.add(k, var)
        return cls(changes, assigned)

    def changes_within(self, start: int, stop: int) -> list[Store | Apply]:
        """What is changed by the statements from one to another."""
        return self.changes.within(start, stop)

    def assigned_within(self, hint: str | None, start: int, stop: int) -> list[Var]:
        """What they assign under a name."""
        found = self.assigned.get(hint or "")
        return found.within(start, stop) if found is not None else []


def named_by(op: Op, known: Named) -> tuple[Var, ...]:
    """The variables that a statement assigns under names of the user's, in its blocks
    too. known: those of statements with blocks, which are asked for at every level."""
    if isinstance(op, Apply):
        return () if is_weak(op.out.hint) else (op.out,)
    found = known.get(id(op))
    if found is None:
        inner = [v for b in blocks_of(op) for each in b for v in named_by(each, known)]
        own = [v for v in defined_by(op) if v.hint is not None and not is_weak(v.hint)]
        found = (*own, *inner)
        if inner:
            known[id(op)] = found
    return found


def changed_by(op: Op | Guard, known: Changes) -> tuple[Store | Apply, ...]:
    """What a statement changes, in its blocks too. known: that of statements with
    blocks, which are asked for at every level."""
    blocks = (op.block,) if isinstance(op, Guard) else blocks_of(op)
    if not blocks:
        return tuple(written([op]))
    found = known.get(id(op))
    if found is None:
        found = tuple(each for b in blocks for o in b for each in changed_by(o, known))
        known[id(op)] = found
    return found
