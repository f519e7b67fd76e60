"""owner[index] -> its value."""

from __future__ import annotations

import operator
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, extensible, provides, uses
from yota_ast.frontend.expressions.argument_parts import ArgumentParts
from yota_ast.frontend.expressions.items_and_truth import ItemsAndTruth
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.keyed_items import KeyedItems
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Bound,
    Cell,
    Closure,
    MethodOf,
    Ref,
    SliceValue,
    TupleValue,
    Value,
    literal,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import (
    NOTHING,
    OPAQUE,
    STR,
    fact_of,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.facts.joined_facts import element_of
from yota_ast.syntax.value_literals import shown_key
from yota_ast.syntax.value_paths import (
    item_text,
)

_MADE: Final = ("object", "callable", "str", "tuple", "list", "dict")
"""The kinds of items of a module's list that are known by what they are."""


class Subscripts(Component):
    """Subscripts."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    notes = uses(Notes)
    operations = uses(Operations)
    choice = uses(ObjectChoice)
    keyed_items = uses(KeyedItems)
    structures = uses(ArgumentStructures)
    assumptions = uses(ValueAssumptions)
    known_items = uses(KnownItems)
    kinds = uses(ValueKinds)
    items_and_truth = uses(ItemsAndTruth)
    argument_parts = uses(ArgumentParts)

    def subscripted(self, owner: Value) -> Value:
        """What an item is read of: no function, but maybe a field of something that is
        not followed, which might be a method."""
        if isinstance(owner, MethodOf) and self.operations.is_opaque(owner.owner):
            return self.language.atom(owner)
        if isinstance(owner, (Closure, Bound, MethodOf)):
            self.position.refuse_call("a function is subscripted", "Call the function.")
        return owner

    @provides(Language.subscript)
    def subscript(self, owner: Value, index: Value) -> Value:
        """owner[index]."""
        if isinstance(owner, Const) and owner.value is sys.modules:
            key = self.assumptions.known_value(self.assumptions.as_given(index))
            if key is not None:
                return self.argument_parts.loaded(key.value)
        if self.is_table(owner):
            index = self.assumptions.as_given(index)
            known = self.assumptions.known_value(index)
            item = None if known is None else self.known_item(owner, known.value)
            if item is not None:
                return item
        index = self.kinds.as_number(index)
        if isinstance(owner, Const):
            joined = self.joined(owner.value, index)
            if joined is not None:
                return joined
        method = self.kinds.special_method(owner, "__getitem__")
        if method is not None:
            return self.language.call(method, (owner, index))
        if self.choice.is_chosen(owner):
            return self.choice.with_each(
                self.choice.surely_chosen(owner),
                lambda one: self.language.subscript(one, index),
            )
        taken = isinstance(owner, Const) and self.assumptions.fixed is not None
        if taken or self.is_known_by_items(owner):
            index = self.assumptions.as_index(index)
        known = self.assumptions.known_value(index)
        if known is not None:
            item = self.known_item(owner, known.value)
            if item is not None:
                return item
        if (
            isinstance(owner, Var)
            and known is not None
            and isinstance(known.value, str)
        ):
            path = self.structures.paths.get(owner.name)
            if path is not None and owner.fact.kind == "real":
                return self.argument_parts.read(
                    path[0], (*path[1], ("item", known.value))
                )
        owner = self.subscripted(owner)
        if isinstance(owner, Var) and owner.name in self.notes.rows:
            index = self.index_atom(index)
            item = self.item_of_row(owner, index)
            if item is not None:
                return item
        return self.item_of_model(owner, index) or self.part_at(owner, index)

    def is_known_by_items(self, owner: Value) -> bool:
        """Whether a value is a sequence of which each item is known by its place."""
        if isinstance(owner, Ref):
            cell = self.cells.heap[owner.cell]
            return cell.kind == "list" and cell.var is None
        return isinstance(owner, TupleValue)

    def part_at(self, owner: Value, index: Value) -> Value:
        """owner[index], which stays as it is, unless it is one of several objects."""
        if not isinstance(owner, Var):
            one = self.of_a_class(owner, index) or self.choice.one_at(owner, index)
            one = self.keyed_items.item_by_key(owner, index) if one is None else one
            if one is not None:
                return one
            self.keyed_items.begin_keyed(owner, index)
        opaque = self.operations.fact(owner).kind in ("unknown", "other", "object")
        if opaque and self.operations.fact(index).is_floating:
            self.position.refuse_call(
                "an object of unknown class is indexed by a float",
                "Give an example argument, or make the object in the function.",
            )
        atoms = (self.language.atom(owner), self.index_atom(index))
        cut = self.cut_of_lengths(atoms[0], index)
        whole = self.operations.fact(atoms[0])
        known = STR if whole.kind == "str" else OPAQUE if whole == OPAQUE else None
        if self.position.loops_around and whole.kind == "list":
            if element_of(whole).kind == "nothing":
                known = NOTHING  # a later turn of the loop puts an item there
        part = self.operations.apply(
            operator.getitem, atoms, form="subscript", fact=known
        )
        if cut is not None:
            self.known_items.cuts[part.name] = cut
        if isinstance(owner, Var) and owner.name in self.notes.flats:
            if part.fact.kind == "array":  # NumPy's y.flat[1:] is no view
                copy = np.ndarray.copy
                return self.operations.apply(
                    copy, (part,), form="method", spelling="copy"
                )
        return part

    def of_a_class(self, owner: Value, index: Value) -> Value | None:
        """TABLE[Class], of a mapping from outside; None of anything else."""
        if not isinstance(owner, Const) or not isinstance(owner.value, Mapping):
            return None
        if not isinstance(index, Const) or not isinstance(index.value, type):
            return None
        self.structures.tell_entry(owner, index.value)
        return self.entry(owner, index.value)

    def cut_of_lengths(self, owner: Atom, index: Value) -> slice | None:
        """Which part of a tuple of whole numbers is taken: of `x.shape[:-1]`."""
        if not isinstance(owner, Var) or not isinstance(index, SliceValue):
            return None
        known = owner.fact
        if known.kind != "tuple" or known.items is None or known.holds_floats:
            return None
        start, stop, step = map(
            self.assumptions.known_value, (index.start, index.stop, index.step)
        )
        if start is None or stop is None or step is None:
            return None
        ends: list[Any] = [start.value, stop.value, step.value]
        return slice(*ends)

    def is_table(self, owner: Value) -> bool:
        """Whether items are found by keys that must be known: a dict, a registry."""
        if isinstance(owner, Const):
            return isinstance(owner.value, Mapping) or _makes_types(owner.value)
        return (
            isinstance(owner, (Ref, Argument))
            and self.operations.fact(owner).kind == "dict"
        )

    @extensible
    def joined(self, joiner: object, index: Value) -> Value | None:
        """The arrays of np.r_[a, b] joined; see numpy_calls.py."""
        raise NotImplementedError

    @extensible
    def item_of_row(self, owner: Var, key: Atom) -> Var | None:
        """row[key], read in the list that holds the row; see item_rows.py."""
        raise NotImplementedError

    def item_of_model(self, owner: Value, index: Value) -> Value | None:
        """rotations[k] of an object of a library that has a rule for it."""
        fact = self.operations.fact(owner)
        method: Any = getattr(fact.cls, "__getitem__", None)
        if fact.kind != "model" or not self.settings.is_primitive(method):
            return None
        atoms = (self.language.atom(owner), self.index_atom(index))
        return self.operations.apply(method, atoms, form="subscript")

    def index_atom(self, index: Value) -> Atom:
        """An index as an atom."""
        return self.language.atom(index)

    def known_item(self, owner: Value, key: Any) -> Value | None:
        """The item of a virtual container at a known key."""
        if isinstance(owner, Ref) and self.cells.heap[owner.cell].kind == "dict":
            if self.cells.heap[owner.cell].var is not None:
                return None
            items = self.cells.heap[owner.cell].items
            if key in items:
                return items[key]
            self.structures.tell_key(owner, key)
            if owner.cell in self.keyed_items.factories:
                self.cells.put(
                    owner.cell,
                    key,
                    self.language.call(self.keyed_items.factories[owner.cell], ()),
                )
                return self.cells.heap[owner.cell].items[key]
            return self.without_key(key, f"the dict has no key {shown_key(key)} here")
        if isinstance(owner, Argument) and owner.fact.keys is not None:
            if key in owner.fact.keys:
                if self.position.tries:
                    self.structures.tell_key(owner, key)
                return self.items_and_truth.item_of_argument(owner, key)
            self.structures.tell_key(owner, key)
            reason = f"the argument `{owner.root.name}` has no key {shown_key(key)}"
            return self.without_key(key, reason)
        if isinstance(owner, Const) and (literal(owner) or _makes_types(owner.value)):
            try:
                return Const(owner.value[key])  # type: ignore[index]
            except (TypeError, IndexError, KeyError):
                return None
        if isinstance(owner, Const) and isinstance(owner.value, Mapping):
            return self.entry(owner, key)
        if isinstance(owner, Const) and isinstance(owner.value, (list, tuple)):
            if type(key) is int and self.is_made(owner.value, key):
                return self.entry(owner, key)
            if (
                type(key) is slice
                and key == slice(None)
                and isinstance(owner.value, list)
            ):
                return self.language.call(Const(list, "list", "builtins"), (owner,))
        return self.known_element(owner, key)

    def without_key(self, key: object, reason: str) -> Value:
        """An item that there is none of: in a `try` that is no mistake."""
        if self.position.tries and literal(Const(key)):
            return self.operations.failing(KeyError, key)
        self.position.refuse_call(reason, "Correct the key.")

    def without_index(self, key: int, count: int, kind: str) -> Value:
        """An item past the ends of a sequence of `count`, likewise."""
        if self.position.tries:
            return self.operations.failing(IndexError, f"{kind} index out of range")
        self.position.refuse_call(
            f"the index {key} is out of range: there are {count} items",
            "Correct the index.",
        )

    def is_made(self, things: Sequence[object], key: int) -> bool:
        """Whether an item of a list from outside is no number: what it is, or holds, is
        known."""
        inside = -len(things) <= key < len(things)
        return inside and fact_of(things[key]).kind in _MADE

    @extensible
    def entry(self, table: Const, key: object) -> Value | None:
        """The item of a mapping from outside the function, if it is no number."""
        mapping: Any = table.value
        try:
            value = mapping[key]
        except Exception:  # noqa: BLE001  (the text raises it when it runs)
            return None
        # An option is tested as it is now, where the text is made for such.
        option = type(value) is bool and self.assumptions.fixed is not None
        if fact_of(value).is_numeric and type(mapping) is dict and not option:
            atoms = (table, Const(key))
            known = fact_of(value)
            return self.operations.apply(
                operator.getitem, atoms, form="subscript", fact=known
            )
        text = None if table.text is None else item_text(table.text, key)
        self.operations.use(value, table.home, text or "")
        return Const(value, text, table.home)

    def stretch_of_built(self, owner: Var, key: slice) -> Value | None:
        """xs[1:] of a list or tuple that an op gives, item by item."""
        fact = self.operations.fact(owner)
        if fact.kind not in ("list", "tuple") or not fact.holds_floats:
            return None
        items = self.language.parts_of(owner)
        if items is None or fact.kind == "tuple":
            return None if items is None else TupleValue(items[key])
        return self.cells.new_cell(Cell("list", dict(enumerate(items[key])), list))

    def known_element(self, owner: Value, key: Any) -> Value | None:
        """The element, or the slice, of a virtual tuple or list."""
        if isinstance(owner, Argument) and isinstance(key, int):
            count = len(owner.fact.items or ())
            if self.position.tries or -count <= key < 0:
                self.choice.tell_length(owner)
            if -count <= key < count:
                return self.items_and_truth.item_of_argument(owner, key)
        if isinstance(owner, Var) and isinstance(key, slice):
            return self.stretch_of_built(owner, key)
        if isinstance(owner, (Var, Const, SliceValue)):
            return None
        items = self.items_and_truth.sequence_items(owner)
        if items is None or not isinstance(key, (int, slice)):
            return None
        if isinstance(key, slice):
            return self.kinds.like(owner, items[key])
        if -len(items) <= key < len(items):
            return items[key]
        kind = "tuple" if self.operations.fact(owner).kind == "tuple" else "list"
        return self.without_index(key, len(items), kind)


def _makes_types(value: object) -> bool:
    """Whether a value of `typing` makes types, as in `cast(Literal["a", "b"], x)`."""
    return type(value).__module__ == "typing"
