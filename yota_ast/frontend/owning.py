"""Objects and containers of the caller's that the function writes into.

Fields are read once, at the top, so what is written is followed by lowering alone: the
object or container is one of its parts, as one that the function has made, and at the
end the text writes back what has changed. Which these are is known when the first write
is met: lowering then begins again, with them in mind.

The object must not be found in two places, or a write through one would be missed at
the other: the text checks at its entry that it is not.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import Any, Final

from yota_ast.errors import Location, UnsupportedSyntax
from yota_ast.facts import NONE
from yota_ast.frontend.branches import Merger
from yota_ast.frontend.loop_records import Place
from yota_ast.frontend.loops import Loops
from yota_ast.frontend.structures import text_of
from yota_ast.frontend.values import Argument, Cell, Ref, Value
from yota_ast.tape import Atom, Check, Const, PathStep, Undefined, Var

MOST_PLACES: Final = 40
OUTSIDE: Final = "Return the new value, and assign it outside."


class Owning(Loops):
    """What is written into arguments, and written back."""

    owned: Mapping[tuple[str, tuple[PathStep, ...]], Location | None] = {}
    """The arguments, and parts of them, that are written."""

    starts: Mapping[int, tuple[Argument, Cell]] = {}
    """What they are at first, by the cell that stands for each."""

    def take_apart(
        self, variables: Mapping[str, Value], examples: Mapping[str, Any]
    ) -> None:
        """Take the arguments apart that are written."""
        starts: dict[int, tuple[Argument, Cell]] = {}
        self.starts, self.flushed = starts, dict[tuple[int, Any], Value]()
        for root, path in sorted(self.owned, key=lambda key: -len(key[1])):
            argument: Any = variables[root]
            for kind, step in path:
                attr = kind == "attr"
                argument = (
                    self.attribute(argument, str(step)) if attr
                    else self.item_of_argument(argument, step)
                )  # fmt: skip
            written = self.owned[root, path]
            self.check_places(argument, examples, written)
            ref = self.opened_once(argument, written)
            self.owned_cells[root, path] = ref
            starts[ref.cell] = (argument, self.heap[ref.cell])
        for name, value in variables.items():
            ref_or_none = self.owned_cells.get((name, ()))
            if ref_or_none is not None and isinstance(value, Argument):
                self.put(self.frame.cell, name, ref_or_none)

    def opened_once(self, argument: Argument, at: Location | None) -> Ref:
        """An object or container as one of its parts; the parts as they are."""
        opened = self.opened(argument, deep=False)
        if not isinstance(opened, Ref):
            raise UnsupportedSyntax(
                f"the argument `{text_of(argument)}` is written",
                at=at or self.location(),
                remedy=OUTSIDE,
            )
        cell = self.heap[opened.cell]
        self.heap[opened.cell] = Cell(cell.kind, cell.items, cell.cls)
        return opened

    def check_places(
        self, argument: Argument, examples: Mapping[str, Any], at: Location | None
    ) -> None:
        """Check that what is written is found in one place alone. at: where it is."""
        at = at or self.location()
        mine = text_of(argument)
        places = [p for p in mutables(examples) if p[1] is not argument.example]
        here = [t for t, v in mutables(examples) if v is argument.example]
        if len(here) > 1:
            raise UnsupportedSyntax(
                f"`{mine}` is written, and is `{here[1]}` too",
                at=at,
                remedy="Pass two objects, or return the new value.",
            )
        alike = [t for t, v in places if type(v) is type(argument.example)]
        if len(alike) > MOST_PLACES:
            raise UnsupportedSyntax(
                f"`{mine}` is written, and may be in too many other places",
                at=at,
                remedy=OUTSIDE,
            )
        for other in alike:
            test = f"{mine} is {other}"
            message = f"made for {mine} and {other} that are two objects"
            self.checks[test] = Check(test, message)

    # ------------------------------------------------------------ fields that are new

    def new_keys(self, number: int, cells: tuple[Cell, ...]) -> list[tuple[Any, int]]:
        """The fields that one arm alone gives an object of the caller's, and in which
        arm."""
        if number not in self.starts or cells[0].kind not in ("object", "dict"):
            return []
        a, b, old = (cell.items for cell in cells)
        one = [(key, 0) for key in a if key not in b and key not in old]
        return one + [(key, 1) for key in b if key not in a and key not in old]

    def write_new(self, merger: Merger, number: int, cells: tuple[Cell, ...]) -> None:
        """Write a field that one arm alone gives an object, at the end of the arm."""
        arms = (merger.then, merger.orelse)
        if any(arm.state.ended for arm in arms):
            return
        for key, side in self.new_keys(number, cells):
            arm, value = arms[side], cells[side].items[key]
            atom = self.atom_in(arm, value)
            assert not isinstance(atom, Undefined)
            target = self.place_of_argument(self.starts[number][0])
            outer, self.ops = self.ops, arm.ops
            try:
                self.put_field(target, cells[side].kind, key, atom)
            finally:
                self.ops = outer

    def note_new(self, number: int, cells: tuple[Cell, ...], merged: Cell) -> None:
        """Note the value that is written already."""
        for key, _ in self.new_keys(number, cells):
            if key in merged.items:
                self.flushed[number, key] = merged.items[key]

    def check_new(self, place: Place) -> None:
        """Refuse a field that a loop that may not run gives an object."""
        if place[0] in self.starts:
            name = text_of(self.starts[place[0]][0])
            self.refuse(
                f"`{name}` gets {place[1]!r} in a loop, which may not run",
                "Set it before the loop.",
            )

    # ------------------------------------------------------------ at the end

    def write_back(self) -> None:
        """Write what has changed into the caller's objects and containers."""
        for number, (argument, start) in self.starts.items():
            cell = self.heap[number]
            if cell is not start and cell != start:
                self.write_cell(number, argument, start, cell)

    def write_cell(
        self, number: int, argument: Argument, start: Cell, cell: Cell
    ) -> None:
        """Write into one object or container."""
        target = self.place_of_argument(argument)
        assert isinstance(target, Var)
        if cell.var is not None:
            self.put_field(target, "list", slice(None), self.atom(cell.var))
            return
        if cell.kind == "list" and cell.items.keys() != start.items.keys():
            whole = self.new_cell(Cell("list", cell.items, list))
            self.put_field(target, "list", slice(None), self.atom(whole))
            return
        for key in start.items:
            if key not in cell.items:
                self.refuse(f"`{text_of(argument)}` loses {key!r}", "Keep it.")
        for key, value in cell.items.items():
            if key in start.items and self.is_same(start.items[key], value):
                continue
            if key not in start.items and self.flushed.get((number, key)) == value:
                continue
            self.put_field(target, cell.kind, key, self.atom(value))

    def is_same(self, before: Value, after: Value) -> bool:
        """Whether two values are one, or one array before and after it was written."""
        if before == after or not isinstance(before, Var):
            return before == after
        if not isinstance(after, Var) or before.name not in self.memory:
            return False
        one, two = self.memory[before.name], self.memory.get(after.name)
        return two is not None and one.roots == two.roots != () and two.whole

    def put_field(self, target: Atom, kind: str, key: object, value: Atom) -> None:
        """target.key = value, or target[key] = value."""
        fn = setattr if kind == "object" else operator.setitem
        self.apply(fn, (target, Const(key), value), fact=NONE, effect=True)


def mutables(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The objects, lists and dicts among arguments, each place of each.

    >>> [text for text, _ in mutables({"x": [1, (2, {})], "y": 1.0})]
    ['x', 'x[1][1]']
    """
    for name, value in values.items():
        yield from _within(name, value, ())


def _within(
    text: str, value: Any, around: tuple[object, ...]
) -> Iterator[tuple[str, Any]]:
    if any(value is outer for outer in around):
        return
    around = (*around, value)
    if isinstance(value, (list, dict)) or hasattr(value, "__dict__"):
        if not isinstance(value, type):
            yield text, value
    if isinstance(value, (list, tuple)):
        for k, item in enumerate(value):
            yield from _within(f"{text}[{k}]", item, around)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _within(f"{text}[{key!r}]", item, around)
    elif hasattr(value, "__dict__") and not isinstance(value, type):
        if type(value).__module__ != "builtins":
            for name, item in vars(value).items():
                yield from _within(f"{text}.{name}", item, around)
