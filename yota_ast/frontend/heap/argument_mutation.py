"""Objects and containers of the caller's that the function writes into.

Fields are read once, at the top, so what is written is followed by lowering alone: the
object or container is one of its parts, as one that the function has made, and at the
end the text writes back what has changed. Which these are is known when the first write
is met: lowering then begins again, with them in mind.

Where the object is found in two places, a write through one must not be missed at the
other: see outside_writes.py.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import Location, UnsupportedSyntax
from yota_ast.frontend.components import Component, Components, extends, provides, uses
from yota_ast.frontend.expressions.argument_parts import ArgumentParts
from yota_ast.frontend.expressions.items_and_truth import ItemsAndTruth
from yota_ast.frontend.expressions.object_attributes import ObjectAttributes
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.argument_structures import (
    ArgumentStructures,
    called,
    text_of,
)
from yota_ast.frontend.heap.lowered_values import Argument, Cell, Ref, Value
from yota_ast.frontend.heap.outside_writes import MOST_PLACES, OUTSIDE, OutsideWrites
from yota_ast.frontend.heap.reachable_objects import (
    PlaceOf,
    fact_outside,
    has_own_methods,
)
from yota_ast.frontend.interpret.branches import Branches
from yota_ast.frontend.interpret.loop_passes import LoopPasses
from yota_ast.frontend.interpret.merged_values import MergedValues, Merger
from yota_ast.frontend.library.type_questions import TypeQuestions
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.loop_records import Place
from yota_ast.frontend.state.lowering_records import Owned
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import NONE
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.functions import Parameter
from yota_ast.syntax.value_literals import shown_key


class ArgumentMutation(Component):
    """What is written into arguments, and written back."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    notes = uses(Notes)
    operations = uses(Operations)
    structures = uses(ArgumentStructures)
    kinds = uses(ValueKinds)
    items_and_truth = uses(ItemsAndTruth)
    argument_parts = uses(ArgumentParts)
    object_attributes = uses(ObjectAttributes)
    type_questions = uses(TypeQuestions)
    merged_values = uses(MergedValues)
    outside = uses(OutsideWrites)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.flushed: dict[tuple[int, Any], Value] = {}

    def take_apart(
        self, variables: Mapping[str, Value], params: list[Parameter]
    ) -> None:
        """Take the arguments apart that are written: all are there, empty, before the
        first is filled, for each may hold each. What is written outside is a parameter
        more."""
        outside = self.brought_in_parameters(params)
        every = {**variables, **outside}
        owned = sorted(self.outside.owned, key=lambda key: -len(key[1]))
        found = [(place, self.place_among(every, place)) for place in owned]
        for place, argument in found:
            self.check_places(argument, self.outside.owned[place])
        self.outside.owned_at.update({id(part.example): place for place, part in found})
        fields = (getattr(part.example, "__dict__", None) for _, part in found)
        self.outside.own_dicts(
            frozenset(id(held) for held in fields if held is not None)
        )
        for place, _ in found:
            self.argument_parts.owned_cells[place] = self.cells.new_cell(
                Cell("object", {})
            )
        for place, argument in found:
            cell = self.argument_parts.owned_cells[place].cell
            whole = self.whole_list(place, argument)
            if whole is not None:
                self.cells.heap[cell] = Cell("list", {}, list, whole)
                continue
            self.cells.heap[cell] = self.opened_once(
                argument, self.outside.owned[place]
            )
            self.outside.starts[cell] = (argument, self.cells.heap[cell])
            self.structures.opened_from[cell] = argument
        for name, value in variables.items():
            self.exchange_owned(self.position.frame.cell, name, value)
        for name, value in outside.items():
            self.outside.outside_at[id(self.outside.examples[name])] = (
                self.argument_parts.owned_cells.get((name, ()), value)
            )

    def whole_list(self, place: PlaceOf, argument: Argument) -> Var | None:
        """A list of numbers in an object from outside, which may be longer at each
        call."""
        fact = fact_outside(argument.example, "")
        if place[0] not in self.structures.brought_at or fact.kind != "list":
            return None
        if fact.items is not None:
            return None
        return self.argument_parts.read(argument.root, argument.path, fact)

    def brought_in_parameters(self, params: list[Parameter]) -> dict[str, Value]:
        """What stands for what is written outside, by its names; a parameter more for
        each."""
        brought = self.outside.brought_parameters()
        end = len(params) - any(p.kind == "kwargs" for p in params[-1:])
        params[end:end] = brought
        found = {p.var.name: self.value_brought(p) for p in brought}
        for name, value in found.items():
            if isinstance(value, Var):
                self.outside.outside_at[id(self.outside.examples[name])] = value
            if isinstance(value, Ref):
                self.outside.owned_at[id(self.outside.examples[name])] = (
                    name,
                    (),
                )
                self.argument_parts.owned_cells[name, ()] = value
        apart = [n for n, v in found.items() if isinstance(v, Argument)]
        owned = {k: at for k, at in self.outside.owned.items() if len(k) > 1}
        self.outside.note_owned(
            owned | {(name, ()): self.structures.brought_at[name] for name in apart}
        )
        return found

    def value_brought(self, param: Parameter) -> Value:
        """What stands for what is written outside."""
        assert param.outside is not None
        var, value = param.var, param.outside.value
        if var.fact.kind == "list" and var.fact.items is None:
            return self.cells.new_cell(Cell("list", {}, list, var))
        return self.argument_parts.argument(var, (), var.fact, value)

    def place_among(self, variables: Mapping[str, Value], place: PlaceOf) -> Argument:
        """A part of an argument."""
        argument: Any = variables[place[0]]
        for kind, step in place[1]:
            if isinstance(argument, Ref):  # the dict of what is given by name
                argument = self.cells.heap[argument.cell].items[step]
            elif kind == "attr":
                argument = self.language.attribute(argument, str(step))
            else:
                argument = self.items_and_truth.item_of_argument(argument, step)
        assert isinstance(argument, Argument)
        return argument

    def exchange_owned(self, cell: int, name: object, value: Value) -> None:
        """Put what is written in the place of the argument that it is."""
        if isinstance(value, Argument):
            ref = self.argument_parts.owned_part(value.root, value.path, value.example)
            if ref is not None:
                self.cells.put(cell, name, ref)
        elif isinstance(value, Ref):
            for key, item in self.cells.heap[value.cell].items.items():
                self.exchange_owned(value.cell, key, item)

    @extends(Cells.begin_again)
    def begin_again(
        self, rest: Callable[..., NoReturn], argument: Argument
    ) -> NoReturn:
        """Begin again, with the object in mind that is written here, by the name that
        stands for it."""
        place = self.outside.places.first.get(id(argument.example))
        if place is None or place == (argument.root.name, argument.path):
            rest(argument)
        raise Owned(*place, self.position.location())

    def opened_once(self, argument: Argument, at: Location | None) -> Cell:
        """An object or container as one of its parts; the parts as they are."""
        if isinstance(argument.fact.cls, type):
            self.object_attributes.check_found_as_usual(argument.fact.cls)
        opened = self.argument_parts.opened(argument, deep=False)
        own = self.kinds.class_of_container(argument)
        if not isinstance(opened, Ref) or (own and has_own_methods(own)):
            raise UnsupportedSyntax(
                "the function writes into "
                f"{called(text_of(argument), self.outside.brought_texts)}",
                at=at or self.position.location(),
                remedy=OUTSIDE,
            )
        cell = self.cells.heap.pop(opened.cell)
        return Cell(cell.kind, cell.items, cell.cls)

    def check_places(self, argument: Argument, at: Location | None) -> None:
        """Check that what is written is no other object among the arguments, and that
        it is not given twice. at: where it is written."""
        at = at or self.position.location()
        mine = text_of(argument)
        places = [p for p in self.outside.places.all if p[1] is not argument.example]
        here = [t for t, v in self.outside.examples.items() if v is argument.example]
        if len(here) > 1:
            self.outside.refuse_twice(
                mine, next(t for t in here[::-1] if t != mine), at
            )
        if any(getattr(v, "__dict__", None) is argument.example for _, v in places):
            self.cells.refuse_dict()
        alike = [t for t, v in places if type(v) is type(argument.example)]
        if len(alike) > MOST_PLACES:
            self.outside.refuse_many(mine, at)
        for other in alike:
            test = f"{mine} is {other}"
            message = f"made for two objects, {mine} and {other}"
            self.structures.checks[test] = Check(test, message)

    # ------------------------------------------------------------ fields that are new

    def new_keys(self, number: int, cells: tuple[Cell, ...]) -> list[tuple[Any, int]]:
        """The fields that one arm alone gives an object of the caller's, and in which
        arm."""
        if number not in self.outside.starts or cells[0].kind not in (
            "object",
            "dict",
        ):
            return []
        a, b, old = (cell.items for cell in cells)
        one = [(key, 0) for key in a if key not in b and key not in old]
        return one + [(key, 1) for key in b if key not in a and key not in old]

    @provides(Branches.write_new)
    def write_new(self, merger: Merger, number: int, cells: tuple[Cell, ...]) -> None:
        """Write a field that one arm alone gives an object, at the end of the arm."""
        arms = (merger.then, merger.orelse)
        if any(arm.state.ended for arm in arms):
            return
        for key, side in self.new_keys(number, cells):
            arm, value = arms[side], cells[side].items[key]
            atom = self.merged_values.atom_in(arm, value)
            assert not isinstance(atom, Undefined)
            target = self.argument_parts.place_of_argument(
                self.outside.starts[number][0]
            )
            with self.blocks.appending(arm.ops):
                self.put_field(target, cells[side], key, atom)

    @provides(Branches.note_new)
    def note_new(self, number: int, cells: tuple[Cell, ...], merged: Cell) -> None:
        """Note the value that is written already."""
        for key, _ in self.new_keys(number, cells):
            if key in merged.items:
                self.flushed[number, key] = merged.items[key]

    @provides(LoopPasses.check_new)
    def check_new(self, place: Place) -> None:
        """Refuse a field that a loop that may not run gives an object."""
        if place[0] in self.outside.starts:
            name = text_of(self.outside.starts[place[0]][0])
            self.position.refuse(
                f"{shown_key(place[1])} of `{name}` is first set in a loop that may "
                "not run",
                "Set it before the loop.",
            )

    # ------------------------------------------------------------ at the end

    def write_back(self) -> None:
        """Write what has changed into the caller's objects and containers; errors of
        that point at where the first write stands."""
        places = self.argument_parts.owned_cells.items()
        stood = {ref.cell: self.outside.owned.get(place) for place, ref in places}
        for number, (argument, start) in self.outside.starts.items():
            cell = self.cells.heap[number]
            if cell is not start and cell != start:
                origin = replace(self.position.origin, inner=stood.get(number))
                with self.position.originating(origin):
                    self.write_cell(number, argument, start, cell)

    def write_cell(
        self, number: int, argument: Argument, start: Cell, cell: Cell
    ) -> None:
        """Write into one object or container."""
        target = self.argument_parts.place_of_argument(argument)
        assert isinstance(target, Var)
        if cell.kind == "dict" and not is_in_order(start, cell):
            self.write_whole(target, argument, start, number)
            return
        if cell.var is not None:
            self.put_field(target, cell, slice(None), self.language.atom(cell.var))
            return
        if cell.kind == "list" and cell.items.keys() != start.items.keys():
            whole = self.cells.new_cell(Cell("list", cell.items, list))
            self.put_field(target, cell, slice(None), self.language.atom(whole))
            return
        for key in start.items:
            if key not in cell.items:
                self.change(target, dict.pop, Const(key))
        for key, value in cell.items.items():
            if key in start.items and self.is_same(start.items[key], value):
                continue
            if key not in start.items and self.flushed.get((number, key)) == value:
                continue
            self.put_field(target, cell, key, self.language.atom(value))

    def write_whole(
        self, target: Var, argument: Argument, start: Cell, number: int
    ) -> None:
        """Empty a dict and fill it again, where its keys are others or in another
        order."""
        if not all(isinstance(v, (Var, Const)) for v in start.items.values()):
            self.position.refuse(
                f"the keys of the argument `{text_of(argument)}`, which holds "
                "containers or objects, are others after one branch than after another",
                "Set the same keys in every branch.",
            )
        made = self.language.atom(Ref(number))
        self.change(target, dict.clear)
        self.change(target, dict.update, made)

    def change(self, target: Var, method: Any, *args: Atom) -> None:
        """target.method(*args)."""
        name = method.__name__
        self.operations.apply(
            method, (target, *args), form="method", spelling=name, fact=NONE,
            effect=True,
        )  # fmt: skip

    def is_same(self, before: Value, after: Value) -> bool:
        """Whether two values are one, or one array before and after it was written."""
        if before == after or not isinstance(before, Var):
            return before == after
        if not isinstance(after, Var) or before.name not in self.notes.memory:
            return False
        one, two = self.notes.memory[before.name], self.notes.memory.get(after.name)
        return two is not None and one.roots == two.roots != () and two.whole

    def put_field(self, target: Atom, cell: Cell, key: object, value: Atom) -> None:
        """target.key = value, past what its class does then; or target[key] = value."""
        fn: Callable[..., object] = operator.setitem
        if cell.kind == "object":
            fn = (
                setattr
                if self.type_questions.own_setter(cell.cls) is None
                else object.__setattr__
            )
        self.operations.apply(fn, (target, Const(key), value), fact=NONE, effect=True)


def is_in_order(before: Cell, after: Cell) -> bool:
    """Whether the keys of a dict are those that it had, in that order, some left out,
    and others behind them.

    >>> one, two = (
    ...     Cell("dict", dict.fromkeys(keys, Const(1))) for keys in ("ab", "bc")
    ... )
    >>> is_in_order(one, two), is_in_order(two, one)
    (True, False)
    """
    if after.var is not None or after.unordered:
        return False
    same = [key for key in before.items if key in after.items]
    return [*after.items][: len(same)] == same
