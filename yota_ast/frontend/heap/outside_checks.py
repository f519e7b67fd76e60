"""What the function writes, what it reads outside -> checks that these are apart."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from yota_ast.errors import UnsupportedSyntax
from yota_ast.frontend.calls.generalisation import Generalisation
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, uses
from yota_ast.frontend.expressions.argument_parts import ArgumentParts
from yota_ast.frontend.heap.argument_structures import (
    ArgumentStructures,
    called,
    text_of,
    told,
)
from yota_ast.frontend.heap.outside_writes import (
    AROUND,
    MOST_PLACES,
    OUTSIDE,
    OutsideWrites,
)
from yota_ast.frontend.heap.reachable_objects import (
    all_within,
    has_for_fields,
    held_by,
    reached_by,
)
from yota_ast.frontend.heap.written_parts import WrittenPart, are_items, names_in
from yota_ast.frontend.interpret.finished_blocks import read_by
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import BOOL, UNKNOWN
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.nodes import NOWHERE, Apply, Block, Form, Op, Store, walk
from yota_ast.syntax.value_paths import PathStep, path_text


class OutsideChecks(Component):
    """Checks that what is written is not read by another name outside."""

    position = uses(Position)
    cells = uses(Cells)
    variables = uses(Variables)
    states = uses(ArrayStates)
    operations = uses(Operations)
    structures = uses(ArgumentStructures)
    assumptions = uses(ValueAssumptions)
    argument_parts = uses(ArgumentParts)
    generalisation = uses(Generalisation)
    outside = uses(OutsideWrites)

    def outside_checks(
        self, things: Mapping[str, Var], block: Block, result: object
    ) -> list[Op]:
        """The ops that check that what is written is nothing from outside that is read.

        things: the arguments and the parts of them that have been read.
        """
        self.check_called(block)
        self.check_items_read(block)
        if not self.outside.starts and not self.states.written:
            return []
        made = [
            WrittenPart(text_of(a), None, a) for a, _ in self.outside.starts.values()
        ]
        arrays = [WrittenPart(t, things[t]) for t in self.states.written if t in things]
        self.check_opaque(made, things, names_in(block, result))
        tests: dict[str, list[Op]] = {}
        for const in self.brought_in():
            held = list(held_by(const.text or "", const.value))
            for each in (*made, *arrays):
                if any(has_for_fields(v, each.example) for _, v in held):
                    self.cells.refuse_dict()
                like = [(text, v) for text, v in held if each.test_against(v)]
                for text, value in like:
                    self.check_named_apart(each, const, text, value)
                if each.argument is not None and are_items(const.value, like):
                    tests[f"{each.text} in {const.text}"] = self.telling_items(
                        each, const
                    )
                    like = [(text, v) for text, v in like if v is const.value]
                for text, value in like:
                    found = Const(value, text or None, const.home)
                    key = f"{each.text} {text or id(value)}"
                    tests[key] = self.telling(each, found)
        if len(tests) > MOST_PLACES:
            self.outside.refuse_many(
                next(iter(tests)).partition(" ")[0], self.outside.written_at()
            )
        return [op for ops in tests.values() for op in ops]

    def check_items_read(self, block: Block) -> None:
        """Have the text check that a list from outside holds numbers, if it reads
        some."""
        ops = (op for op in walk(block) if not isinstance(op, Store))
        read = {a.fact for op in ops for a in read_by(op) if isinstance(a, Var)}
        if not any(fact.kind == "list" and fact.items is None for fact in read):
            return
        for (root, path), ref in self.argument_parts.owned_cells.items():
            cell = self.cells.heap[ref.cell]
            brought = root in self.structures.brought_at
            if brought and cell.kind == "list" and cell.var is not None:
                text = path_text(root, path)
                test = f'any(hasattr(v, "__len__") for v in {text})'
                message = f"made for numbers in {text}"
                self.structures.checks[test] = Check(test, message)

    def check_called(self, block: Block) -> None:
        """Refuse to call what is not followed and may read what is written outside,
        which the text writes at the end."""
        if not self.outside.outside_names:
            return
        blocks = (block, *(f.block for f in self.generalisation.functions_of(block)))
        ops = (op for each in blocks for op in walk(each))
        called = {id(op.fn): op.fn for op in ops if isinstance(op, Apply)}
        for fn in called.values():
            for each in reached_by(fn):
                if id(each) in self.outside.outside_names:
                    const = self.outside.outside_names[id(each)]
                    raise UnsupportedSyntax(
                        f"the function writes into `{const.text}`, which "
                        f"`{getattr(fn, '__name__', fn)}`, a primitive, may read",
                        at=self.outside.outside_places[id(each)]
                        or self.position.location(),
                        remedy="Give it what it reads as an argument.",
                    )

    def check_opaque(
        self, made: list[WrittenPart], things: Mapping[str, Var], read: frozenset[str]
    ) -> None:
        """Refuse to read of an argument that may hold an object that is written, where
        what it holds has no names."""
        kinds = {type(each.example) for each in made}
        for text, var in things.items() if made else ():
            known = var.fact.items is not None or var.fact.kind == "object"
            if known or var.name not in read:
                continue
            found = all_within(self.example_at(*self.structures.paths[var.name]))
            if any(type(one) in kinds for one in found):
                self.position.refuse(
                    "the function writes into "
                    f"{called(made[0].text, self.outside.brought_texts)}, "
                    f"which may be in `{told(text, self.outside.brought_texts)}`",
                    "Pass a copy, or return the new value.",
                )

    def example_at(self, root: Var, path: tuple[PathStep, ...]) -> object:
        """What an argument, or a part of one, is in the example."""
        value: Any = self.outside.examples.get(root.name)
        for kind, step in path:
            value = getattr(value, str(step)) if kind == "attr" else value[step]
        return value

    def brought_in(self) -> Iterator[Const]:
        """The values from outside that have been read."""
        for (home, path), value in self.operations.constants.items():
            inner = path.removeprefix(AROUND)
            yield Const(value, inner, home if inner == path else "")
        yield from self.argument_parts.brought.values()
        named = {id(value) for value in self.operations.constants.values()}
        for number, value in self.operations.used.items():
            if number not in named and number not in self.argument_parts.brought:
                yield Const(value)

    def check_named_apart(
        self, each: WrittenPart, const: Const, text: str, value: object
    ) -> None:
        """Refuse what is written and a value from outside that are one object, or that
        the text could not tell apart."""
        name = text or const.text or "a default"
        if value is each.example:
            self.outside.refuse_twice(each.text, name, self.outside.written_at())
        own = (
            self.outside.examples.get(each.text)
            if each.text in self.structures.brought_at
            else None
        )
        arrays = isinstance(own, np.ndarray) and isinstance(value, np.ndarray)
        if arrays and np.shares_memory(own, value):
            at = self.structures.brought_at[each.text] or self.outside.written_at()
            self.outside.refuse_twice(each.text, name, at, OUTSIDE)
        if not text and value is not const.value:
            mine = called(each.text, self.outside.brought_texts)
            self.position.refuse(
                f"the function writes into {mine}, which may be in `{name}`",
                "Pass a copy, or return the new value.",
            )

    def atom_of(self, each: WrittenPart) -> Atom:
        """What is written, as the text reads it."""
        atom: Atom | None = each.var
        if each.argument is not None:
            atom = self.argument_parts.place_of_argument(each.argument)
        assert atom is not None
        return atom

    def telling_items(self, each: WrittenPart, other: Const) -> list[Op]:
        """The ops that raise where what is written is an item of a list or a dict from
        outside."""
        ops: list[Op] = []

        def value(fn: Callable[..., object], *args: Atom, **how: Any) -> Var:
            out = self.variables.var(UNKNOWN)
            ops.append(Apply(out, fn, args, origin=NOWHERE, **how))
            return out

        items: Atom = other
        if isinstance(other.value, dict):
            items = value(dict.values, other, form="method", spelling="values")
        known = value(map, Const(id, "id", "builtins"), items)
        args = (known, value(id, self.atom_of(each)))
        test = Apply(
            self.variables.var(BOOL),
            operator.contains,
            args,
            (),
            "operator",
            "",
            NOWHERE,
        )
        what = f"made for {each.text} that is not in {other.text or 'a default'}"
        return [*ops, *self.assumptions.raising(test, what)]

    def telling(self, each: WrittenPart, other: Const) -> list[Op]:
        """The ops that raise where what is written is a value from outside."""
        atom, fn = self.atom_of(each), each.test_against(other.value)
        assert fn is not None
        name, both = other.text or "a default", "two objects,"
        if each.argument is None:
            both = "arrays that share no memory,"
        form: Form = "operator" if fn is operator.is_ else "call"
        spelling = "" if fn is operator.is_ else "np.shares_memory"
        test = Apply(
            self.variables.var(BOOL), fn, (atom, other), (), form, spelling, NOWHERE
        )
        return self.assumptions.raising(test, f"made for {both} {each.text} and {name}")
