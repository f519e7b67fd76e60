"""`group = []` in an arm or a loop: the only name of a list is given another one.

In goes the new container, out comes the old one, which holds from here on what the new
one held, as by `group[:] = []`, or as by setting each key of a dict: nobody can tell,
for nothing else refers to either. So what a branch or a loop leaves under the name is
one list, that may be changed, and not one of two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.components import Component
from yota_ast.frontend.expressions.argument_parts import ArgumentParts
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.keyed_items import KeyedItems
from yota_ast.frontend.heap.lowered_values import (
    Cell,
    Frame,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.heap.materialisation import cell_of
from yota_ast.frontend.library.list_methods import ListMethods
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.facts.joined_facts import element_of, is_plain


def renewed(lowering: Component, name: str, value: Ref | Var) -> Value:
    """What a name stands for that is given a list, a dict or a set of its own."""
    if isinstance(value, Var):
        if not _is_new_list(lowering, value):
            return value
        whole = Cell("list", {}, list, value)
        made = renewed(lowering, name, Cells.of(lowering).new_cell(whole))
        return made if made in _values(lowering, name) else value
    position = Position.of(lowering)
    cells = Cells.of(lowering)
    keyed_items = KeyedItems.of(lowering)
    frame = position.frame
    if name not in frame.scope.changed and not position.loops_around:
        return value
    if (
        position.tries
        or position.caught
        or not (position.arms_open or position.loops_around)
    ):
        return value  # what a `try` changes in a container no handler may see
    old = cells.heap[frame.cell].items.get(name)
    if not isinstance(old, Ref) or old == value or old.cell in position.looped:
        return value
    was, new = cells.heap[old.cell], cells.heap[value.cell]
    if (was.kind, was.cls) != (new.kind, new.cls):
        return value
    if was.fixed or new.fixed or old in ArgumentParts.of(lowering).owned_cells.values():
        return value
    if old.cell in keyed_items.factories or value.cell in keyed_items.factories:
        return value
    if {old.cell, value.cell} & set(_held(lowering, name)):
        return value
    if name not in frame.scope.changed and not _hold_numbers(lowering, was, new):
        return value
    if was.kind == "list":
        ListMethods.of(lowering).replace_list(old, value)  # as by old[:] = value
        return old
    if _may_take(was, new):
        for key, item in new.items.items():
            cells.put(old.cell, key, item)
        return old
    return value


def renewed_together(
    lowering: Component, names: Sequence[str], value: TupleValue
) -> TupleValue:
    """`xs, ys = [], []`: the same of each, unless another value refers to its list."""
    items = list(value.items)
    for k, name in enumerate(names):
        item, others = items[k], (*items[:k], *items[k + 1 :])
        if not isinstance(item, (Ref, Var)) or item in others:
            continue
        refs = {cell for other in others for cell in _refs_in(other)}
        own = [v for v in (item, *_values(lowering, name)) if isinstance(v, Ref)]
        if not refs & {ref.cell for ref in own}:
            items[k] = renewed(lowering, name, item)
    return replace(value, items=tuple(items))


def _is_new_list(lowering: Component, value: Var) -> bool:
    """Whether a value is a list of numbers that has just been made: one that was chosen
    from lists that are followed item by item is none."""
    fact = Operations.of(lowering).fact(value)
    if fact.kind != "list" or not is_plain(element_of(fact)):
        return False
    if value.name in ArgumentStructures.of(lowering).paths:
        return False
    roots = Language.of(lowering).memory_of(value).roots
    if any(cell_of(root) is not None for root in roots):
        return False
    cells = Cells.of(lowering).heap.values()
    return not any(c.var == value or value in c.items.values() for c in cells)


def _hold_numbers(lowering: Component, *cells: Cell) -> bool:
    """Whether lists hold numbers alone: others are followed as they are."""
    facts = (Operations.of(lowering).cell_fact(cell) for cell in cells)
    return all(f.kind == "list" and is_plain(element_of(f)) for f in facts)


def _values(lowering: Component, name: str) -> tuple[Value, ...]:
    """What a name stands for now."""
    cells = Cells.of(lowering)
    items = cells.heap[Position.of(lowering).frame.cell].items
    return (items[name],) if name in items else ()


def _may_take(was: Cell, new: Cell) -> bool:
    """Whether a dict has what another has once each of its keys has been set."""
    if was.kind != "dict" or was.var is not None or new.var is not None:
        return False
    sure = not (was.unordered or was.perhaps or new.unordered or new.perhaps)
    return sure and was.alike(new)


def _held(lowering: Component, name: str) -> Iterator[int]:
    """The cells to which something refers that is read later, but for the name."""
    position = Position.of(lowering)
    frame = position.frame
    read = position.live | position.finals | frame.scope.captured
    over = {name} | (frame.scope.locals - read)
    for number, cell in Cells.of(lowering).heap.items():
        for key, item in cell.items.items():
            if number != frame.cell or key not in over:
                yield from _refs_in(item)
                if isinstance(item, Var):  # by what a branch has chosen
                    lent = map(cell_of, Language.of(lowering).memory_of(item).roots)
                    yield from (cell for cell in lent if cell is not None)


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
