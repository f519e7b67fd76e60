"""What there was at a time, and what there is now -> whether a program changed it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.frontend.components import Component
from yota_ast.frontend.heap.lowered_values import (
    Cell,
    Heap,
    Value,
)
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.cells import Cells

WRITTEN_INSIDE: Final = (
    "the loop writes into the value that it runs over",
    "Loop over a copy, or over the indices.",
)
"""How a loop is refused that changes what it runs over."""


@dataclass(frozen=True, slots=True)
class Before:
    """What there was at a time: containers and names, the states of arrays."""

    heap: Heap
    current: Mapping[str, str]

    @classmethod
    def of(cls, state: Component) -> Before:
        """What there is now."""
        return cls(dict(Cells.of(state).heap), dict(ArrayStates.of(state).current))


def has_changed(state: Component, before: Before) -> bool:
    """Whether anything that was there is another now, iterators left out."""
    heap, current = Cells.of(state).heap, ArrayStates.of(state).current
    return any(current.get(root) != was for root, was in before.current.items()) or any(
        heap.get(n) is not cell and _differ(cell, heap.get(n))
        for n, cell in before.heap.items()
    )


def _differ(one: Cell, other: Cell | None) -> bool:
    if one.cls is Iterator:
        return False  # how far it is taken from is noted elsewhere
    return (
        other is None
        or one.var != other.var
        or list(_visible(one.items)) != list(_visible(other.items))
    )


def _visible(items: Mapping[Any, Value]) -> Iterable[tuple[Any, Value]]:
    """The items that a program knows of."""
    for key, value in items.items():
        if not (isinstance(key, str) and key.startswith("%")):
            yield key, value
