"""A value -> its items, and whether it is true."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Mapping
from typing import Any, Final

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, extensible, provides, uses
from yota_ast.frontend.expressions.expressions import Expressions
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.identity import Identity
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Bound,
    Closure,
    Either,
    Lazy,
    MethodOf,
    OneOf,
    Partial,
    Ref,
    TupleValue,
    Value,
    is_user_class,
    literal,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.library.conversions import converted
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import (
    fact_of,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.support.proxies import is_a, is_gone_through_its_own_way
from yota_ast.syntax.value_paths import attribute_text, item_text

UNROLLED: Final = 16


TABLE: Final = 256
"""How many keys of a mapping from outside are gone through one after the other."""


class ItemsAndTruth(Component):
    """Truth, and iteration over known items."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    choice = uses(ObjectChoice)
    structures = uses(ArgumentStructures)
    assumptions = uses(ValueAssumptions)
    expressions = uses(Expressions)
    identity = uses(Identity)
    kinds = uses(ValueKinds)
    notes = uses(Notes)

    # ------------------------------------------------------------ virtual operands

    def sequence_items(self, value: Value) -> tuple[Value, ...] | None:
        """The items of a tuple or list of known length."""
        if isinstance(value, TupleValue):
            return value.items
        if (
            isinstance(value, Const)
            and literal(value)
            and isinstance(value.value, tuple)
        ):
            return tuple(Const(v) for v in value.value)
        if isinstance(value, Ref):
            cell = self.cells.heap[value.cell]
            if cell.kind == "list" and cell.var is None:
                return tuple(cell.items.values())
        if isinstance(value, Argument) and value.fact.kind in ("list", "tuple"):
            count = None if value.fact.items is None else len(value.fact.items)
            if count is not None:
                self.choice.tell_length(value)
                return tuple(self.item_of_argument(value, k) for k in range(count))
        return None

    @extensible
    def item_of_argument(self, argument: Argument, key: object) -> Value:
        """argument[key]."""
        raise NotImplementedError

    # ------------------------------------------------------------ truth, iteration

    @provides(Language.truth)
    def truth(self, value: Value) -> bool | Atom:
        """Whether a value is true: known, or the atom that the text tests."""
        known = self.assumptions.known_value(value)
        if known is not None:
            return bool(known.value)
        if isinstance(value, Var):
            count = self.count_of_tuple(value)
            if count is not None:
                return bool(count)
            return False if value.fact.kind == "none" else value
        if isinstance(value, Const):
            if not value.home or is_user_class(type(value.value)):
                return value
            (flag,) = self.assumptions.flags((value,), (None,))
            if flag is not None:
                return bool(flag.value)
            return True if callable(value.value) else value
        if isinstance(value, MethodOf) and not self.identity.is_method(value):
            return self.language.atom(value)
        if isinstance(value, (Closure, Bound, Partial, MethodOf)):
            return True
        if isinstance(value, (Either, OneOf)):
            return self.choice.truth_of_chosen(value)
        cls = self.choice.class_of(value)
        for name in ("__bool__", "__len__"):
            method = self.kinds.special_method(value, name)
            if method is not None:
                result = self.language.call(method, (value,))
                if name == "__bool__":
                    result = converted(self, bool, value, result)
                return self.language.truth(result)
            if cls is not None and hasattr(cls, name):
                return self.truth_in_c(value, name)
        return True if self.kinds.is_object(value) else self.truth_of_container(value)

    def count_of_tuple(self, value: Var) -> int | None:
        """How many items a tuple has that an op gives, as `x.shape[1:]`: it may rest on
        the rank of an array."""
        if value.fact.kind != "tuple" or value.fact.items is None:
            return None
        self.assumptions.tell(self.notes.asked.get(value.name))
        return len(value.fact.items)

    def truth_in_c(self, value: Value, name: str) -> bool | Atom:
        """Whether an object is true whose class has that from one of Python's own."""
        if isinstance(value, Argument):
            return self.language.atom(value)
        if not self.kinds.is_object(value):
            return self.truth_of_container(value)
        self.position.refuse_call(
            "the truth value of an object is tested, and its class derives "
            "from a built-in class",
            f"Define `{name}` in the class.",
        )

    def truth_of_container(self, value: Value) -> bool | Atom:
        """Whether a container has items."""
        if self.language.is_iterator(value):  # one without items, too
            return True
        if isinstance(value, Ref):
            cell = self.cells.heap[value.cell]
            return bool(cell.items) if cell.var is None else cell.var
        if isinstance(value, Argument) and value.fact.kind in ("list", "tuple", "dict"):
            if value.fact.items is not None:
                self.choice.tell_length(value)
                return bool(value.fact.items)
            return self.language.atom(value)
        items = self.language.items_of(value)
        return True if items is None else bool(items)

    @provides(Language.items_of)
    def items_of(self, value: Value) -> tuple[Value, ...] | None:
        """The items over which iteration goes, where their number is known."""
        if isinstance(value, Lazy):
            return self.lazy_items(value)
        if isinstance(value, Ref):
            cell = self.cells.heap[value.cell]
            if cell.var is not None or cell.kind == "object":
                return None
            if cell.kind in ("dict", "set"):
                return tuple(Const(k) for k in self.cells.items_in_order(value.cell))
        if isinstance(value, Argument) and value.fact.keys is not None:
            self.choice.tell_keys(value)
            return tuple(Const(k) for k in value.fact.keys)
        if isinstance(value, Const):
            if is_gone_through_its_own_way(value.value):
                return None
            if isinstance(value.value, enum.EnumMeta):
                members: list[enum.Enum] = list(value.value)
                texts = (attribute_text(str(value.text), m.name) for m in members)
                return tuple(map(Const, members, texts, itertools.repeat(value.home)))
            if isinstance(value.value, str) and literal(value):
                return tuple(Const(c) for c in value.value)
            if is_a(value.value, Mapping) and len(value.value) <= TABLE:
                self.structures.tell_items(value)
                return tuple(Const(k) for k in value.value)
            if type(value.value) is frozenset and len(value.value) < 2:  # in any order
                self.structures.tell_items(value)
                return tuple(map(Const, value.value))
            return self.constant_items(value)
        items = self.sequence_items(value)
        return self.few_parts(value) if items is None else items

    def few_parts(self, value: Value) -> tuple[Value, ...] | None:
        """The items of a short list that an op gives, `np.split(x, 3)`, where loops
        over known items are written out; elsewhere it is noted that one stays."""
        known = value.fact.items if isinstance(value, Var) else None
        if not known or len(known) > UNROLLED:
            return None
        if self.settings.looping:
            self.expressions.keep_loop()
            return None
        return self.language.parts_of(value)

    def constant_items(self, value: Const) -> tuple[Value, ...] | None:
        """The items of a tuple, list or dict that is not the function's own."""
        if isinstance(value.value, (tuple, list)) and len(value.value) <= UNROLLED:
            if literal(value):
                return tuple(Const(v) for v in value.value)
            if all(_plain_number(v) for v in value.value):
                return None
            return self.parts_of_constant(value)
        return None

    def parts_of_constant(self, value: Const) -> tuple[Value, ...]:
        """TABLE[0], TABLE[1]: the items of a tuple or list of a module's."""
        self.structures.tell_items(value)
        items: Any = value.value
        texts = (item_text(str(value.text), k) for k in range(len(items)))
        return tuple(map(Const, items, texts, itertools.repeat(value.home)))

    @extensible
    def lazy_items(self, lazy: Lazy) -> tuple[Value, ...] | None:
        """The items of range, zip, enumerate and the like, where known."""
        raise NotImplementedError


def _plain_number(value: object) -> bool:
    return fact_of(value).is_numeric
