"""Methods of dicts and sets: a call -> what it gives, and what they hold then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, extensible, uses
from yota_ast.frontend.expressions.items_and_truth import ItemsAndTruth
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.expressions.subscripts import Subscripts
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.keyed_items import KeyedItems
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Argument,
    Cell,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.library.list_methods import ListMethods
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Const
from yota_ast.syntax.value_literals import shown_key

LAST: Final = Const(True)


class DictMethods(Component):
    """d.get(key), d.pop(key), d.move_to_end(key)."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    keyed_items = uses(KeyedItems)
    structures = uses(ArgumentStructures)
    assumptions = uses(ValueAssumptions)
    known_items = uses(KnownItems)
    items_and_truth = uses(ItemsAndTruth)
    subscripts = uses(Subscripts)
    lists = uses(ListMethods)

    @extensible
    def dict_get(self, owner: Value, key: Value, default: Value = NULL) -> Value:
        """d.get(key, default)."""
        known = self.assumptions.known_value(self.assumptions.as_index(key))
        if known is None:
            found = self.keyed_items.item_by_key(owner, key, default)
            if found is not None:
                return found
            self.keyed_items.begin_keyed(owner, key)
            self.position.refuse_call("the key is unknown", "Use literal keys.")
        if isinstance(owner, (Ref, Argument)):
            self.structures.tell_key(owner, known.value)
        if isinstance(owner, Ref):
            return self.cells.items_held(owner.cell).get(known.value, default)
        if isinstance(owner, Argument) and owner.fact.keys is not None:
            there = known.value in owner.fact.keys
            return (
                self.items_and_truth.item_of_argument(owner, known.value)
                if there
                else default
            )
        items = self.known_items.known_mapping(owner, self.position.node)
        return items.get(known.value, default)

    def dict_items(self, owner: Value) -> Value:
        """d.items()."""
        return self.view_of(
            owner, lambda d: (TupleValue((Const(k), v)) for k, v in d.items())
        )

    def dict_keys(self, owner: Value) -> Value:
        """d.keys()."""
        return self.view_of(owner, lambda d: map(Const, d))

    def dict_values(self, owner: Value) -> Value:
        """d.values()."""
        return self.view_of(owner, lambda d: d.values())

    def view_of(
        self, owner: Value, items: Callable[[Mapping[object, Value]], Iterable[Value]]
    ) -> Value:
        """What a dict holds now, which must not change while that is read."""
        node = self.position.node

        def read() -> TupleValue:
            return TupleValue(tuple(items(self.known_items.known_mapping(owner, node))))

        if isinstance(owner, Ref):
            return self.language.once(read(), held=(owner,), again=read)
        return read()

    def dict_copy(self, owner: Value) -> Value:
        """d.copy()."""
        return self.language.call(Const(dict, "dict", "builtins"), (owner,))

    def dict_update(self, owner: Value, *others: Value, **more: Value) -> Value:
        """d.update(other, k=v)."""
        ref = self.lists.known_cell(owner)
        made = self.language.call(
            Const(dict, "dict", "builtins"), others, tuple(more.items())
        )
        assert isinstance(made, Ref)
        for key, value in self.cells.heap[made.cell].items.items():
            self.cells.put(ref.cell, key, value)
        return NULL

    def dict_pop(self, owner: Value, key: Value, *default: Value) -> Value:
        """d.pop(key, default)."""
        if self.assumptions.known_value(self.assumptions.as_index(key)) is None:
            self.keyed_items.begin_keyed(owner, key)
        ref, known = self.lists.known_cell(owner), self.known_items.key_of(key)
        value = self.cells.items_held(ref.cell).get(known)
        self.structures.tell_key(ref, known)
        if value is None:
            if not default:
                return self.subscripts.without_key(
                    known, f"the dict has no key {shown_key(known)} here"
                )
            return default[0]
        self.cells.drop(ref.cell, known)
        return value

    def dict_setdefault(self, owner: Value, key: Value, default: Value = NULL) -> Value:
        """d.setdefault(key, default)."""
        if self.assumptions.known_value(self.assumptions.as_index(key)) is None:
            self.keyed_items.begin_keyed(owner, key)
        ref, known = self.lists.known_cell(owner), self.known_items.key_of(key)
        self.structures.tell_key(ref, known)
        if self.cells.items_held(ref.cell).get(known) is None:
            self.cells.put(ref.cell, known, default)
        return self.cells.get((ref.cell, known)) or NULL

    def dict_popitem(self, owner: Value, last: Value = LAST) -> Value:
        """d.popitem(), of an OrderedDict also d.popitem(last=False)."""
        ref = self.lists.known_cell(owner)
        items = dict(self.cells.items_in_order(ref.cell))
        if not items:
            return self.subscripts.without_key(None, "the dict has no items here")
        key = [*items][-1 if self.known_items.key_of(last) else 0]
        self.cells.drop(ref.cell, key)
        return TupleValue((Const(key), items[key]))

    def dict_move_to_end(self, owner: Value, key: Value, last: Value = LAST) -> Value:
        """d.move_to_end(key, last=True) of an OrderedDict."""
        ref, known = self.lists.known_cell(owner), self.known_items.key_of(key)
        items = dict(self.cells.items_in_order(ref.cell))
        if known not in items:
            return self.subscripts.without_key(
                known, f"the dict has no key {shown_key(known)}"
            )
        moved = {known: items.pop(known)}
        for name in (known, *items):
            self.cells.drop(ref.cell, name)
        order = (
            {**items, **moved} if self.known_items.key_of(last) else {**moved, **items}
        )
        for name, value in order.items():
            self.cells.put(ref.cell, name, value)
        return NULL

    def dict_clear(self, owner: Value) -> Value:
        """d.clear()."""
        ref = self.lists.known_cell(owner)
        for name in dict(self.cells.items_in_order(ref.cell)):
            self.cells.drop(ref.cell, name)
        return NULL


class SetMethods(Component):
    """s.add(item), s.union(items), s.issubset(items) of sets with known items."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    known_items = uses(KnownItems)
    subscripts = uses(Subscripts)
    lists = uses(ListMethods)

    def set_add(self, owner: Value, item: Value) -> Value:
        """s.add(item)."""
        cell = self.lists.known_cell(owner).cell
        self.cells.put(cell, self.known_items.key_of(item), item)
        return NULL

    def set_discard(self, owner: Value, item: Value) -> Value:
        """s.discard(item)."""
        cell = self.lists.known_cell(owner).cell
        self.cells.drop(cell, self.known_items.key_of(item))
        return NULL

    def set_remove(self, owner: Value, item: Value) -> Value:
        """s.remove(item)."""
        key = self.known_items.key_of(item)
        if key not in self.items_in(self.lists.known_cell(owner)):
            return self.subscripts.without_key(
                key, f"the set holds no {shown_key(key)}"
            )
        return self.set_discard(owner, item)

    def set_pop(self, owner: Value) -> Value:
        """s.pop() of a set of one item: of several it is unknown which leaves."""
        items = self.items_in(self.lists.known_cell(owner))
        if not items:
            return self.subscripts.without_key(
                "pop from an empty set", "the set is empty"
            )
        if len(items) > 1:
            self.position.refuse_call(
                "`pop` takes any one of the items of a set",
                "Remove the item by name: s.remove(item).",
            )
        self.keep(owner, {})
        return next(iter(items.values()))

    def set_clear(self, owner: Value) -> Value:
        """s.clear()."""
        return self.keep(owner, {})

    def set_copy(self, owner: Value) -> Value:
        """s.copy()."""
        return self.made(self.items_in(owner))

    # ------------------------------------------------------------ of several sets

    def set_union(self, owner: Value, *others: Value) -> Value:
        """s.union(items)."""
        return self.made(self.joined(owner, *others))

    def set_intersection(self, owner: Value, *others: Value) -> Value:
        """s.intersection(items)."""
        return self.made(self.shared(owner, *others))

    def set_difference(self, owner: Value, *others: Value) -> Value:
        """s.difference(items)."""
        return self.made(self.left_out(owner, *others))

    def set_symmetric_difference(self, owner: Value, other: Value) -> Value:
        """s.symmetric_difference(items)."""
        return self.made(self.in_one(owner, other))

    def set_update(self, owner: Value, *others: Value) -> Value:
        """s.update(items)."""
        return self.keep(owner, self.joined(owner, *others))

    def set_intersection_update(self, owner: Value, *others: Value) -> Value:
        """s.intersection_update(items)."""
        return self.keep(owner, self.shared(owner, *others))

    def set_difference_update(self, owner: Value, *others: Value) -> Value:
        """s.difference_update(items)."""
        return self.keep(owner, self.left_out(owner, *others))

    def set_symmetric_difference_update(self, owner: Value, other: Value) -> Value:
        """s.symmetric_difference_update(items)."""
        return self.keep(owner, self.in_one(owner, other))

    def set_issubset(self, owner: Value, other: Value) -> Value:
        """s.issubset(items)."""
        return Const(self.items_in(owner).keys() <= self.items_in(other).keys())

    def set_issuperset(self, owner: Value, other: Value) -> Value:
        """s.issuperset(items)."""
        return self.set_issubset(other, owner)

    def set_isdisjoint(self, owner: Value, other: Value) -> Value:
        """s.isdisjoint(items)."""
        return Const(self.items_in(owner).keys().isdisjoint(self.items_in(other)))

    # ------------------------------------------------------------ items

    def items_in(self, value: Value) -> dict[Any, Value]:
        """The items of a set, or of what is iterated, each under its key."""
        items = self.known_items.known_items(value, self.position.node)
        return {self.known_items.key_of(item): item for item in items}

    def joined(self, *values: Value) -> dict[Any, Value]:
        """The items of one of several."""
        items: dict[Any, Value] = {}
        for value in values:
            items |= {k: v for k, v in self.items_in(value).items() if k not in items}
        return items

    def shared(self, owner: Value, *others: Value) -> dict[Any, Value]:
        """The items of a set that are in all others."""
        return self.sifted(owner, lambda key, of: all(key in o for o in of), others)

    def left_out(self, owner: Value, *others: Value) -> dict[Any, Value]:
        """The items of a set that are in no other."""
        return self.sifted(owner, lambda key, of: not any(key in o for o in of), others)

    def in_one(self, one: Value, other: Value) -> dict[Any, Value]:
        """The items of one of two that are not in both."""
        return self.left_out(one, other) | self.left_out(other, one)

    def sifted(
        self,
        owner: Value,
        keeps: Callable[[Any, list[dict[Any, Value]]], bool],
        others: tuple[Value, ...],
    ) -> dict[Any, Value]:
        """The items of a set of which the keys are kept, beside those of others."""
        of = [self.items_in(other) for other in others]
        return {k: v for k, v in self.items_in(owner).items() if keeps(k, of)}

    def made(self, items: dict[Any, Value]) -> Ref:
        """A new set."""
        return self.cells.new_cell(Cell("set", items, set))

    def keep(self, owner: Value, items: dict[Any, Value]) -> Value:
        """Have a set hold some items, and no others."""
        cell = self.lists.known_cell(owner).cell
        before = self.cells.heap[cell].items
        for key in [k for k in before if k not in items]:
            self.cells.drop(cell, key)
        for key, item in items.items():
            if key not in before:
                self.cells.put(cell, key, item)
        return NULL
