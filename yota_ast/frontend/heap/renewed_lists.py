"""`group = []` in an arm or a loop: the only name of a list is given another one.

In goes the new container, out comes the old one, which holds from here on what the new
one held, as by `group[:] = []`, or as by setting each key of a dict: nobody can tell,
for nothing else refers to either. So what a branch or a loop leaves under the name is
one list, that may be changed, and not one of two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from yota_ast.frontend.heap.lowered_values import Cell, Frame, Ref, Value
from yota_ast.ir.atoms import Const, Var


def renewed(self: Any, name: str, value: Ref) -> Value:
    """What a name stands for that is given a list, a dict or a set of its own."""
    frame = self.frame
    if name not in frame.scope.changed:
        return value
    if self.tries or self.caught or not (self.arms_open or self.loops_around):
        return value  # what a `try` changes in a container no handler may see
    old = self.heap[frame.cell].items.get(name)
    if not isinstance(old, Ref) or old == value or old.cell in self.looped:
        return value
    was, new = self.heap[old.cell], self.heap[value.cell]
    if (was.kind, was.cls) != (new.kind, new.cls):
        return value
    if was.fixed or new.fixed or old in self.owned_cells.values():
        return value
    if old.cell in self.factories or value.cell in self.factories:
        return value
    if {old.cell, value.cell} & set(_held(self, name)):
        return value
    if was.kind == "list":
        self.replace_list(old, value)  # as by old[:] = value
        return old
    if _may_take(was, new):
        for key, item in new.items.items():
            self.put(old.cell, key, item)
        return old
    return value


def _may_take(was: Cell, new: Cell) -> bool:
    """Whether a dict has what another has once each of its keys has been set."""
    if was.kind != "dict" or was.var is not None or new.var is not None:
        return False
    sure = not (was.unordered or was.perhaps or new.unordered or new.perhaps)
    return sure and was.alike(new)


def _held(self: Any, name: str) -> Iterator[int]:
    """The cells to which something refers that is read later, but for the name."""
    frame = self.frame
    read = self.live | self.finals | frame.scope.captured
    over = {name} | (frame.scope.locals - read)
    for number, cell in self.heap.items():
        for key, item in cell.items.items():
            if number != frame.cell or key not in over:
                yield from _refs_in(item)


def _refs_in(value: Any) -> Iterator[int]:
    """The cells to which a value refers."""
    if isinstance(value, Ref):
        yield value.cell
    elif isinstance(value, tuple):
        for each in value:
            yield from _refs_in(each)
    elif isinstance(value, (Var, Const, Frame, Cell, type)):
        return
    elif is_dataclass(value):
        for f in fields(value):
            yield from _refs_in(getattr(value, f.name))
