"""Objects, containers and frames that are known while lowering: the heap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NoReturn

from yota_ast.frontend.components import Component, Components, extensible, uses
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Cell,
    Ref,
    Slot,
    Value,
)
from yota_ast.frontend.state.lowering_records import (
    Owned,
)
from yota_ast.frontend.state.position import Position

_PLAIN: Final = ("list", "dict")
"""The kinds of containers of which one that holds itself is not followed."""


class Cells(Component):
    """The heap: containers, objects and frames by their numbers."""

    position = uses(Position)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.heap: dict[int, Cell] = {}
        self.cells_made = 0
        self.listed: set[int] = set()  # objects for which a dict stands in a list

    def new_cell(self, cell: Cell) -> Ref:
        """A new container, object or frame."""
        self.cells_made += 1
        self.listed.discard(self.cells_made)  # one of another pass over a loop
        self.heap[self.cells_made] = cell
        return Ref(self.cells_made)

    def get(self, slot: Slot) -> Value | None:
        """The value of a slot, or None."""
        cell = self.heap.get(slot[0])
        return None if cell is None else cell.items.get(slot[1])

    @extensible
    def items_in_order(self, cell: int) -> Mapping[Any, Value]:
        """Those items where their order matters, which must be known, too."""
        if self.heap[cell].unordered:
            self.position.refuse(
                "the order of the keys of the dict depends on a branch",
                "Set the keys in one order in both arms.",
            )
        return self.items_held(cell)

    def items_held(self, cell: int) -> Mapping[Any, Value]:
        """The items of a cell, of which it must be known here which they are."""
        if self.heap[cell].var is not None:
            self.position.refuse(
                "the keys of the dict depend on a branch or a loop",
                "Set every key before it, and change only its value there.",
            )
        return self.heap[cell].items

    def put(self, cell: int, key: object, value: Value) -> None:
        """Set one item of a cell."""
        self.items_held(cell)
        self.check_changes(cell)
        if isinstance(value, Ref) and self.heap[cell].kind in _PLAIN:
            self.check_apart(cell, value)
        self.heap[cell] = self.heap[cell].with_item(key, value)

    def check_apart(self, cell: int, value: Ref) -> None:
        """Refuse to put a list or a dict into itself, or into what it holds: it has no
        end. Objects may hold each other."""
        todo, met = [value.cell], set[int]()
        while todo:
            number = todo.pop()
            if number == cell:
                self.position.refuse(
                    "a list or dict is put into itself",
                    "Put a copy into it: list(x), dict(x).",
                )
            held = self.heap.get(number)
            if number not in met and held is not None and held.kind in _PLAIN:
                met.add(number)
                todo += [v.cell for v in held.items.values() if isinstance(v, Ref)]

    def refuse_one_of_several(self) -> NoReturn:
        """Refuse to change a list or a dict of which it is not known which it is."""
        self.position.refuse(
            "the function changes a list or dict that may be one of several",
            "Use if and else, and change it in each arm.",
        )

    def check_changes(self, number: int) -> None:
        """Refuse to change what may have another name, or is an item of a list."""
        cell = self.heap[number]
        if number in self.listed or (cell.fixed and cell.is_listed):
            self.position.refuse(
                "the function changes an object that is an item of a list, whose "
                "length depends on a loop or a branch",
                "Set its fields before it is put into the list.",
            )
        self.check_fixed(cell)

    def check_fixed(self, cell: Cell) -> None:
        """Refuse to change what may have another name by a branch."""
        if cell.fixed:
            if isinstance(cell.source, Argument):
                self.begin_again(cell.source)
            self.position.refuse(
                "the function changes a container that a branch or a loop has chosen",
                "Make a copy first: list(x), dict(x).",
            )

    def drop(self, cell: int, key: object) -> None:
        """Remove one item of a cell."""
        held = self.items_held(cell)
        self.check_changes(cell)
        items = {k: v for k, v in held.items() if k != key}
        self.heap[cell] = self.heap[cell].with_items(items)

    def refuse_dict(self) -> NoReturn:
        """Refuse to write the fields of an object as a dict."""
        self.position.refuse(
            "the function writes into `__dict__` of an object",
            "Assign its attributes by name.",
        )

    @extensible
    def begin_again(self, argument: Argument) -> NoReturn:
        """Begin again, with an argument in mind that turns out to be written here."""
        if ("attr", "__dict__") in argument.path:
            self.refuse_dict()
        raise Owned(argument.root.name, argument.path, self.position.location())

    @contextmanager
    def seeing(self, heap: Mapping[int, Cell]) -> Iterator[None]:
        """See the cells as they are elsewhere."""
        outer, self.heap = self.heap, dict(heap)
        try:
            yield
        finally:
            self.heap = outer

    def restore_cells(self, heap: Mapping[int, Cell]) -> None:
        """See the cells as they were."""
        self.heap = dict(heap)

    def renumber_cells(self, last: int) -> None:
        """Give the numbers of cells after this one again."""
        self.cells_made = last
