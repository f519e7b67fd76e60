"""Cached properties, and cached methods, of objects that change.

Such a value is computed anew wherever it is asked for, which gives what was kept as
long as the object holds the same. Where it does not, in a loop as well, it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from yota_ast.frontend.state import Reached, State
from yota_ast.frontend.values import Heap, Ref, Slot, TupleValue, Value
from yota_ast.tape import Var


def check_first(state: State, given: Iterable[Value], name: str) -> None:
    """Refuse to compute anew what is cached of objects, and would be another now."""
    for owner in given:
        if isinstance(owner, Ref):  # others are the caller's, and do not change
            now = reached(state, owner, state.heap, state.current)
            if state.first_reads.setdefault((owner.cell, name), now) != now:
                refuse_stale(state, name)


def check_loop(
    state: State, known: Mapping[Slot, Reached], heap: Heap, current: Mapping[str, str]
) -> None:
    """Refuse a loop in which a cached property is read of an object that is not as it
    is there at a place, its head or its end. known: what was read before the loop."""
    for place, read in state.first_reads.items():
        cell, name = place
        if place not in known and cell in heap:
            if reached(state, Ref(cell), heap, current) != read:
                refuse_stale(state, name)


def refuse_stale(state: State, name: str) -> NoReturn:
    """What is cached is what it was when it was first asked for."""
    state.refuse_call(
        f"the object changes, and the value that is cached for `{name}` does not",
        "Cache nothing there, or assign the value to a name.",
    )


def reached(
    state: State, owner: Ref, heap: Heap, current: Mapping[str, str]
) -> Reached:
    """What an object holds: containers by number, arrays by their state."""
    cells: dict[int, dict[Any, Value]] = {}
    states: dict[str, str | None] = {}
    pending: list[Value] = [owner]
    while pending:
        value = pending.pop()
        if isinstance(value, Ref) and value.cell not in cells:
            cells[value.cell] = dict(heap[value.cell].items)
            pending += cells[value.cell].values()
        elif isinstance(value, TupleValue):
            pending += value.items
        elif isinstance(value, Var):
            for root in state.memory_of(value).roots:
                states[root] = current.get(root)
    return cells, states
