"""A value -> what is known of its class."""

from __future__ import annotations

import enum
import typing
from collections.abc import Iterator, Sequence
from typing import NoReturn

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import (
    Component,
    Components,
    extensible,
    provides,
    uses,
)
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Cell,
    Either,
    Generator,
    Lazy,
    OneOf,
    Ref,
    TupleValue,
    Value,
    is_user_class,
    literal,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.source.name_flow import may_never_end
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import (
    Apply,
)
from yota_ast.support.value_classes import plain_number


class ValueKinds(Component):
    """Of what class values are, and which methods of their own they have."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    notes = uses(Notes)
    operations = uses(Operations)
    choice = uses(ObjectChoice)
    assumptions = uses(ValueAssumptions)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.ranks: set[str] = set()  # what of that is the rank of an array

    def as_number(self, value: Value) -> Value:
        """A member of an IntEnum as the number that is computed with; it stays what it
        is where it is only handed on."""
        plain = plain_number(value.value) if isinstance(value, Const) else None
        return value if plain is None else Const(plain)

    def is_number(self, value: Value) -> bool:
        """Whether a value is a number of Python's, of which nothing else is known."""
        if isinstance(value, Var):
            return (
                value.fact.kind in ("float", "int")
                and value.name not in self.notes.known
            )
        return isinstance(value, Const) and type(value.value) in (float, int)

    @provides(ValueAssumptions.known_value)
    def known_value(self, value: Value) -> Const | None:
        """The literal that a value is: written, or proved by facts."""
        if isinstance(value, Const):
            return value if literal(value) else None
        if isinstance(value, Var) and value.name in self.notes.known:
            if value.name in self.ranks:
                self.assumptions.depend_on_ranks()
            self.assumptions.tell(self.notes.asked.get(value.name))
            return Const(self.notes.known[value.name])
        if isinstance(value, TupleValue) and value.cls is tuple:
            items = [self.assumptions.known_value(v) for v in value.items]
            if all(v is not None for v in items):
                return Const(tuple(v.value for v in items if v is not None))
        return None

    # ------------------------------------------------------------ virtual operands

    @provides(ObjectChoice.class_of)
    def class_of(self, value: Value) -> type | None:
        """The user's class of an object whose methods can be followed."""
        if isinstance(value, Ref):
            return self.cells.heap[value.cell].cls if self.is_object(value) else None
        if isinstance(value, Argument):
            return value.fact.cls if value.fact.kind == "object" else None
        if isinstance(value, TupleValue):
            return None if value.cls is tuple else value.cls
        if isinstance(value, Const) and is_user_class(type(value.value)):
            return (
                None
                if self.operations.fact(value).kind == "array"
                else type(value.value)
            )
        if isinstance(value, (Either, OneOf)):
            return self.choice.class_of_chosen(value)
        return None

    def is_object(self, value: Value) -> bool:
        """Whether a value is an object made while lowering."""
        return isinstance(value, Ref) and self.cells.heap[value.cell].kind == "object"

    def special_method(self, owner: Value, name: str) -> Value | None:
        """type(owner).name, where a user's class defines it in Python."""
        cls = self.choice.class_of(owner) or self.class_of_container(owner)
        if cls is None or cls.__module__ == typing.__name__:  # a type, as in a cast
            return None
        self.choice.tell_class(owner)
        return self.class_function(cls, name)

    def class_of_container(self, value: Value) -> type | None:
        """The user's class of a list or a dict of the caller's, of which the methods
        may be its own."""
        cls: type | None = None
        if isinstance(value, Argument) and value.fact.kind in ("list", "dict"):
            cls = value.fact.cls
        elif isinstance(value, Ref) and not self.is_object(value):
            cls = self.cells.heap[value.cell].cls
        if cls in (None, list, dict, set, tuple) or not is_user_class(cls):
            return None
        return cls if issubclass(cls, (list, dict)) else None

    def iterated(self, value: Value) -> Value:
        """What iter(value) gives, where a user's class defines it in Python."""
        if isinstance(value, Const) and isinstance(value.value, enum.EnumMeta):
            return value
        cell = self.cells.heap[value.cell] if isinstance(value, Ref) else None
        listed = None if cell is None else getattr(cell.cls, "__yota_ast_items__", None)
        if cell is not None and listed is not None:
            return cell.items[listed]  # a list of the model
        method = self.special_method(value, "__iter__")
        return value if method is None else self.language.call(method, (value,))

    def fact_iterated(self, value: Value) -> Fact:
        """What is known of what a loop runs over."""
        fact = self.operations.fact(value)
        if fact.kind == "model":
            name = getattr(fact.cls, "__name__", "a library")
            self.position.refuse(
                f"a loop runs over an object of class {name}",
                "Run over its positions: for k in range(len(x)).",
            )
        return fact

    @extensible
    def class_function(self, cls: type, name: str) -> Value | None:
        """A function of a class, looked up along its bases."""
        raise NotImplementedError

    def is_list(self, value: Value) -> bool:
        """Whether a value is a list made while lowering."""
        return isinstance(value, Ref) and self.cells.heap[value.cell].kind == "list"

    def is_set(self, value: Value) -> bool:
        """Whether a value is a set made while lowering."""
        return isinstance(value, Ref) and self.cells.heap[value.cell].kind == "set"

    def like(self, sequence: Value, items: Sequence[Value]) -> Value:
        """A tuple or list, as `sequence` is, of other items."""
        if self.operations.fact(sequence).kind == "list":
            return self.cells.new_cell(Cell("list", dict(enumerate(items)), list))
        return TupleValue(tuple(items))

    # ------------------------------------------------------------ truth, iteration

    @provides(Language.is_iterator)
    def is_iterator(self, value: Value | None) -> bool:
        """Whether a value gives its items once: it has no length, and no places."""
        if isinstance(value, Ref):
            return self.cells.heap[value.cell].cls is Iterator
        if isinstance(value, Lazy):
            return value.fn is not range
        return isinstance(value, Generator)

    @provides(Language.refuse_as_list)
    def refuse_as_list(self) -> NoReturn:
        """Refuse to ask of an iterator what a list would tell."""
        self.position.refuse_call(
            "an iterator, or a view of a dict, is used as a list",
            "Make a list of its items first.",
        )

    # ------------------------------------------------------------ atoms

    def last_op_of(self, var: Var) -> Apply | None:
        """The Apply that made a variable, if it is the last op."""
        last = self.blocks.ops[-1] if self.blocks.ops else None
        return last if isinstance(last, Apply) and last.out == var else None


def is_endless(value: Value) -> bool:
    """Whether a generator may have no end, or what `enumerate` or `zip` take of one:
    its items cannot be taken beforehand."""
    if isinstance(value, Lazy):
        return any(map(is_endless, value.args))
    return isinstance(value, Generator) and may_never_end(value.node)
