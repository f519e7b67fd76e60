"""What a loop leaves of a name that stands for one object or another -> a number.

In: the heaps at the head of a body and at its end, where an iteration may exchange an
object for another: `best = candidate`, `node = node.next`.  Out: a name stands for one
of several objects, and the loop carries the number that says which.  Which these are is
found pass by pass.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

from yota_ast.frontend.choosing import MOST_CHOSEN
from yota_ast.frontend.flow import FLAGS
from yota_ast.frontend.loop_places import LoopPlaces
from yota_ast.frontend.values import (
    NULL,
    UNBOUND,
    Either,
    Heap,
    MaybeValue,
    OneOf,
    Ref,
    Slot,
    TupleValue,
    Value,
    candidates,
)
from yota_ast.tape import UNDEFINED, Atom, Const, Undefined, Var

Table = tuple[tuple[int, Value], ...]


class Alternatives(LoopPlaces):
    """Objects that loops exchange for others."""

    def settle_choices(self, entry: Heap, live: frozenset[str]) -> None:
        """At the end of a body: what stood for one of several objects does so again;
        noted is what may be another object than at the head."""
        self.choices_open = {}
        if self.ended:
            return
        for slot, old, new in self.object_slots(entry, live):
            found = self.settled_choice(slot, old, new, entry)
            if found is not new:
                self.heap[slot[0]] = self.heap[slot[0]].with_item(slot[1], found)

    def object_slots(
        self, entry: Heap, live: frozenset[str]
    ) -> Iterator[tuple[Slot, MaybeValue, Value]]:
        """The places of which an iteration changes the object, before and after."""
        for number, cell in entry.items():
            now = self.heap[number]
            if now is cell or cell.kind not in ("frame", "object"):
                continue
            own = number == self.frame.cell
            for key, new in [*now.items.items()]:
                if own and (key in FLAGS or key not in live):
                    continue
                old = cell.items.get(key, UNDEFINED)
                if old is not new and old != new:
                    yield (number, key), old, new

    def settled_choice(
        self, slot: Slot, old: MaybeValue, new: Value, entry: Heap
    ) -> Value:
        """What a place holds at the end of a body, by the objects of its head."""
        if isinstance(old, TupleValue) and isinstance(new, TupleValue):
            if len(old.items) != len(new.items) or old.cls is not new.cls:
                return new
            pairs = zip(old.items, new.items, strict=True)
            items = tuple(self.settled_choice(slot, a, b, entry) for a, b in pairs)
            return TupleValue(items, new.cls)
        if not self.is_exchanged(old, new, entry):
            return new
        known = [v for _, v in old.of] if isinstance(old, OneOf) else []
        found = candidates(new)
        if isinstance(old, OneOf) and all(v in known for v in found):
            return OneOf(self.number_of(new, old.of), old.of)
        self.choices_open[slot] = [*self.choices_open.get(slot, ()), *found]
        return new

    def is_exchanged(self, old: MaybeValue, new: Value, entry: Heap) -> bool:
        """Whether an object of before the loop is left in the place of another, or of
        none, and no object that is known by its fields."""
        if isinstance(new, Var) or not all(
            _is_before(v, entry) for v in candidates(new)
        ):
            return False
        if not isinstance(old, (Undefined, OneOf)) and old != NULL:
            if not (self.is_thing(old) or self.is_chosen(old)):
                return False
        things = (*candidates(old), *candidates(new))
        if not any(map(self.is_thing, things)):
            return False
        if not all(self.is_thing(v) or v in (NULL, UNBOUND) for v in things):
            return False
        return not (
            isinstance(old, Ref)
            and isinstance(new, Ref)
            and self.alike(old, new, entry)
        )

    def alike(self, old: Ref, new: Ref, entry: Heap) -> bool:
        """Whether two objects are known by their fields, which are carried one by one:
        no field holds an object."""
        a, b = entry[old.cell], self.heap[new.cell]
        if a.cls is not b.cls or a.items.keys() != b.items.keys():
            return False
        if a is not self.heap[old.cell] or b is not entry.get(new.cell, b):
            return False  # one of them is written
        held = (*a.items.values(), *b.items.values())
        return not any(v == NULL or self.is_thing(v) or self.is_chosen(v) for v in held)

    def open_choices(self) -> frozenset[Slot]:
        """Before the loop: places stand for one of several objects; which places."""
        opened = frozenset(self.choices_open)
        for (number, key), found in self.choices_open.items():
            old = self.heap[number].items.get(key, UNBOUND)
            made = self.widened(old, found, (number, key))
            self.heap[number] = self.heap[number].with_item(key, made)
        self.choices_open = {}
        return opened

    def widened(self, old: Value, found: Sequence[Value], slot: Slot) -> Value:
        """A value of before the loop, as one of all that it may be there."""
        if isinstance(old, TupleValue):
            items = []
            for item in old.items:
                thing = item == NULL or self.is_thing(item) or self.is_chosen(item)
                items.append(self.widened(item, found, slot) if thing else item)
            return TupleValue(tuple(items), old.cls)
        table = old.of if isinstance(old, OneOf) else ()
        known = [v for _, v in table]
        for value in (*candidates(old), *found):
            if value not in known:
                known.append(value)
        if len(known) > MOST_CHOSEN:
            self.refuse_exchange((*slot, ()))
        table = tuple(enumerate(known))
        return OneOf(self.number_of(old, table), table)

    def number_of(self, value: Value, table: Table) -> Atom:
        """The number of the object that a value is."""
        if isinstance(value, OneOf) and set(value.of) <= set(table):
            return value.index
        if isinstance(value, (Either, OneOf)):
            test, *sides = self.test_of_chosen(value)
            arms = [functools.partial(self.number_of, v, table) for v in sides]
            number: Any = self.choose(test, *arms, form="ifexp")
            return self.atom(number)
        return Const(next(k for k, v in table if v == value))


def _is_before(value: Value, entry: Heap) -> bool:
    """Whether an object was there when the iteration began."""
    return not isinstance(value, Ref) or value.cell in entry
