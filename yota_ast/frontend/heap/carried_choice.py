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

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.components import Component, Components, uses
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    UNBOUND,
    Cell,
    Either,
    Heap,
    MaybeValue,
    OneOf,
    Ref,
    Slot,
    TupleValue,
    Value,
    candidates,
    is_literal_value,
    reached,
    refs_in,
)
from yota_ast.frontend.heap.object_choice import MOST_CHOSEN, ObjectChoice
from yota_ast.frontend.interpret.branches import Branches
from yota_ast.frontend.interpret.loop_places import LoopPlaces
from yota_ast.frontend.source.name_flow import RESULT
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.waiting_frames import WaitingFrames
from yota_ast.ir.atoms import UNDEFINED, Atom, Const, Undefined, Var

Table = tuple[tuple[int, Value], ...]


class CarriedChoice(Component):
    """Objects that loops exchange for others."""

    language = uses(Language)
    position = uses(Position)
    waiting = uses(WaitingFrames)
    cells = uses(Cells)
    blocks = uses(Blocks)
    choice = uses(ObjectChoice)
    branches = uses(Branches)
    loop_places = uses(LoopPlaces)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.choices_open: dict[Slot, Sequence[Value]] = {}  # see carried_choice.py
        self.wanting: dict[Slot, Cell] = {}  # of what structure they are

    def settle_choices(self, entry: Heap, live: frozenset[str]) -> None:
        """At the end of a body: what stood for one of several objects does so again;
        noted is what may be another object than at the head."""
        self.choices_open = {}
        self.wanting = {}
        if self.blocks.ended:
            return
        for slot, old, new in self.object_slots(entry, live):
            if self.keeps_made(slot, old, new, entry, live):
                continue
            found = self.settled_choice(slot, old, new, entry)
            if found is not new:
                self.cells.heap[slot[0]] = self.cells.heap[slot[0]].with_item(
                    slot[1], found
                )

    def object_slots(
        self, entry: Heap, live: frozenset[str]
    ) -> Iterator[tuple[Slot, MaybeValue, Value]]:
        """The places of which an iteration changes the object, before and after."""
        for number, cell in entry.items():
            now = self.cells.heap[number]
            if now is cell or cell.kind not in ("frame", "object"):
                continue
            for key, new in [*now.items.items()]:
                dead = self.waiting.is_dead(number, key, live)
                if isinstance(new, Var) or dead:
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
        if self.choice.is_chosen(new) and not all(
            _is_before(v, entry) for v in candidates(new)
        ):
            self.loop_places.refuse_exchange((*slot, ()))
        if not self.is_exchanged(old, new, entry):
            return new
        known = [v for _, v in old.of] if isinstance(old, OneOf) else []
        found = candidates(new)
        if isinstance(old, OneOf) and all(v in known for v in found):
            return OneOf(self.number_of(new, old.of), old.of)
        self.choices_open[slot] = [*self.choices_open.get(slot, ()), *found]
        return new

    # ------------------------------------------------------------ objects of the loop

    def keeps_made(
        self,
        slot: Slot,
        old: MaybeValue,
        new: Value,
        entry: Heap,
        live: frozenset[str],
    ) -> bool:
        """Where an iteration leaves an object that it has made, or not: another stands
        in for it, which takes over its fields, and may not change. Whether that is
        settled, or noted."""
        made = [v for v in candidates(new) if not _is_before(v, entry)]
        chosen = self.choice.is_chosen(new) or isinstance(old, OneOf) or old == NULL
        chosen = chosen or (slot[1] == RESULT and isinstance(old, Undefined))
        if not made or not chosen or not self.may_stand_in(slot, made, entry, live):
            return False
        cell = self.cells.heap[made[0].cell]  # type: ignore[union-attr]
        others = [v for v in candidates(new) if v not in made]
        if not all(self.choice.is_thing(v) or v in (NULL, UNBOUND) for v in others):
            return False
        known = [v for _, v in old.of] if isinstance(old, OneOf) else []
        stand_in = next((v for v in known if self.stands_in(v, slot, cell)), None)
        if stand_in is None or not all(v in known for v in others):
            self.choices_open[slot] = others
            if stand_in is None:
                self.wanting[slot] = cell
            return True
        assert isinstance(old, OneOf)
        assert isinstance(stand_in, Ref)
        if self.has_other_names({stand_in.cell}, slot, entry, live):
            self.loop_places.refuse_exchange(
                (*slot, ())
            )  # another name stands for the last one
        fields = {k: self.kept_field(new, made, stand_in, k) for k in cell.items}
        renamed = self.number_of(_renamed(new, made, stand_in), old.of)
        for each in made:
            assert isinstance(each, Ref)
            self.cells.heap[each.cell] = replace(self.cells.heap[each.cell], fixed=True)
        items = {k: v for k, v in fields.items() if not isinstance(v, Undefined)}
        self.cells.heap[stand_in.cell] = self.cells.heap[stand_in.cell].with_items(
            items
        )
        one = OneOf(renamed, old.of)
        self.cells.heap[slot[0]] = self.cells.heap[slot[0]].with_item(slot[1], one)
        return True

    def may_stand_in(
        self, slot: Slot, made: Sequence[Value], entry: Heap, live: frozenset[str]
    ) -> bool:
        """Whether objects that an iteration has made are of one structure, of numbers
        alone, and are known by this one name when it ends."""
        cells = [self.cells.heap[v.cell] for v in made if isinstance(v, Ref)]
        if len(cells) < len(made) or any(c.kind != "object" for c in cells):
            return False
        first = cells[0]
        for cell in cells:
            if cell.cls is not first.cls or cell.items.keys() != first.items.keys():
                return False
            if not all(_is_number(v) for v in cell.items.values()) or cell.perhaps:
                return False
        numbers = {v.cell for v in made if isinstance(v, Ref)}
        return not self.has_other_names(numbers, slot, entry, live)

    def has_other_names(
        self, numbers: set[int], slot: Slot, entry: Heap, live: frozenset[str]
    ) -> bool:
        """Whether objects are known by another name than one, or held by others, when
        an iteration ends."""
        for number in entry:
            read = self.waiting.live_in(number, live)
            for key, value in self.cells.heap[number].items.items():
                dead = read is not None and key not in read
                if (number, key) == slot or dead:
                    continue
                for ref in refs_in(value):
                    if not numbers.isdisjoint(reached(self.cells.heap, ref)):
                        return True
        return False

    def stands_in(self, value: Value, slot: Slot, cell: Cell) -> bool:
        """Whether an object is there for those of this structure, at this place."""
        if (
            not isinstance(value, Ref)
            or self.loop_places.stand_ins.get(value.cell) != slot
        ):
            return False
        return self.cells.heap[value.cell].cls is cell.cls

    def kept_field(
        self, value: Value, made: Sequence[Value], stand_in: Ref, key: Any
    ) -> MaybeValue:
        """What a field of an object that stands in is at the end of an iteration."""
        if value in made:
            assert isinstance(value, Ref)
            return self.cells.heap[value.cell].items[key]
        if not any(v in made for v in candidates(value)):
            return self.cells.heap[stand_in.cell].items.get(key, UNDEFINED)
        assert isinstance(value, (Either, OneOf))
        test, *sides = self.choice.test_of_chosen(value)
        arms = [
            functools.partial(self.kept_field, v, made, stand_in, key) for v in sides
        ]
        return self.branches.branch(test, *arms, live=None)

    # ------------------------------------------------------------ objects of before it

    def is_exchanged(self, old: MaybeValue, new: Value, entry: Heap) -> bool:
        """Whether an object of before the loop is left in the place of another, or of
        none, and no object that is known by its fields."""
        if isinstance(new, Var) or not all(
            _is_before(v, entry) for v in candidates(new)
        ):
            return False
        if not isinstance(old, (Undefined, OneOf)) and old != NULL:
            if not (self.choice.is_thing(old) or self.choice.is_chosen(old)):
                return False
        things = (*candidates(old), *candidates(new))
        if not any(map(self.choice.is_thing, things)):
            return False
        if not all(self.choice.is_thing(v) or v in (NULL, UNBOUND) for v in things):
            return False
        return not (
            isinstance(old, Ref)
            and isinstance(new, Ref)
            and self.alike(old, new, entry)
        )

    def alike(self, old: Ref, new: Ref, entry: Heap) -> bool:
        """Whether two objects are known by their fields, which are carried one by one:
        no field holds an object."""
        a, b = entry[old.cell], self.cells.heap[new.cell]
        if a.cls is not b.cls or a.items.keys() != b.items.keys():
            return False
        if a is not self.cells.heap[old.cell] or b is not entry.get(new.cell, b):
            return False  # one of them is written
        held = (*a.items.values(), *b.items.values())
        return not any(
            v == NULL or self.choice.is_thing(v) or self.choice.is_chosen(v)
            for v in held
        )

    def open_choices(self) -> frozenset[Slot]:
        """Before the loop: places stand for one of several objects; which places."""
        for slot, cell in self.wanting.items():
            ref = self.cells.new_cell(Cell("object", {}, cell.cls, fixed=True))
            self.loop_places.stand_ins[ref.cell] = slot
            self.choices_open[slot] = [*self.choices_open[slot], ref]
        opened = frozenset(self.choices_open)
        for (number, key), found in self.choices_open.items():
            old = self.cells.heap[number].items.get(key, UNBOUND)
            made = self.widened(old, found, (number, key))
            self.cells.heap[number] = self.cells.heap[number].with_item(key, made)
        self.choices_open = {}
        return opened

    def widened(self, old: Value, found: Sequence[Value], slot: Slot) -> Value:
        """A value of before the loop, as one of all that it may be there."""
        if isinstance(old, TupleValue):
            items = []
            for item in old.items:
                thing = (
                    item == NULL
                    or self.choice.is_thing(item)
                    or self.choice.is_chosen(item)
                )
                items.append(self.widened(item, found, slot) if thing else item)
            return TupleValue(tuple(items), old.cls)
        table = old.of if isinstance(old, OneOf) else ()
        known = [v for _, v in table]
        for value in (*candidates(old), *found):
            if value not in known:
                known.append(value)
        if len(known) > MOST_CHOSEN:
            self.loop_places.refuse_exchange((*slot, ()))
        table = tuple(enumerate(known))
        return OneOf(self.number_of(old, table), table)

    def number_of(self, value: Value, table: Table) -> Atom:
        """The number of the object that a value is."""
        if isinstance(value, OneOf) and set(value.of) <= set(table):
            return value.index
        if isinstance(value, (Either, OneOf)):
            test, *sides = self.choice.test_of_chosen(value)
            arms = [functools.partial(self.number_of, v, table) for v in sides]
            number: Any = self.choice.choose(test, *arms, form="ifexp")
            return self.language.atom(number)
        return Const(next(k for k, v in table if v == value))


def _renamed(value: Value, made: Sequence[Value], stand_in: Ref) -> Value:
    """A value with one object in the place of others."""
    if value in made:
        return stand_in
    if isinstance(value, Either):
        then, orelse = (_renamed(v, made, stand_in) for v in (value.then, value.orelse))
        return Either(value.test, then, orelse)
    if isinstance(value, OneOf):
        of = ((k, _renamed(v, made, stand_in)) for k, v in value.of)
        return OneOf(value.index, tuple(of))
    return value


def _is_number(value: Value) -> bool:
    """Whether a field is a number, an array or a literal, and no container."""
    if isinstance(value, Var):
        return value.fact.is_numeric
    return isinstance(value, Const) and value != NULL and is_literal_value(value.value)


def _is_before(value: Value, entry: Heap) -> bool:
    """Whether an object was there when the iteration began."""
    return not isinstance(value, Ref) or value.cell in entry
