"""`a is b` of two values -> whether they are one object, where lowering knows it.

Numbers are asked while the text runs. The containers that lowering follows are parted:
the text may hold two where the program has one, so that what is not known is refused.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Final, NoReturn

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, extensible, provides, uses
from yota_ast.frontend.expressions.folding import has_method, is_none
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Either,
    MethodOf,
    OneOf,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import BOOL, CONTAINERS, MIXED
from yota_ast.ir.atoms import Const, Var
from yota_ast.ops import spellings

IDENTITY: Final = tuple(op.fn for op in spellings.IDENTITY)
_MAY_BE: Final = {
    False: ("bool", "unknown", "callable", "other"),
    True: ("bool", "unknown", "callable", "other", "real"),
}
"""The kinds of what may be a class, and of what may be True or False."""


class Identity(Component):
    """`is` and `is not`."""

    language = uses(Language)
    position = uses(Position)
    operations = uses(Operations)
    choice = uses(ObjectChoice)
    structures = uses(ArgumentStructures)
    assumptions = uses(ValueAssumptions)

    @provides(ObjectChoice.identity)
    def identity(self, fn: Callable[..., object], *operands: Value) -> Value:
        """a is b, a is not b."""
        for one, other in (operands, operands[::-1]):
            if isinstance(one, (Either, OneOf)):
                return self.choice.identity_of_chosen(fn, one, other)
        same = self.identical(*operands)
        if same is not None:
            return Const(same is (fn is operator.is_))
        atoms = [self.language.atom(v) for v in operands]
        return self.operations.apply(fn, atoms, form="operator", fact=BOOL)

    def identical(self, left: Value, right: Value) -> bool | None:
        """Whether two values are one object, where that is known."""
        if isinstance(left, Const) and isinstance(right, Const):
            return left.value is right.value
        if isinstance(left, Const) and left.value is None:
            left, right = right, left
        if isinstance(right, Const) and right.value is None:
            if isinstance(left, MethodOf) and not self.is_method(left):
                return None  # a field
            missing = is_none(self.operations.fact(left))
            if missing is False:
                self.assumptions.tell_present(left)
            return missing
        if self.may_be_container(left) and self.may_be_container(right):
            return self.identical_containers(left, right)
        if isinstance(left, Var) and left == right and left.fact.may_be_array:
            return True
        if isinstance(left, Const):
            left, right = right, left
        if isinstance(right, Const) and isinstance(right.value, (bool, type)):
            # A number of which no more is known may be True, which is one as well.
            possible = _MAY_BE[isinstance(right.value, bool)]
            if self.operations.fact(left).kind in possible or self.is_guessed(left):
                return None
            self.assumptions.tell_type(left, lambda cls: cls is bool)
            return False
        return None

    def is_method(self, value: MethodOf) -> bool:
        """Whether what is read of a value is surely a method, and no field."""
        return has_method(self.operations.fact(value.owner), value.name)

    def is_guessed(self, value: Value) -> bool:
        """Whether a value is an argument of which no example tells what it is."""
        vague = isinstance(value, Var) and value.fact.kind == "real"
        return vague and isinstance(value, Var) and value.name in self.structures.paths

    def may_be_container(self, value: Value) -> bool:
        """Whether a value is a tuple, list, dict, set or object, or may be a
        tuple, list or dict that lowering has made."""
        if isinstance(value, Argument):
            return value.fact.kind in CONTAINERS
        if isinstance(value, Var):
            return value.fact.kind in (*CONTAINERS, "unknown")
        return isinstance(value, (Ref, TupleValue))

    def identical_containers(self, left: Value, right: Value) -> bool | None:
        """Whether two containers are one, where that is known: of what a branch, a loop
        or a key has chosen the text makes one of its own."""
        if isinstance(left, Ref) and isinstance(right, Ref):
            if left == right:
                return True
            return self.refuse_identity() if self.may_be_one(left, right) else False
        facts = [self.operations.fact(v) for v in (left, right)]
        kinds = {f.kind for f in facts}
        if kinds == {"unknown"} and MIXED not in facts:
            return None  # of objects that the program is given
        if left == right and not isinstance(left, TupleValue):
            return True
        if all(isinstance(v, Argument) for v in (left, right)):
            return None
        if len(kinds) == 2 and "unknown" not in kinds:
            return False
        if kinds == {"tuple"} and self.are_unlike_tuples(left, right):
            return False
        return self.refuse_identity()

    def are_unlike_tuples(self, left: Value, right: Value) -> bool:
        """Whether two tuples differ in class, length, or an item that is known."""
        if not (isinstance(left, TupleValue) and isinstance(right, TupleValue)):
            return False
        if left.cls is not right.cls or len(left.items) != len(right.items):
            return True
        pairs = zip(left.items, right.items, strict=True)
        return any(
            isinstance(a, Const) and isinstance(b, Const) and a != b for a, b in pairs
        )

    @extensible
    def may_be_one(self, one: Value, other: Value) -> bool:
        """Whether two values may be one container; see current_arrays.py."""
        raise NotImplementedError

    def refuse_identity(self) -> NoReturn:
        """Refuse to tell whether two containers are one."""
        self.position.refuse(
            "two lists, dicts or tuples may or may not be one object",
            "Compare their items, or keep a flag that says which of them it is.",
        )
