"""The places of values, and of parts of containers, that a loop changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import (
    InternalError,
)
from yota_ast.frontend.components import (
    Component,
    Components,
    extensible,
    provides,
    uses,
)
from yota_ast.frontend.expressions.argument_parts import ArgumentParts
from yota_ast.frontend.expressions.atoms_of_values import Atoms
from yota_ast.frontend.expressions.items_and_truth import ItemsAndTruth
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.has_attribute import found_on, is_asked_first
from yota_ast.frontend.heap.loop_containers import is_whole
from yota_ast.frontend.heap.lowered_values import (
    LOST,
    NULL,
    Argument,
    Cell,
    Heap,
    MaybeValue,
    Node,
    OneOf,
    Ref,
    Slot,
    TupleValue,
    Value,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.library.list_methods import ListMethods
from yota_ast.frontend.source.name_flow import names_assigned
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.loop_records import (
    PENDING,
    WHICH,
    WHOLE,
    Carried,
    Item,
    Path,
    Place,
)
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.variables import Variables
from yota_ast.frontend.state.waiting_frames import WaitingFrames
from yota_ast.ir.abstract_values import Fact, anonymous
from yota_ast.ir.atoms import UNDEFINED, Atom, Const, Undefined, Var
from yota_ast.ir.facts.joined_facts import element_of, join, least_of, list_of


class LoopPlaces(Component):
    """What stands at a place before the loop, and what an iteration leaves there."""

    language = uses(Language)
    position = uses(Position)
    waiting = uses(WaitingFrames)
    cells = uses(Cells)
    notes = uses(Notes)
    variables = uses(Variables)
    operations = uses(Operations)
    choice = uses(ObjectChoice)
    structures = uses(ArgumentStructures)
    atoms = uses(Atoms)
    items_and_truth = uses(ItemsAndTruth)
    argument_parts = uses(ArgumentParts)
    lists = uses(ListMethods)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.stand_ins: dict[int, Slot] = {}  # objects for what a loop makes, likewise

    def open_arguments(self, stmt: Node) -> None:
        """Names of containers of the caller's that the body gives other containers:
        before the loop too they stand for their parts."""
        for name in names_assigned(stmt.body):
            value = self.cells.get((self.position.frame.cell, name))
            if isinstance(value, Argument):
                self.cells.put(
                    self.position.frame.cell, name, self.argument_parts.opened(value)
                )

    @provides(ArgumentParts.opened)
    def opened(self, value: Value, *, deep: bool = True) -> Value:
        """A container or object of the caller's, as one of its parts."""
        if not isinstance(value, Argument):
            return value
        items: dict[Any, Value]
        kind: Any = value.fact.kind
        if kind == "object":
            fields = getattr(value.example, "__dict__", None)
            cls = value.fact.cls or object
            if not fields or any(is_asked_first(found_on(cls, f)) for f in fields):
                return value  # by its name a field is what a descriptor says
            items = {name: self.language.attribute(value, name) for name in fields}
        elif value.fact.items is None:
            return value
        else:
            self.choice.tell_length(value)
            keys = value.fact.keys or range(len(value.fact.items))
            items = {
                key: self.items_and_truth.item_of_argument(value, key) for key in keys
            }
        if deep:
            items = {
                key: self.argument_parts.opened(item) for key, item in items.items()
            }
        if kind == "tuple":
            return TupleValue(tuple(items.values()), value.fact.cls or tuple)
        cell = Cell(kind, items, value.fact.cls, fixed=True, source=value)
        made = self.cells.new_cell(cell)
        self.structures.opened_from[made.cell] = value
        return made

    def has_names(self, value: Value) -> bool:
        """Whether what may be an array is held at several places, or a view of it."""
        if not isinstance(value, Var) or not value.fact.may_be_array:
            return False
        held = [v for c in self.cells.heap.values() for v in c.items.values()]
        return sum(v == value for v in held) > 1 or any(
            value.name in self.notes.bases_of(v, {}) for v in held if isinstance(v, Var)
        )

    def grows(self, cell: Cell) -> bool:
        """Whether a list that is appended to is carried as a list of numbers."""
        items = cell.items.values()
        return cell.kind == "list" and cell.var is None and all(
            isinstance(item, (Var, Const)) and self.operations.fact(item).is_numeric
            for item in items
        )  # fmt: skip

    def set_place(self, place: Place, value: Value, template: Value | None) -> None:
        """Put a value at a place."""
        cell, key, path = place
        if key is WHOLE:
            assert isinstance(value, Var)
            whole = self.cells.heap[cell]
            self.cells.heap[cell] = replace(whole, items={}, var=value)
            return
        old = self.cells.get((cell, key))
        structure = template if old is None else old
        whole = self.cells.heap[cell]
        if not self.has_path(structure, path):
            self.refuse_exchange(place)  # a list that is held as a whole by now
        value = self.replaced(structure, path, value)
        if cell in self.stand_ins:  # which nothing else writes
            self.cells.heap[cell] = whole.with_item(key, value)
            return
        self.cells.put(cell, key, value)
        if whole.kind == "object":
            perhaps = whole.perhaps | ({key} if old is None else frozenset())
            self.cells.heap[cell] = replace(self.cells.heap[cell], perhaps=perhaps)

    def has_path(self, value: Value | None, path: Path) -> bool:
        """Whether the containers on the way to a leaf are known item by item."""
        for step in path:
            if isinstance(value, Ref) and isinstance(step, Item):
                if step.key not in self.cells.heap[value.cell].items:
                    return False
                value = self.cells.heap[value.cell].items[step.key]
            elif isinstance(value, TupleValue) and isinstance(step, int):
                value = value.items[step]
        return True

    def replaced(self, old: Value | None, path: Path, new: Value) -> Value:
        """A value with one leaf replaced."""
        if not path:
            return new
        if isinstance(old, OneOf) and isinstance(new, (Var, Const)):
            return OneOf(new, old.of)
        if isinstance(old, Ref) and isinstance(path[0], Item):
            key, cell = path[0].key, self.cells.heap[old.cell]
            item = self.replaced(cell.items[key], path[1:], new)
            return self.cells.new_cell(replace(cell.with_item(key, item), fixed=True))
        if isinstance(old, TupleValue):
            k = path[0]
            assert isinstance(k, int)
            item = self.replaced(old.items[k], path[1:], new)
            return TupleValue((*old.items[:k], item, *old.items[k + 1 :]), old.cls)
        raise InternalError("a part is carried of what is no container")

    def init_of(self, place: Place, value: MaybeValue) -> Atom | Undefined:
        """What the first iteration gets: a tuple whose structure changes is built."""
        if isinstance(value, (Var, Const, Undefined)):
            return value
        if isinstance(value, TupleValue) and not _nests(value):
            return PENDING
        self.refuse_exchange(place)

    def refuse_exchange(self, place: Place) -> NoReturn:
        """Refuse that an iteration leaves another container than it began with."""
        name = place[1] if isinstance(place[1], str) else "%"
        name = "a value" if name.startswith("%") else name
        self.position.refuse(
            f"this loop replaces `{name}`, a container or function, by one of "
            "another structure",
            "Use a tuple or an array.",
        )

    def differences(
        self, entry: Heap, leaving: Heap, live: frozenset[str]
    ) -> Iterator[tuple[Place, MaybeValue, MaybeValue]]:
        """The leaves that the body changes: place, value on entry, value at the end."""
        for number, old in entry.items():
            new = leaving[number]
            if new is old:
                continue
            if is_whole(old, new):
                one: MaybeValue = UNDEFINED if old.var is None else old.var
                if new.var != old.var or new.var is None:
                    yield (number, WHOLE, ()), one, new.var or UNDEFINED
                continue
            if old.kind == "set" and old.items.keys() != new.items.keys():
                self.position.refuse(
                    "this loop changes the items of a set",
                    "Use a list, or a set that is made within the loop.",
                )
            for key in dict.fromkeys((*old.items, *new.items)):
                if self.waiting.is_dead(number, key, live):
                    continue
                a = old.items.get(key, UNDEFINED)
                b = new.items.get(key, UNDEFINED)
                yield from self.leaves((number, key, ()), a, b, (entry, leaving))

    def leaves(
        self, place: Place, one: MaybeValue, two: MaybeValue, heaps: tuple[Heap, Heap]
    ) -> Iterator[tuple[Place, MaybeValue, MaybeValue]]:
        """The leaves in which two values differ."""
        if one == two or LOST in (one, two):
            return
        pairs: list[tuple[object, MaybeValue, MaybeValue]] | None = None
        if isinstance(two, TupleValue):
            if isinstance(one, Undefined) and two.items:
                pairs = [(k, one, item) for k, item in enumerate(two.items)]
            elif isinstance(one, TupleValue) and one.cls is two.cls:
                if len(one.items) == len(two.items):
                    both = zip(one.items, two.items, strict=True)
                    pairs = [(k, a, b) for k, (a, b) in enumerate(both)]
        elif isinstance(one, OneOf) and isinstance(two, OneOf) and one.of == two.of:
            pairs = [(WHICH, one.index, two.index)]
        elif isinstance(one, Ref) and isinstance(two, Ref):
            a, b = heaps[0][one.cell], heaps[1][two.cell]
            if a.kind == b.kind and a.cls is b.cls and a.kind != "set":
                same = (
                    a.alike(b) if a.kind == "dict" else a.items.keys() == b.items.keys()
                )
                if a.var is b.var is None and same:
                    pairs = [(Item(k), a.items[k], b.items[k]) for k in a.items]
        if pairs is None:
            yield place, one, two
            return
        for step, x, y in pairs:
            yield from self.leaves((*place[:2], (*place[2], step)), x, y, heaps)

    def lost_in(
        self, entry: Heap, leaving: Heap, live: frozenset[str]
    ) -> list[tuple[int, Any]]:
        """The names that an iteration leaves after a `try` that may have raised before
        or after assigning them, which none can read."""
        return [
            (number, key)
            for number, old in entry.items()
            for read in (self.waiting.live_in(number, live),)
            for key, value in leaving[number].items.items()
            if value == LOST and old.items.get(key) != LOST
            if read is None or key in read
        ]

    def materialised(self, wanted: dict[Place, Carried]) -> dict[Place, Carried]:
        """Containers whose length changes are built before the loop."""
        ready: dict[Place, Carried] = {}
        for place, carry in wanted.items():
            cell, key, _ = place
            if key is WHOLE and isinstance(carry.init, Undefined):
                old = self.cells.heap[cell]
                atom: Atom | None = self.built_of(cell)
                atom = atom or self.atoms.atom_of_cell(Ref(cell), lends=False)
                assert isinstance(atom, Var)
                self.lists.hold_lists(cell, atom)
                self.notes.split.discard(atom.name)
                fact = _held_as_a_whole(atom.fact, carry.fact)
                hint = self.name_of_cell(cell)
                if hint is not None:
                    self.variables.hint(atom.name, hint)
                self.cells.heap[cell] = replace(old, items={}, var=atom)
                ready[place] = Carried(fact, atom, hint)
            elif carry.init is PENDING:
                atom = self.language.atom(self.value_at(place))
                ready[place] = replace(carry, init=atom)
            elif isinstance(carry.init, Var):
                ready[place] = replace(carry, init=self.language.fresh(carry.init))
            else:
                ready[place] = carry
        return ready

    @extensible
    def built_of(self, cell: int) -> Var | None:
        """What was built of a list of lists already; see item_rows.py."""
        raise NotImplementedError

    def value_at(self, place: Place) -> Value:
        """The value at a place before the loop."""
        value = self.cells.get(place[:2])
        for step in place[2]:
            if isinstance(step, Item):
                assert isinstance(value, Ref)
                value = self.cells.heap[value.cell].items[step.key]
            elif isinstance(value, OneOf):
                value = value.index
            else:
                assert isinstance(value, TupleValue)
                assert isinstance(step, int)
                value = value.items[step]
        assert value is not None
        return value

    def name_of_cell(self, cell: int) -> str | None:
        """The name of the current function that refers to a container."""
        for name, value in self.cells.heap[self.position.frame.cell].items.items():
            if value == Ref(cell) and isinstance(name, str) and name[0] != "%":
                return name
        return None


def _held_as_a_whole(before: Fact, carried: Fact) -> Fact:
    """What is known of a container of unknown length or keys that a loop carries."""
    alike = carried.kind == before.kind
    each = element_of(before)
    each = join(each, element_of(carried)) if alike else each
    if before.kind == "dict":
        return Fact("dict", cls=before.cls, element=anonymous(each))
    if before.kind != "list":
        return Fact(before.kind, cls=before.cls)
    least = min(least_of(before), least_of(carried)) if alike else least_of(before)
    return list_of(each, before.cls, least)


def _nests(value: TupleValue) -> bool:
    """Whether a tuple holds others beside numbers, as a list of pairs that are linked:
    `head = (x, head)`. No variable stands for tuples of several depths."""
    inner = [v for v in value.items if isinstance(v, TupleValue) or v == NULL]
    return bool(inner) and len(inner) < len(value.items)
