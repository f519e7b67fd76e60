"""Iterators under a name: they give their items once, when they are run through.

Lowering knows the items of `zip(x, y)` and of a generator expression from the start.
That is right where the iterator is used on the spot. Under a name it may be run through
twice, in a loop, or after what it reads has changed: that is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NoReturn

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.frontend.arrays.current_arrays import CurrentArrays
from yota_ast.frontend.components import Component, Components, extends, provides, uses
from yota_ast.frontend.expressions.expressions import Expressions
from yota_ast.frontend.heap.changes_meanwhile import WRITTEN_INSIDE
from yota_ast.frontend.heap.lowered_values import (
    Bound,
    Cell,
    Closure,
    Frame,
    Generator,
    Lazy,
    Node,
    Partial,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.interpret.augmented_assignments import AugmentedAssignments
from yota_ast.frontend.library.builtin_functions import Builtins
from yota_ast.frontend.source.name_flow import CONSUMED, exits, names_read
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import NO_MEMORY
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Var
from yota_ast.syntax import nodes
from yota_ast.syntax.names import is_plain

ONCE: Final = (zip, map, filter, enumerate, reversed, np.ndenumerate)
MOST_ADDED: Final = 256
"""So many items a list may get in a loop over it."""
Place = tuple[int, str]
ItemsOf = Callable[[Value], tuple[Value, ...] | None]


@dataclass(slots=True)
class Iteration:
    """An iterator that was made: in how many loops, what it reads, and which name of
    it has been read."""

    value: Value
    depth: int
    is_as_made: Callable[[], bool]
    lasts: bool = False  # it may be read again
    read_at: tuple[Node, int] | None = None  # in which frame
    again: Callable[[], Value] | None = None  # the items of a dict's view now
    held: tuple[Value, ...] = ()

    def note_read(self, at: tuple[Node, int]) -> None:
        """Note where it is read."""
        self.read_at = at


class Iterators(Component):
    """Reads of names that are iterators, and loops over such."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    notes = uses(Notes)
    current_arrays = uses(CurrentArrays)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.iterations: dict[Hashable, Any] = {}  # iterators; see iterators.py
        self.run: dict[int, Callable[[], bool]] = {}
        """Whether what generators have read is as it was, by their cells."""

    @extends(Expressions.eval_Name)
    def eval_Name(self, rest: Callable[..., Value], node: Node) -> Value:
        """A name; an iterator is run through where it is read."""
        return self.passed(node, rest(node))

    @extends(Expressions.eval_Subscript)
    def eval_Subscript(self, rest: Callable[..., Value], node: Node) -> Value:
        """An item, which may be an iterator."""
        return self.passed(node, rest(node))

    @extends(Expressions.eval_Attribute)
    def eval_Attribute(self, rest: Callable[..., Value], node: Node) -> Value:
        """An attribute, which may be an iterator."""
        return self.passed(node, rest(node))

    def passed(self, node: Node, value: Value) -> Value:
        """A value that is read from where it is kept; of an iterator that is once."""
        made = self.iteration_of(value)
        if made is None:
            return value
        read_at = (node, self.frame_of_function().cell)
        again = (
            made.read_at not in (None, read_at)
            or self.position.loops_around > made.depth
        )
        if again and not made.lasts:
            self.position.refuse(
                f"the iterator {_shown(node)} is used more than once",
                "Make a list of its items first.",
            )
        if not self.is_empty(value) and not made.is_as_made():
            self.refuse_changed(_shown(node))
        made.note_read(read_at)
        return value

    def frame_of_function(self) -> Frame:
        """The frame of the current function: a comprehension that becomes a loop has
        one of its own."""
        frame = self.position.frame
        while frame.scope.name == "<comprehension>" and frame.parent is not None:
            frame = frame.parent
        return frame

    @provides(AugmentedAssignments.check_as_made)
    def check_as_made(self, given: Iterable[Value]) -> None:
        """Refuse iterators that read what has changed since they were made."""
        for value in given:
            made = self.iteration_of(value)
            if made is not None and not made.is_as_made():
                self.refuse_changed("here")

    def iteration_of(self, value: Value) -> Iteration | None:
        """What has been noted of an iterator."""
        made: Iteration | None = self.iterations.get(_key(value))
        return made if made is not None and made.value == value else None

    @provides(Language.is_view)
    def is_view(self, value: Value) -> bool:
        """Whether a value is the view of a dict."""
        made = self.iteration_of(value)
        return made is not None and made.again is not None

    def refuse_changed(self, name: str) -> NoReturn:
        """An iterator reads what is another thing now."""
        self.position.refuse(
            f"the iterator {name} reads something that has changed since it was made",
            "Make a list of its items first.",
        )

    def is_empty(self, value: Value) -> bool:
        """Whether an iterator has given all its items."""
        cell = self.cells.heap[value.cell] if isinstance(value, Ref) else None
        return cell is not None and not cell.items and cell.var is None

    @provides(Language.once)
    def once(
        self,
        value: Value,
        names: frozenset[str] = frozenset(),
        held: Sequence[Value] = (),
        again: Callable[[], Value] | None = None,
    ) -> Value:
        """Note an iterator that has been made; names, held: what it reads; again: the
        items, of a dict's view, which may be run through again."""
        if not isinstance(value, Lazy) or value.fn in ONCE:
            lasts = again is not None or isinstance(value, Ref)
            same, inner = self.reading(names, held), self.inner_of(value, held)
            self.iterations[_key(value)] = Iteration(
                value, self.position.loops_around,
                lambda: same() and all(i() for i in inner),
                lasts, again=again, held=tuple(held),
            )  # fmt: skip
        return value

    def inner_of(self, value: Value, held: Sequence[Value]) -> list[Callable[[], bool]]:
        """Of the iterators that an iterator takes from: whether they are as made. The
        views of dicts that a loop runs over are read as they are."""
        given, live = (value.args, True) if isinstance(value, Lazy) else (held, False)
        found = [made for v in given if (made := self.iteration_of(v)) is not None]
        return [made.is_as_made for made in found if not (live and made.again)]

    @provides(Builtins.note_taken)
    def note_taken(self, given: Value, taken: Value) -> None:
        """Note items that have been taken at once, where Python takes each later: what
        gives them may not change until then."""
        made = self.iteration_of(given)
        if made is not None:
            check = made.is_as_made
        elif isinstance(given, Ref) and self.cells.heap[given.cell].cls is Iterator:
            return  # its items were there when it was made
        else:
            check = self.reading(frozenset(), (given,))
        self.iterations[_key(taken)] = Iteration(
            taken, self.position.loops_around, check, lasts=True
        )

    def reading(
        self, names: frozenset[str], held: Sequence[Value]
    ) -> Callable[[], bool]:
        """Whether names still stand for what they stand for now, unwritten."""
        before: dict[Place, Value | None] = {}
        pending = [*held, *self.values_of(names, self.position.frame, before)]
        cells: dict[int, Cell] = {}
        checks: list[Callable[[], bool]] = []
        while pending:
            value = pending.pop()
            if isinstance(value, Ref) and value.cell not in cells:
                cells[value.cell] = self.cells.heap[value.cell]
                pending += self.cells.heap[value.cell].items.values()
            elif isinstance(value, TupleValue):
                pending += value.items
            elif isinstance(value, (Bound, Partial)):
                pending += (value.function, *_bound(value))
            elif isinstance(value, Var):
                checks.append(self.unwritten(value))
            elif isinstance(value, Generator) and self.has_run(value):
                checks.append(self.run[value.frame.cell])
            elif isinstance(value, (Closure, Generator)):
                pending += self.values_of(names_read(value.node), value.frame, before)
        own = {value.frame.cell for value in held if isinstance(value, Generator)}
        before = {at: v for at, v in before.items() if at[0] not in own}

        def is_as_made() -> bool:
            same = all(self.cells.get(place) is v for place, v in before.items())
            same = same and all(self.cells.heap.get(n) is c for n, c in cells.items())
            return same and all(check() for check in checks)

        return is_as_made

    def unwritten(self, var: Var) -> Callable[[], bool]:
        """Whether nothing is written into an array from here on."""
        memory = self.notes.memory.get(var.name, NO_MEMORY)
        pairs = self.current_arrays.now(memory.roots)
        return lambda: self.current_arrays.are_current(pairs)

    @extends(Language.run_through)
    def run_through(self, rest: Callable[..., Value], value: Value) -> Value:
        """The items of a generator: what it reads is to stay as it is until they are
        used."""
        if isinstance(value, Generator) and not self.has_run(value):
            self.run[value.frame.cell] = self.reading(frozenset(), (value,))
        return rest(value)

    def has_run(self, made: Generator) -> bool:
        """Whether the items of a generator have been taken."""
        cell = made.frame.cell
        done = cell not in self.cells.heap
        return cell in self.run and (done or CONSUMED in self.cells.heap[cell].items)

    def values_of(
        self, names: Iterable[str], frame: Frame, before: dict[Place, Value | None]
    ) -> list[Value]:
        """What names of functions that are being lowered stand for, if that is news;
        noted in `before`, by the places where they are found."""
        found: list[Value] = []
        for name in sorted(names):
            at: Frame | None = frame
            while at is not None and name not in at.scope.locals:
                at = at.parent
            if at is None or (at.cell, name) in before:
                continue
            before[at.cell, name] = value = self.cells.get((at.cell, name))
            found += [] if value is None else [value]
        return found

    # ------------------------------------------------------------ loops

    @provides(Language.items_as_they_are)
    def items_as_they_are(
        self, source: Value, items: tuple[Value, ...], again: ItemsOf | None = None
    ) -> Callable[[int], tuple[Value, ...]]:
        """What gives the items of a loop as they are after so many iterations: a list
        or an array that is written in the loop is read as it goes. again: what takes
        the items, where that is not `items_of`."""
        cells = {n: self.cells.heap[n] for n in self.cells_run_over(source)}
        made = self.iterations.get(_key(source))
        fixed = not self.may_grow(source)
        unwritten = [self.unwritten(var) for var in arrays_run_over(source)]
        taking: ItemsOf = again or self.language.items_of

        def now(taken: int) -> tuple[Value, ...]:
            if made is not None and made.again is None and taken < len(items):
                if not made.is_as_made():
                    self.refuse_changed("of the loop")
            same = all(self.cells.heap.get(n) is cell for n, cell in cells.items())
            if same and (taken >= len(items) or all(check() for check in unwritten)):
                return items
            found = taking(self.as_it_is(source))
            moved = found is None or (fixed and len(found) != len(items))
            if moved or found is None or len(found) > len(items) + MOST_ADDED:
                self.position.refuse(*WRITTEN_INSIDE)
            return found

        return now

    @provides(Language.unchanged_while)
    @contextmanager
    def unchanged_while(self, source: Value) -> Iterator[None]:
        """While one body for all items is lowered: it may not change what they are
        computed from, each when the loop comes to it."""
        made = self.iterations.get(_key(source))
        yield
        if made is not None and made.again is None and not made.is_as_made():
            self.refuse_changed("of the loop")

    def may_grow(self, source: Value) -> bool:
        """Whether a loop takes what is added while it runs: a list's."""
        if isinstance(source, Lazy) and source.fn is enumerate:
            return self.may_grow(source.args[0])
        return isinstance(source, Ref) and self.cells.heap[source.cell].kind == "list"

    def cells_run_over(self, source: Value) -> Iterator[int]:
        """The containers that are run over."""
        made = self.iterations.get(_key(source))
        if isinstance(source, Lazy):
            for arg in source.args:
                yield from self.cells_run_over(arg)
        elif made is not None and made.again is not None:
            yield from (v.cell for v in made.held if isinstance(v, Ref))
        elif (
            isinstance(source, Ref) and self.cells.heap[source.cell].cls is not Iterator
        ):
            yield source.cell

    def as_it_is(self, source: Value) -> Value:
        """What is run over, with the views of dicts as they are now."""
        made = self.iterations.get(_key(source))
        if isinstance(source, Lazy):
            return replace(source, args=tuple(map(self.as_it_is, source.args)))
        return source if made is None or made.again is None else made.again()

    @provides(Language.around)
    @contextmanager
    def around(
        self, stmt: Node, iterable: Value | None, source: Value
    ) -> Iterator[None]:
        """While a loop is lowered, which takes the items of an iterator."""
        cell = iterable.cell if isinstance(iterable, Ref) else None
        iterator = cell is not None and self.cells.heap[cell].cls is Iterator
        over = frozenset(self.cells_run_over(source))
        with (
            self.position.running_over(cell if iterator else None, over),
            self.position.for_each_item(),
        ):
            yield
        if iterator and cell is not None and exits(stmt.body):
            self.cells.heap[cell] = Cell("list", {}, Iterator, fixed=True)

    @provides(Language.check_running)
    def check_running(self, cell: int) -> None:
        """Refuse to take items of an iterator in a loop over it, or after what it reads
        has changed."""
        rest = self.cells.heap[cell]
        if rest.fixed and not rest.items and rest.var is None:
            self.position.refuse(
                "an iterator that may have items left is used again",
                "Make a list of its items first.",
            )
        made = self.iterations.get(("cell", cell))
        if made is not None and not self.is_empty(made.value):
            if not made.is_as_made():
                self.refuse_changed("here")
        if cell in self.position.running:
            self.position.refuse(
                "a loop over an iterator takes more items from it",
                "Make a list of its items first.",
            )


def arrays_run_over(source: Value) -> Iterator[Var]:
    """The arrays of which a loop takes the items, each when it comes to it."""
    if isinstance(source, Lazy):
        for arg in source.args:
            yield from arrays_run_over(arg)
    elif isinstance(source, Var):
        yield source


def _key(value: Value) -> Hashable:
    """What tells an iterator from others."""
    return ("cell", value.cell) if isinstance(value, Ref) else id(value)


def _shown(node: Node) -> str:
    if not isinstance(node, nodes.Name):
        return "kept in a container"
    return f"`{node.id}`" if is_plain(node.id) else "here"


def _bound(value: Bound | Partial) -> tuple[Value, ...]:
    if isinstance(value, Bound):
        return (value.owner,)
    return (*value.args, *(v for _, v in value.kwargs))
