"""What lowering notes of a loop: its places, what it carries, a pass over its body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.analysis.steady_shapes import Names
from yota_ast.frontend.heap.lowered_values import Heap, Value
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.nodes import Op

Path = tuple[object, ...]
Place = tuple[int, Any, Path]
"""A cell, the key of an item, and the way down its tuples and containers."""


@dataclass(frozen=True, slots=True)
class Carried:
    """A leaf that iterations hand on: its fact so far, and its value on entry.

    Of its memory: phi, the root that stands for it within an iteration, so long as it
    is private: no other carried variable may be the same memory at the same time; else
    shared, a root of several. outer: the roots from before the loop that it may be.
    whole as in `Memory`. stale: an iteration may leave in it what is overwritten
    afterwards. same: it is the same object all the time. unset: an iteration may leave
    the name without a value. alike: of each axis, a name for those that are as long as
    it whenever an iteration begins.
    """

    fact: Fact
    init: Atom | Undefined
    hint: str | None
    phi: str = ""
    private: bool = True
    shared: str = ""
    outer: tuple[str, ...] = ()
    whole: bool = True
    stale: bool = False
    same: bool = False
    unset: bool = False
    alike: Names = ()
    also: tuple[Place, ...] = ()
    template: Value | None = field(default=None, compare=False)
    """Where nothing was before the loop: a value of the structure that it leaves."""


@dataclass(slots=True)
class Pass:
    """One lowering of a loop's body."""

    ops: list[Op]
    insides: dict[Place, Var]
    entry: Heap
    exit: Heap
    entered: Mapping[str, str]  # the state of memory on entry, and at the end
    current: Mapping[str, str]
    successors: Mapping[str, Var]  # written arrays as they are at the end
    header: Any  # what entering gave: the targets, or the test and its block


@dataclass(frozen=True, slots=True)
class Item:
    """A step of a path into a container that the loop exchanges for another."""

    key: Any


class _Which:
    """The step of a path to the number that says which of several objects it is."""

    def __repr__(self) -> str:
        return "WHICH"


class _Whole:
    """The key of a container as a whole."""

    def __repr__(self) -> str:
        return "WHOLE"


class _Everything(frozenset[str]):
    """The set of all names."""

    def __contains__(self, name: object) -> bool:
        return True


WHOLE: Final = _Whole()
WHICH: Final = _Which()
PENDING: Final = Const(None, "pending")
EVERYTHING: Final = _Everything()


def without_parts(
    carried: Mapping[Place, Carried], whole: Place
) -> dict[Place, Carried]:
    """What is carried, a container as a whole instead of by its parts."""
    depth = len(whole[2])

    def is_part(place: Place) -> bool:
        if whole[1] is WHOLE:
            return place[0] == whole[0] and place[1] is not WHOLE
        inside = place[:2] == whole[:2] and len(place[2]) > depth
        return inside and place[2][:depth] == whole[2]

    return {
        place: replace(carry, also=tuple(p for p in carry.also if not is_part(p)))
        for place, carry in carried.items()
        if not is_part(place)
    }


def value_fact(value: Var | Const) -> Fact:
    """The fact of a flag."""
    return Fact("bool", shape=()) if isinstance(value, Const) else value.fact
