"""Iterators under a name: they give their items once, when they are run through.

Lowering knows the items of `zip(x, y)` and of a generator expression from the start.
That is right where the iterator is used on the spot. Under a name it may be run through
twice, in a loop, or after what it reads has changed: that is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np

from yota_ast.frontend.expressions import Expressions
from yota_ast.frontend.flow import exits, names_read
from yota_ast.frontend.values import Cell, Lazy, Node, Ref, Value

ONCE: Final = (zip, map, filter, enumerate, reversed, np.ndenumerate)


@dataclass(slots=True)
class Iteration:
    """An iterator that was made: in how many loops, what it reads, and which name of
    it has been read."""

    value: Value
    depth: int
    is_as_made: Callable[[], bool]
    lasts: bool = False  # it may be read again
    node: Node | None = None


class Passing(Expressions):
    """Reads of names that are iterators, and loops over such."""

    loops_around: int = 0
    running: frozenset[int] = frozenset()

    def eval_Name(self, node: Node) -> Value:
        """A name; an iterator is run through where it is read."""
        value = super().eval_Name(node)
        made = self.iterations.get(id(value))
        if made is None:
            return value
        again = made.node not in (None, node) or self.loops_around > made.depth
        if again and not made.lasts:
            self.refuse(
                f"the iterator `{node.id}` is run through more than once",
                "Make a list of its items first.",
            )
        if not self.is_empty(value) and not made.is_as_made():
            self.refuse(
                f"what the iterator `{node.id}` reads has changed since it was made",
                "Make a list of its items first.",
            )
        made.node = node
        return value

    def is_empty(self, value: Value) -> bool:
        """Whether an iterator has given all its items."""
        cell = self.heap[value.cell] if isinstance(value, Ref) else None
        return cell is not None and not cell.items and cell.var is None

    def once(
        self, value: Value, node: Node | None = None, owner: Ref | None = None
    ) -> Value:
        """Note an iterator that has been made; node: the generator expression; owner:
        of what dict it is a view, which may be run through again."""
        if not isinstance(value, Lazy) or value.fn in ONCE:
            names = names_read(node) if node is not None else frozenset[str]()
            lasts = owner is not None or isinstance(value, Ref)
            check = self.reading(names, owner)
            self.iterations[id(value)] = Iteration(
                value, self.loops_around, check, lasts
            )
        return value

    def reading(self, names: frozenset[str], owner: Ref | None) -> Callable[[], bool]:
        """Whether names still stand for what they stand for now, unwritten."""
        frame = self.frame.cell
        before = {name: self.get((frame, name)) for name in names}
        held = (owner, *before.values())
        cells = {v.cell: self.heap[v.cell] for v in held if isinstance(v, Ref)}

        def is_as_made() -> bool:
            same = all(self.get((frame, n)) is v for n, v in before.items())
            return same and all(self.heap.get(n) is c for n, c in cells.items())

        return is_as_made

    @contextmanager
    def around(self, stmt: Node, iterable: Value | None) -> Iterator[None]:
        """While a loop is lowered, which takes the items of an iterator."""
        cell = iterable.cell if isinstance(iterable, Ref) else None
        iterator = cell is not None and self.heap[cell].cls is Iterator
        outer = self.running
        self.loops_around += 1
        if iterator and cell is not None:
            self.running = outer | {cell}
        try:
            yield
        finally:
            self.loops_around -= 1
            self.running = outer
        if iterator and cell is not None and exits(stmt.body):
            self.heap[cell] = Cell("list", {}, Iterator, fixed=True)

    def check_running(self, cell: int) -> None:
        """Refuse to take items of an iterator in a loop over it."""
        if cell in self.running:
            self.refuse(
                "an iterator is taken from in a loop over it",
                "Make a list of its items first.",
            )
