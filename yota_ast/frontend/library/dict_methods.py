"""Methods of dicts: a call -> what it gives, and what the dict holds then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Argument,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.library.list_methods import Lists
from yota_ast.ir.atoms import Const
from yota_ast.syntax.value_literals import shown_key

LAST: Final = Const(True)


class Dicts(Lists):
    """d.get(key), d.pop(key), d.move_to_end(key)."""

    def dict_get(self, owner: Value, key: Value, default: Value = NULL) -> Value:
        """d.get(key, default)."""
        known = self.known_value(self.as_index(key))
        if known is None:
            found = self.item_by_key(owner, key, default)
            if found is not None:
                return found
            self.refuse_call("the key is unknown", "Use literal keys.")
        if isinstance(owner, (Ref, Argument)):
            self.tell_key(owner, known.value)
        if isinstance(owner, Ref):
            return self.items_held(owner.cell).get(known.value, default)
        if isinstance(owner, Argument) and owner.fact.keys is not None:
            there = known.value in owner.fact.keys
            return self.item_of_argument(owner, known.value) if there else default
        items = self.known_mapping(owner, self.node)
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
        node = self.node

        def read() -> TupleValue:
            return TupleValue(tuple(items(self.known_mapping(owner, node))))

        if isinstance(owner, Ref):
            return self.once(read(), held=(owner,), again=read)
        return read()

    def dict_copy(self, owner: Value) -> Value:
        """d.copy()."""
        return self.call(Const(dict, "dict", "builtins"), (owner,))

    def dict_update(self, owner: Value, *others: Value, **more: Value) -> Value:
        """d.update(other, k=v)."""
        ref = self.known_cell(owner)
        made = self.call(Const(dict, "dict", "builtins"), others, tuple(more.items()))
        assert isinstance(made, Ref)
        for key, value in self.heap[made.cell].items.items():
            self.put(ref.cell, key, value)
        return NULL

    def dict_pop(self, owner: Value, key: Value, *default: Value) -> Value:
        """d.pop(key, default)."""
        ref, known = self.known_cell(owner), self.key_of(key)
        value = self.items_held(ref.cell).get(known)
        self.tell_key(ref, known)
        if value is None:
            if not default:
                return self.without_key(
                    known, f"the dict has no key {shown_key(known)} here"
                )
            return default[0]
        self.drop(ref.cell, known)
        return value

    def dict_setdefault(self, owner: Value, key: Value, default: Value = NULL) -> Value:
        """d.setdefault(key, default)."""
        ref, known = self.known_cell(owner), self.key_of(key)
        self.tell_key(ref, known)
        if self.items_held(ref.cell).get(known) is None:
            self.put(ref.cell, known, default)
        return self.get((ref.cell, known)) or NULL

    def dict_popitem(self, owner: Value, last: Value = LAST) -> Value:
        """d.popitem(), of an OrderedDict also d.popitem(last=False)."""
        ref = self.known_cell(owner)
        items = dict(self.items_in_order(ref.cell))
        if not items:
            return self.without_key(None, "the dict has no items here")
        key = [*items][-1 if self.key_of(last) else 0]
        self.drop(ref.cell, key)
        return TupleValue((Const(key), items[key]))

    def dict_move_to_end(self, owner: Value, key: Value, last: Value = LAST) -> Value:
        """d.move_to_end(key, last=True) of an OrderedDict."""
        ref, known = self.known_cell(owner), self.key_of(key)
        items = dict(self.items_in_order(ref.cell))
        if known not in items:
            return self.without_key(known, f"the dict has no key {shown_key(known)}")
        moved = {known: items.pop(known)}
        for name in (known, *items):
            self.drop(ref.cell, name)
        order = {**items, **moved} if self.key_of(last) else {**moved, **items}
        for name, value in order.items():
            self.put(ref.cell, name, value)
        return NULL

    def dict_clear(self, owner: Value) -> Value:
        """d.clear()."""
        ref = self.known_cell(owner)
        for name in dict(self.items_in_order(ref.cell)):
            self.drop(ref.cell, name)
        return NULL
