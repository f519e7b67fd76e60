"""A target and a value -> what the assignment changes."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import InternalError
from yota_ast.frontend.arrays.array_layouts import is_part
from yota_ast.frontend.calls.outlining import Outlining
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, extensible, provides, uses
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.expressions.object_attributes import ObjectAttributes
from yota_ast.frontend.expressions.outside_names import OutsideNames
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.has_attribute import (
    descriptor_function,
    found_on,
    is_slot,
    seen_in,
    takes,
)
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Argument,
    Cell,
    Lazy,
    MaybeValue,
    Node,
    Ref,
    Value,
    is_literal_value,
)
from yota_ast.frontend.interpret.branches import Branches
from yota_ast.frontend.interpret.statement_execution import Execution
from yota_ast.frontend.library.type_questions import TypeQuestions
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.inlining_records import InliningRecords
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import BOOL, INT, NONE
from yota_ast.ir.atoms import UNDEFINED, Const, Var
from yota_ast.ir.store_changes import PUT
from yota_ast.syntax import nodes

LAYOUT: Final = (
    "real", "imag", "flat", "shape", "dtype", "strides", "data", "T", "base",
)  # fmt: skip
"""Attributes of arrays that Python lets be set, or that look so."""


class Assignments(Component):
    """Binds names, and unpacks."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    variables = uses(Variables)
    records = uses(InliningRecords)
    operations = uses(Operations)
    structures = uses(ArgumentStructures)
    assumptions = uses(ValueAssumptions)
    known_items = uses(KnownItems)
    kinds = uses(ValueKinds)
    object_attributes = uses(ObjectAttributes)
    type_questions = uses(TypeQuestions)
    outside_names = uses(OutsideNames)
    outlining = uses(Outlining)
    branches = uses(Branches)
    execution = uses(Execution)

    @provides(Language.assign)
    def assign(self, target: Node, value: Value) -> None:
        """Bind a target to a value."""
        if isinstance(value, Var) and value.fact.stands_for is not None:
            value = self.language.opened(value)
        if isinstance(target, nodes.Name):
            self.bind_name(target.id, value)
        elif isinstance(target, (nodes.Tuple, nodes.List)):
            self.unpack(target, value)
        elif isinstance(target, nodes.Subscript):
            owner = self.language.evaluate(target.value)
            self.language.store(owner, self.language.evaluate(target.slice), value, PUT)
        else:
            assert isinstance(target, nodes.Attribute)
            name = self.position.frame.scope.mangled(target.attr)
            owner = self.language.evaluate(target.value)
            if name != "shape" or not self.reshape_in_place(target.value, owner, value):
                self.type_questions.assign_attribute(owner, name, value)

    @extensible
    def reshape_in_place(self, named: Node, owner: Value, shape: Value) -> bool:
        """y.shape = shape of an array; say whether y is one that may be given another
        shape. See shape_assignments.py."""
        raise NotImplementedError

    def bind_name(self, name: str, value: Value) -> None:
        """Give a name a value; the value is called by it."""
        scope = self.position.frame.scope
        if name in scope.declared and not _imported(self.position.node):
            self.bind_global(name, value)
            return
        assigned = isinstance(self.position.node, nodes.Assign)  # not by a loop
        self.structures.note_name(name, value if assigned else NULL)
        if isinstance(value, Var) and not name.startswith("%"):
            self.name_value(value, name)
        if (
            isinstance(value, Const)
            and value.made
            and not value.hint
            and name[0] != "%"
        ):
            value = replace(value, hint=name)
        held = self.held_by(value) if isinstance(value, Ref) else None
        if held is not None:
            self.variables.hint(held.name, name)
        frame = self.position.frame
        if name in scope.nonlocals:
            while frame.parent is not None and name not in frame.scope.locals:
                frame = frame.parent
            if name not in frame.scope.locals:
                self.position.refuse(
                    f"`nonlocal {name}` writes a variable outside the function",
                    "Return the new value.",
                )
        self.cells.put(frame.cell, name, value)

    def held_by(self, value: Ref) -> Var | None:
        """The variable of a list that the text holds as a whole, and of a sparse matrix
        that an object stands for."""
        cell = self.cells.heap[value.cell]
        named = getattr(cell.cls, "__yota_ast_named__", None)
        held = cell.items.get(named) if named else cell.var
        return held if isinstance(held, Var) else None

    def bind_global(self, name: str, value: Value) -> None:
        """Give a global another value until its own is put back.

        Whoever reads it meanwhile is lowered with the new one; nothing is written.
        """
        scope = self.position.frame.scope
        if name in self.position.own_cells:  # then it is taken for a constant
            raise InternalError("a global that is a parameter has another value")
        key = id(scope.globals), name
        if self.outside_names.sets_global(key, value):
            return
        if not isinstance(value, Const) or name not in scope.globals:
            self.branches.refuse_global(key, self.position.location())
        own = scope.globals[name]
        self.operations.use(own)
        same = value.value is own or (
            type(value.value) is type(own) and is_literal_value(own)
            and value.value == own
        )  # fmt: skip
        self.records.rebound.pop(key, None)
        if not same:
            self.records.rebound[key] = (value, self.position.location())

    def name_value(self, value: Var, name: str) -> None:
        """Call a value by the name that it is assigned to, if it has no better one."""
        if value.name not in self.structures.paths:
            self.variables.hint(value.name, name)

    def unpack(self, target: Node, value: Value) -> None:
        """a, (b, *c) = value."""
        count = len(target.elts)
        starred = [k for k, e in enumerate(target.elts) if isinstance(e, nodes.Starred)]
        items: Sequence[Value] | None
        if isinstance(value, Lazy) and value.fn is map and not starred:
            columns = [self.outlining.unpacked(c, count) for c in value.args[1:]]
            rows = zip(*columns, strict=True)
            items = tuple(self.language.call(value.args[0], row) for row in rows)
        else:
            value = self.language.run_through(value)
            self.structures.tell_items(value)
            items = self.language.items_of(value)
        if items is None and starred:
            items = self.known_items.items_apart(
                value
            ) or self.known_items.items_of_table(value)
        elif items is None and self.assumptions.fixed is not None:
            items = self.known_items.rows_of(value)
        if items is None:
            if starred:
                self.position.refuse(
                    "a starred target takes an unknown number of items",
                    "Take the items by slices: x[0], x[1:].",
                    target,
                )
            if self.position.tries and isinstance(value, Var):
                self.check_unpacked(value, count)
                if self.blocks.ended:
                    return
            items = self.outlining.unpacked(value, count, counted=True)
        if starred:
            self.unpack_starred(target, starred[0], items)
            return
        if len(items) != count:
            if self.position.tries:
                self.fail_to_unpack(count)
                return
            self.position.refuse(
                f"{len(items)} items are assigned to {count} targets",
                "Correct the number of targets.",
                target,
            )
        for element, item in zip(target.elts, items, strict=True):
            self.language.assign(element, item)

    def check_unpacked(self, value: Var, count: int) -> None:
        """In a `try`, what is taken apart has as many items as there are targets."""
        if value.fact.items is not None:
            if len(value.fact.items) != count:
                self.fail_to_unpack(count)
            return
        length = self.operations.apply(len, (value,), fact=INT)
        args = (length, Const(count))
        test = self.operations.apply(operator.ne, args, form="operator", fact=BOOL)
        stay = self.execution.live_flags(self.position.live)
        self.branches.branch(
            test, lambda: self.fail_to_unpack(count), lambda: UNDEFINED, live=stay
        )

    def fail_to_unpack(self, count: int) -> MaybeValue:
        """What Python raises where there are more items, or fewer, than targets."""
        return self.operations.failing(ValueError, f"cannot unpack into {count} values")

    @provides(Outlining.unpacked)
    def unpacked(
        self, value: Value, count: int, *, counted: bool = False
    ) -> tuple[Value, ...]:
        """The items of something that the text takes apart by position; counted: it
        raises where there are more."""
        atom, spelling = self.language.atom(value), ""
        known = self.operations.fact(atom).items
        if counted and (known is None or len(known) != count):
            spelling = str(count)
        return tuple(
            self.operations.apply(
                operator.getitem, (atom, Const(k)), form="unpack", spelling=spelling
            )
            for k in range(count)
        )

    def unpack_starred(self, target: Node, at: int, items: Sequence[Value]) -> None:
        """a, *b, c = items."""
        after = len(target.elts) - at - 1
        if len(items) < at + after:
            self.position.refuse(
                "there are too few items to unpack",
                "Correct the number of targets.",
                target,
            )
        middle = items[at : len(items) - after]
        rest = self.cells.new_cell(Cell("list", dict(enumerate(middle)), list))
        values = [*items[:at], rest, *items[len(items) - after :]]
        for element, item in zip(target.elts, values, strict=True):
            inner = element.value if isinstance(element, nodes.Starred) else element
            self.language.assign(inner, item)

    @provides(TypeQuestions.set_attribute)
    def set_attribute(self, owner: Value, name: str, value: Value) -> None:
        """owner.name = value."""
        if isinstance(owner, Ref) and self.kinds.is_object(owner):
            cls = self.cells.heap[owner.cell].cls or object
            found = found_on(cls, name)
            if isinstance(found, property):
                if found.fset is None:
                    self.position.refuse(
                        f"the property `{name}` cannot be written",
                        "Give the property a setter.",
                    )
                self.language.call(Const(found.fset, name), (owner, value))
            elif descriptor_function(found, "__set__") is not None:
                self.object_attributes.call_descriptor(
                    found, "__set__", (owner, value), cls, name
                )
            elif hasattr(type(found), "__set__") and not is_slot(found):
                self.object_attributes.refuse_descriptor(name, cls)
            elif not takes(
                seen := seen_in(cls, self.position.frame.scope.module), name
            ):
                self.without_slot(seen, name)
            else:
                self.cells.put(owner.cell, name, value)
            return
        roots = self.language.memory_of(owner).roots if isinstance(owner, Var) else ()
        guessed = any(root.startswith("arg:") for root in roots)  # or a part of one
        vague = guessed and self.operations.fact(owner).kind == "real"
        if isinstance(owner, Var) and owner.fact.is_numeric and name in LAYOUT:
            self.set_layout(owner, name, value)
            return
        if isinstance(owner, Var) and owner.fact.is_numeric and not vague:
            # What no number and no array allows: Python raises it where it stands.
            self.operations.apply(
                setattr,
                (self.language.atom(owner), Const(name), self.language.atom(value)),
                fact=NONE,
                effect=True,
            )
            return
        if isinstance(owner, Argument) and owner.example is not None:
            self.cells.begin_again(owner)
        if isinstance(owner, Const) and self.outside_names.sets(
            owner.value, name, value
        ):
            return
        what = (
            f"`{owner.root.name}`"
            if isinstance(owner, Argument)
            else "an object from outside"
        )
        self.position.refuse(
            f"the function sets the attribute `{name}` of {what}",
            "Return the new value, and assign it outside.",
        )

    def without_slot(self, cls: type, name: str) -> None:
        """owner.name = value of a class with `__slots__`, none of which is for it."""
        if not self.position.tries:
            self.position.refuse(
                f"the class {cls.__name__} has no slot for `{name}`",
                "Name it in `__slots__`, or assign it to a variable.",
            )
        self.object_attributes.without_attribute(cls, name)

    def set_layout(self, owner: Var, name: str, value: Value) -> None:
        """array.real = value: a store; other attributes change the array itself."""
        known = owner.fact
        if is_part(owner, name):
            part = self.language.attribute(owner, name)
            assert isinstance(part, Var)
            self.language.store(part, Const(...), value, PUT)
            return
        real = known.dtype is not None and known.dtype.kind == "f"
        same = (
            self.operations.fact(value).is_scalar
            or self.operations.fact(value).shape == known.shape
        )
        if known.kind != "array" or not (
            (name == "real" and real) or (name == "flat" and same)
        ):
            self.position.refuse(
                f"the function sets the attribute `{name}` of an array",
                "Make a new array, with reshape or astype, or write into y[...].",
            )
        self.language.store(owner, Const(...), value, PUT)


def _imported(stmt: Node) -> bool:
    """An import into a global name is only made late: the value is the same."""
    return isinstance(stmt, (nodes.Import, nodes.ImportFrom))
