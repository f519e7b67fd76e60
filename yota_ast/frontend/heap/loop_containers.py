"""The heaps at the head and at the end of a loop -> the containers that it exchanges.

A name may stand for another list, dict or object after an iteration: `old = new`. Which
it is depends on how often the loop has run, so that what is written into either of them
by another name would not be seen. Both are fixed: they may be read, and no longer
changed. Of what a loop carries as one variable `aliasing.py` tells the same.

>>> from yota_ast.ir.atoms import Const
>>> one, two = Cell("list", {0: Const(1.0)}), Cell("list", {0: Const(2.0)})
>>> sorted(apart(Ref(1), Ref(2), {1: one, 2: two}, {1: one, 2: two}))
[1, 2]
"""

from __future__ import annotations

from collections.abc import Iterable

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.components import Component, uses
from yota_ast.frontend.heap.lowered_values import (
    Cell,
    Heap,
    MaybeValue,
    OneOf,
    Ref,
    Slot,
    TupleValue,
    reached,
    variables_in,
)
from yota_ast.frontend.heap.materialisation import cell_of
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.waiting_frames import WaitingFrames
from yota_ast.ir.atoms import UNDEFINED


class LoopContainers(Component):
    """What loops exchange."""

    language = uses(Language)
    position = uses(Position)
    waiting = uses(WaitingFrames)
    cells = uses(Cells)

    def exchanged(
        self, entry: Heap, leaving: Heap, live: frozenset[str]
    ) -> tuple[list[Slot], list[int]]:
        """The places where a loop leaves another container than it found, and the
        containers from before it that a name may stand for in it, or no longer, and
        that may still be changed."""
        slots: list[Slot] = []
        found: dict[int, None] = {}
        ends: list[MaybeValue] = []
        for number, old in entry.items():
            new = leaving[number]
            if new is old:
                continue
            if is_whole(old, new):
                ends.append(new.var or UNDEFINED)
                continue
            for key in dict.fromkeys((*old.items, *new.items)):
                if self.waiting.is_dead(number, key, live):
                    continue
                pair = old.items.get(key, UNDEFINED), new.items.get(key, UNDEFINED)
                if pair[0] != pair[1]:
                    ends.append(pair[1])
                if cells := apart(*pair, entry, leaving):
                    slots.append((number, key))
                    found |= dict.fromkeys(sorted(cells))
        if any(n in leaving and leaving[n].fixed for n in found):
            # it may stand for any of those that have been fixed
            found |= dict.fromkeys(n for n, cell in leaving.items() if cell.fixed)
        found |= dict.fromkeys(self.fixed_within(entry, leaving, ends))
        known = [n for n in found if n in self.cells.heap]
        return slots, [n for n in known if not self.cells.heap[n].fixed]

    def fixed_within(
        self, entry: Heap, leaving: Heap, ends: Iterable[MaybeValue]
    ) -> list[int]:
        """The containers from before a loop for which, or for another, a name stands by
        a branch in the body, where such a name outlives the iteration."""
        fixed = [n for n in entry if leaving[n].fixed and not entry[n].fixed]
        if not fixed:
            return []
        cells = {cell for end in ends for cell in reached(leaving, end)}
        held = [leaving[n].var or tuple(leaving[n].items.values()) for n in cells]
        for var in variables_in((*ends, *held)):
            found = map(cell_of, self.language.memory_of(var).roots)
            cells |= {cell for cell in found if cell is not None}
        return fixed if any(n in leaving and leaving[n].fixed for n in cells) else []

    def part(self, slots: Iterable[Slot], cells: Iterable[int]) -> None:
        """From here on what stands at some places may be one container or another, so
        that neither it nor these may change."""
        for number in cells:
            self.cells.heap[number] = replace(self.cells.heap[number], fixed=True)
        for number, key in slots:
            value = self.cells.get((number, key)) if number in self.cells.heap else None
            if isinstance(value, Ref):
                other = self.cells.new_cell(self.cells.heap[value.cell])
                self.cells.heap[number] = self.cells.heap[number].with_item(key, other)


def is_whole(old: Cell, new: Cell) -> bool:
    """Whether a loop carries a list or dict as one variable."""
    if old.kind not in ("list", "dict"):
        return False
    return old.var is not None or new.var is not None or not old.alike(new)


def apart(one: MaybeValue, two: MaybeValue, before: Heap, after: Heap) -> set[int]:
    """The cells in which two values differ, one of each heap, whatever these hold."""
    found: set[int] = set()
    met: set[tuple[int, int]] = set()
    pairs: list[tuple[MaybeValue, MaybeValue]] = [(one, two)]
    while pairs:
        one, two = pairs.pop()
        if one == two:
            continue
        if isinstance(one, Ref) and isinstance(two, Ref):
            if (one.cell, two.cell) in met:
                continue
            met.add((one.cell, two.cell))
            found |= {one.cell, two.cell}
            old, new = before[one.cell].items, after[two.cell].items
            if old.keys() == new.keys():
                pairs += [(old[k], new[k]) for k in old]
            else:
                found |= reached(after, two)
        elif isinstance(one, OneOf) and isinstance(two, OneOf):
            continue  # each of these is known by all its names
        elif isinstance(one, TupleValue) and isinstance(two, TupleValue):
            if len(one.items) == len(two.items):
                pairs += zip(one.items, two.items, strict=True)
            else:
                found |= reached(before, one) | reached(after, two)
        else:
            found |= reached(before, one) | reached(after, two)
    return found
