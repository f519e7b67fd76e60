"""Containers that are known item by item, and are in the text as well.

A list that lowering follows item by item is built in the text where it is used as a
whole: `Y[i]`, `max(Y, key=...)`, `rows.append(row)`.  What comes of that is the
container itself, or a part of it, and must not be read when the container has changed
since.  So a container that is built lends its cell, which is a root of memory like the
arrays are; its states are what it has held.

    >>> from yota_ast.ir.atoms import Const
    >>> lent, heap = Lent(), {7: Cell("list", {0: Const(1.0)})}
    >>> root = root_of(7)
    >>> seen = lent.state(root, heap, {})
    >>> lent.is_in_state(root, seen, heap, {})
    True
    >>> lent.is_in_state(root, seen, {7: Cell("list", {0: Const(2.0)})}, {})
    False
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.frontend.heap.lowered_values import Cell

LENT: Final = "cell:"
GONE: Final = "gone"
STALE: Final = "!"


def root_of(number: int) -> str:
    """The root of memory that a cell is."""
    return f"{LENT}{number}"


def cell_of(root: str) -> int | None:
    """The number of the cell that is a root of memory."""
    return int(root[len(LENT) :]) if root.startswith(LENT) else None


def is_writable(root: str) -> bool:
    """Whether memory is the function's own."""
    return not root.startswith(("arg:", "const:"))


@dataclass(frozen=True, slots=True)
class Arrival:
    """How an array came to a state: by a write into a view, or by a branch.

    states: those before, one for each arm. view: what was written, as it was made.
    """

    states: tuple[str, ...]
    view: str | None = None


class Lent:
    """The states in which cells have been lent, and the variables that are cells.

    arrivals: of roots and states of arrays, how they came about, where that is known.
    """

    def __init__(self) -> None:
        self.by_name: dict[str, str] = {}
        self.states: dict[str, list[Cell]] = {}
        self.arrivals: dict[tuple[str, str], Arrival] = {}

    def arrived(
        self, root: str, state: str, *states: str, view: str | None = None
    ) -> None:
        """Note how an array came to a state."""
        self.arrivals[root, state] = Arrival(states, view)

    def state(
        self, root: str, heap: Mapping[int, Cell], current: Mapping[str, str]
    ) -> str:
        """The state of a root: of an array who wrote it last, of a cell what it holds.

        heap, current: the containers and the states of arrays at that time.
        """
        number = cell_of(root)
        if number is None:
            return current.get(root, root)
        if number not in heap:  # nobody can change it any more
            return GONE
        known = self.states.setdefault(root, [])
        if heap[number] not in known:
            known.append(heap[number])
        return f"{root}.{known.index(heap[number])}"

    def is_in_state(
        self,
        root: str,
        seen: str,
        heap: Mapping[int, Cell],
        current: Mapping[str, str],
    ) -> bool:
        """Whether a root is in the state in which it was seen."""
        now = self.state(root, heap, current)
        return now == seen or (now == GONE and seen != STALE)
