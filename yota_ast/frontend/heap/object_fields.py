"""`self.__dict__[name] = value`, `vars(self).update(kwargs)`: fields by their names.

An object's `__dict__` is no value here, for it changes with the object. What is done
with it at once is done with the fields: it is written, read by a name, copied, or run
through, `list(vars(self).values())`, `for name, value in vars(self).items()`.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn

from yota_ast.frontend.calls.user_calls import UserCalls
from yota_ast.frontend.components import Component, extends, provides, uses
from yota_ast.frontend.expressions.comprehensions import Comprehensions
from yota_ast.frontend.expressions.expressions import Expressions
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.expressions.object_attributes import ObjectAttributes
from yota_ast.frontend.expressions.subscripts import Subscripts
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.has_attribute import found_on, is_slot
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Argument,
    Cell,
    MethodOf,
    Node,
    Ref,
    Value,
)
from yota_ast.frontend.interpret.loops import Loops
from yota_ast.frontend.library.cached_functions import forgotten
from yota_ast.frontend.library.type_questions import TypeQuestions
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Const
from yota_ast.ops import info
from yota_ast.syntax import nodes
from yota_ast.syntax.value_literals import shown_key

VIEWS: Final = ("items", "keys", "values")


def _is_through(func: Node) -> bool:
    """Whether a builtin of this name is through with its argument when it returns."""
    known = info(vars(builtins).get(getattr(func, "id", "")))
    return known.taking in ("all", "some") or known.tells


class ObjectFields(Component):
    """Items of the `__dict__` of an object that is made here."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    structures = uses(ArgumentStructures)
    known_items = uses(KnownItems)
    kinds = uses(ValueKinds)
    subscripts = uses(Subscripts)
    object_attributes = uses(ObjectAttributes)
    type_questions = uses(TypeQuestions)

    taken_node: Node | None = None  # what is run through where it stands

    @extends(UserCalls.eval_Call)
    def eval_Call(self, rest: Callable[..., Value], node: Node) -> Value:
        """x.__dict__.update(fields), list(x.__dict__)."""
        func = node.func
        if len(node.args) == 1 and _is_through(func):
            self.taken_node = node.args[0]
        elif isinstance(func, nodes.Attribute) and (
            func.attr in ("copy", "get")
            or (node is self.taken_node and func.attr in VIEWS)
        ):
            owner = self.owner_of_fields(func.value)
            if owner is not None:
                args = [self.language.evaluate(a) for a in node.args]
                return self.language.call(
                    MethodOf(self.fields_now(owner), func.attr), args
                )
        elif isinstance(func, nodes.Attribute) and func.attr == "setdefault":
            owner = self.owner_of_fields(func.value, written=True)
            if owner is not None and not node.keywords:
                return self.set_once(owner, *map(self.language.evaluate, node.args))
        elif isinstance(func, nodes.Attribute) and func.attr == "pop":
            owner = self.owner_of_fields(func.value)
            if owner is not None and self.forgets(owner, node):
                return NULL
        if not isinstance(func, nodes.Attribute) or func.attr != "update":
            return rest(node)
        owner = self.owner_of_fields(func.value, written=True)
        if owner is None or len(node.args) > 1:
            return rest(node)
        given: dict[object, Value] = {}
        for part in node.args:
            given |= self.fields_given(part)
        for keyword in node.keywords:
            if keyword.arg is None:
                given |= self.fields_given(keyword.value)
            else:
                given[keyword.arg] = self.language.evaluate(keyword.value)
        for name, value in given.items():
            self.set_field(owner, name, value)
        return NULL

    @provides(ArgumentStructures.names_held)
    def names_held(self, node: Node) -> Value | None:
        """{"predict"} & x.__dict__.keys(), "predict" in x.__dict__; None where it is
        something else."""
        if isinstance(node, nodes.Compare):
            owner = self.owner_of_fields(node.comparators[0])
        else:
            owner = self.owner_of_names(node.right)
        if owner is None:
            return None
        if isinstance(node, nodes.Compare):
            if len(node.ops) > 1:
                self.refuse_fields()
            name = self.known_items.key_of(self.language.evaluate(node.left))
            found = self.is_field(owner, name)
            return Const(found != isinstance(node.ops[0], nodes.NotIn))
        asked = self.known_items.known_items(
            self.language.evaluate(node.left), node.left
        )
        given = {a.value for a in asked if isinstance(a, Const)}
        if len(given) != len(asked):
            self.refuse_fields()
        return Const(frozenset(n for n in given if self.is_field(owner, n)))

    def set_once(self, owner: Ref, key: Value, value: Value = NULL) -> Value:
        """x.__dict__.setdefault(key, value)."""
        name = self.known_items.key_of(key)
        if not self.is_field(owner, name):
            self.set_field(owner, name, value)
        return self.cells.heap[owner.cell].items[name]

    def is_field(self, owner: Ref, name: object) -> bool:
        """Whether an object has a field of a name; of the caller's the text checks
        it."""
        cell = self.cells.heap[owner.cell]
        if name in cell.perhaps:
            self.refuse_fields()
        if name not in cell.items and owner.cell in self.structures.opened_from:
            found = found_on(cell.cls or object, str(name))
            given = self.structures.opened_from[owner.cell]
            self.structures.tell_own(given, cell.cls or object, str(name), found)
        return name in cell.items

    def owner_of_names(self, node: Node) -> Ref | None:
        """The object of `x.__dict__.keys()`."""
        func = getattr(node, "func", None)
        if not isinstance(func, nodes.Attribute) or func.attr != "keys":
            return None
        return None if node.args or node.keywords else self.owner_of_fields(func.value)

    @extends(Loops.run_For)
    def run_For(self, rest: Callable[..., None], stmt: Node) -> None:
        """for name in x.__dict__."""
        with self.fields_stay(stmt.iter):
            rest(stmt)

    @extends(Comprehensions.comprehension)
    def comprehension(
        self,
        rest: Callable[..., list[Value] | None],
        node: Node,
        element: Callable[[], Value],
    ) -> list[Value] | None:
        """[... for name in x.__dict__]."""
        with self.fields_stay(node.generators[0].iter):
            return rest(node, element)

    def forgets(self, owner: Ref, node: Node) -> bool:
        """x.__dict__.pop("name", None) of a cached property, alone in its statement."""
        plain = (
            len(node.args) == 2 and not node.keywords and node is self.position.whole
        )
        if not plain or not all(isinstance(a, nodes.Constant) for a in node.args):
            return False
        name = str(node.args[0].value)
        found = found_on(self.cells.heap[owner.cell].cls or object, name)
        cached = isinstance(found, functools.cached_property)
        if cached and owner.cell in self.structures.opened_from:
            self.position.refuse(
                f"the function removes {shown_key(name)} from an object of the "
                "caller's",
                "Work on a copy: copy.copy(...).",
            )
        return cached and forgotten(self, owner, name)

    @contextmanager
    def fields_stay(self, over: Node) -> Iterator[None]:
        """Refuse to change the fields over which something goes."""
        self.taken_node = over
        inner = over
        if isinstance(inner, nodes.Call) and isinstance(inner.func, nodes.Attribute):
            inner = inner.func.value
        owner = self.owner_of_fields(inner)
        before = None if owner is None else dict(self.cells.heap[owner.cell].items)
        yield
        if owner is not None and not self.blocks.ended:
            if self.cells.heap[owner.cell].items != before:
                self.refuse_fields()

    @extends(ObjectAttributes.attribute_of_object)
    def attribute_of_object(
        self, rest: Callable[..., Value], owner: Ref, name: str
    ) -> Value:
        """x.__dict__, where it is run through at once."""
        if name == "__dict__" and self.position.node is self.taken_node:
            return self.fields_now(owner)
        return rest(owner, name)

    def fields_now(self, owner: Ref) -> Ref:
        """The fields of an object as a dict of their own."""
        cell = self.cells.heap[owner.cell]
        cls: type = cell.cls or object
        kept = any(
            isinstance(found, functools.cached_property)
            for base in cls.__mro__
            for found in vars(base).values()
        )
        if cell.perhaps or kept or not cls.__dictoffset__:
            self.refuse_fields()
        return self.cells.new_cell(Cell("dict", dict(cell.items), dict))

    def refuse_fields(self) -> NoReturn:
        """Refuse what is done with the fields as a whole."""
        self.position.refuse_call(
            "`__dict__` of an object is not supported", "Read its fields by name."
        )

    def fields_given(self, node: Node) -> dict[object, Value]:
        """The items of a mapping, which may be the fields of another object."""
        owner = self.owner_of_fields(node)
        if owner is not None:
            return dict(self.cells.heap[owner.cell].items)
        return self.known_items.known_mapping(self.language.evaluate(node), node)

    @extends(Expressions.eval_Subscript)
    def eval_Subscript(self, rest: Callable[..., Value], node: Node) -> Value:
        """x.__dict__[name]."""
        owner = self.owner_of_fields(node.value)
        if owner is None:
            return rest(node)
        name = self.known_items.key_of(self.language.evaluate(node.slice))
        if name not in self.cells.heap[owner.cell].items:
            return self.subscripts.without_key(
                name, f"the object has no field {shown_key(name)}"
            )
        assert isinstance(name, str)
        self.object_attributes.surely_there(owner, name)
        return self.cells.heap[owner.cell].items[name]

    @extends(Language.assign)
    def assign(self, rest: Callable[..., None], target: Node, value: Value) -> None:
        """x.__dict__[name] = value."""
        owner = None
        if isinstance(target, nodes.Subscript):
            owner = self.owner_of_fields(target.value, written=True)
        if owner is None:
            rest(target, value)
        else:
            self.set_field(
                owner,
                self.known_items.key_of(self.language.evaluate(target.slice)),
                value,
            )

    def owner_of_fields(self, node: Node, *, written: bool = False) -> Ref | None:
        """The object of `x.__dict__` or `vars(x)`, for a name x: nothing happens while
        it is read. written: whether its fields are set."""
        inner = None
        if isinstance(node, nodes.Attribute) and node.attr == "__dict__":
            inner = node.value
        elif isinstance(node, nodes.Call) and isinstance(node.func, nodes.Name):
            plain = node.func.id == "vars" and len(node.args) == 1 and not node.keywords
            if plain and self.language.evaluate(node.func) == Const(
                vars, "vars", "builtins"
            ):
                inner = node.args[0]
        if not isinstance(inner, nodes.Name):
            return None
        owner = self.language.evaluate(inner)
        if written and isinstance(owner, Argument) and owner.fact.kind == "object":
            if owner.example is not None:
                self.cells.begin_again(owner)
        return owner if isinstance(owner, Ref) and self.kinds.is_object(owner) else None

    def set_field(self, owner: Ref, name: object, value: Value) -> None:
        """Set a field whatever its class has by that name."""
        cls: Any = self.cells.heap[owner.cell].cls or object
        usual = cls.__dictoffset__ and not is_slot(found_on(cls, str(name)))
        if not isinstance(name, str) or not usual:
            self.refuse_fields()
        self.cells.put(owner.cell, name, value)
