"""Two values, of either arm of a branch -> one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeGuard, TypeVar

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.frontend.components import Component, extensible, uses
from yota_ast.frontend.expressions.known_in_arm import narrowed
from yota_ast.frontend.heap.lowered_values import (
    LOST,
    NULL,
    UNBOUND,
    Argument,
    Bound,
    Cell,
    Closure,
    Either,
    Frame,
    Lazy,
    MadeIf,
    MaybeValue,
    MethodOf,
    OneOf,
    Partial,
    Ref,
    SliceValue,
    TupleValue,
    Value,
    candidates,
    reached,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.joined_lengths import JoinedLengths
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import Snapshot
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import BOOL
from yota_ast.ir.atoms import UNDEFINED, Atom, Const, Undefined, Var
from yota_ast.ir.nodes import Merge, Op, defined_by

T = TypeVar("T")


Named = tuple[str, int] | None
"""The name by which a merged variable is called, and the cell of its frame."""


@dataclass(slots=True)
class Arm:
    """One arm of a branch, lowered."""

    ops: list[Op]
    state: Snapshot
    value: MaybeValue
    returned: bool = False  # whether it surely leaves the function of the branch
    partners: dict[int, dict[object, Ref | None]] = field(default_factory=dict)
    """Of containers that it has made: with what of the other arm each was merged, and
    into which container, None where it was built as a whole."""


@dataclass(slots=True)
class Merger:
    """The merges of a branch while they are collected."""

    test: Atom
    then: Arm
    orelse: Arm
    merges: list[Merge] = field(default_factory=list)
    made: dict[tuple[object, ...], Value] = field(default_factory=dict)


class MergedValues(Component):
    """Merges the values that two arms leave."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    notes = uses(Notes)
    variables = uses(Variables)
    snapshots = uses(Snapshots)
    operations = uses(Operations)
    choice = uses(ObjectChoice)
    lengths = uses(JoinedLengths)

    # ------------------------------------------------------------ states

    def built_result(
        self, merger: Merger, returned: bool, one: MaybeValue, two: MaybeValue
    ) -> tuple[MaybeValue, MaybeValue]:
        """What is returned from within a loop, or by the function itself; a list or a
        dict that only one arm returns is built there, for elsewhere its items are
        undefined."""
        if not returned or not (self.position.loops or len(self.position.calls) <= 1):
            return one, two
        if isinstance(two, Undefined) and self.is_container(merger.then, one):
            return self.atom_in(merger.then, one), two
        if isinstance(one, Undefined) and self.is_container(merger.orelse, two):
            return one, self.atom_in(merger.orelse, two)
        return one, two

    def is_container(self, arm: Arm, value: MaybeValue) -> bool:
        """Whether a value is a list or a dict, made while lowering."""
        if not isinstance(value, Ref):
            return False
        return arm.state.heap[value.cell].kind in ("list", "dict")

    def kept(
        self, merger: Merger, values: tuple[MaybeValue, MaybeValue], old: MaybeValue
    ) -> Value | None:
        """The value of a variable that neither arm has touched, as is so of most; or
        where one has raised, and the other has not changed the value."""
        one, two = values
        if merger.then.state.ended or merger.orelse.state.ended:
            return one if not isinstance(one, Undefined) and one == old else None
        if one is old and isinstance(one, Var):
            return one if two is old else None
        # Of two None that which was assigned: see `Loops.followers`.
        return two if one is old and _is_none(one) and _is_none(two) else None

    def merge_container(
        self,
        merger: Merger,
        a: Cell | None,
        b: Cell | None,
        made: MadeIf | None = None,
    ) -> Cell:
        """A list or dict whose length differs between the arms becomes a variable."""
        if made is not None and a is not None and b is not None:
            return self.merge_half_made(merger, a, b, made)
        one = UNDEFINED if a is None else self.cell_in(merger.then, a)
        two = UNDEFINED if b is None else self.cell_in(merger.orelse, b)
        value = self.merged(merger, one, two, None)
        assert isinstance(value, Var)
        cell = a or b
        assert cell is not None
        return Cell(cell.kind, {}, cell.cls, value, cell.fixed)

    def merge_half_made(self, merger: Merger, a: Cell, b: Cell, made: MadeIf) -> Cell:
        """The same of one that was made in one arm of a branch before: where it was not
        made, it is not built."""
        if made.test == merger.test:  # the branch of which this is the continuation
            sides = (a, None) if made.first else (None, b)
            return replace(self.merge_container(merger, *sides), made_if=made)
        if made.loops is not self.position.loops:
            return self.merge_container(merger, a, b)
        one = self.built_if(merger.then, a, made)
        two = self.built_if(merger.orelse, b, made)
        value = self.merged(merger, one, two, None)
        assert isinstance(value, Var)
        return Cell(a.kind, {}, a.cls, value, a.fixed, made_if=made)

    @extensible
    def built_if(self, arm: Arm, cell: Cell, made: MadeIf) -> MaybeValue:
        """A container built at the end of an arm, if it has been made there."""
        raise NotImplementedError

    def cell_in(self, arm: Arm, cell: Cell) -> Atom:
        """A container built at the end of an arm."""
        ref = self.cells.new_cell(cell)
        return self.at_end_of(arm, ref, lambda: self.language.atom(ref))

    # ------------------------------------------------------------ values

    def merged(
        self, merger: Merger, one: MaybeValue, two: MaybeValue, hint: Named
    ) -> MaybeValue:
        """The value that is `one` after the first arm and `two` after the second."""
        if merger.then.state.ended or merger.orelse.state.ended:
            if merger.then.state.ended and merger.orelse.state.ended:
                return UNDEFINED
            left = two if merger.then.state.ended else one
            # what the arm that goes on says, holds
            if isinstance(left, Const) or self.is_lasting(left):
                return left
            one = UNDEFINED if merger.then.state.ended else one
            two = UNDEFINED if merger.orelse.state.ended else two
        if isinstance(one, Undefined) and isinstance(two, Undefined):
            return UNDEFINED
        if LOST in (one, two):
            return LOST
        if one == two and self.outlives(one):
            return one
        one = self.notes.object_of(one, merger.then.state.successors)
        two = self.notes.object_of(two, merger.orelse.state.successors)
        if one == two:
            return one
        if isinstance(one, Var) and self.notes.is_one_view(one, two):
            return self.notes.renewed.get(one.name, one)
        key = (_key(one), _key(two))
        if key not in merger.made:
            merger.made[key] = self.merge_new(merger, one, two, hint)
        return merger.made[key]

    def outlives(self, value: MaybeValue) -> bool:
        """Whether a value that both arms leave existed before the branch."""
        return not isinstance(value, Ref) or value.cell in self.cells.heap

    def merge_new(
        self, merger: Merger, one: MaybeValue, two: MaybeValue, hint: Named
    ) -> Value:
        """Merge two values that differ, leaf by leaf where they have one structure."""
        one = narrowed(self, one, merger.test, holds=True)
        two = narrowed(self, two, merger.test, holds=False)
        if isinstance(one, _THINGS) or isinstance(two, _THINGS):
            chosen = self.merge_things(merger, one, two)
            if chosen is not None:
                return chosen
        if isinstance(one, (TupleValue, Undefined)) and isinstance(
            two, (TupleValue, Undefined)
        ):
            return self.merge_tuples(merger, one, two)
        if isinstance(one, (Ref, Undefined)) and isinstance(two, (Ref, Undefined)):
            ref = self.merge_refs(merger, one, two)
            if ref is not None:
                return ref
        if _is_callable(one) and _is_callable(two) and one != two:
            then = self.lifted(merger, one, first=True)
            orelse = self.lifted(merger, two, first=False)
            return Either(merger.test, then, orelse)
        virtual = (Closure, Bound, Partial, Lazy, SliceValue, Either)
        for value, other in ((one, two), (two, one)):
            if isinstance(value, virtual) and isinstance(other, Undefined):
                return self.merge_closure(merger, value, first=value is one)
        return self.merge_atoms(merger, one, two, hint)

    def merge_things(
        self, merger: Merger, one: MaybeValue, two: MaybeValue
    ) -> Value | None:
        """One of two objects, or an object or none: which, the test tells later too.
        None of what is merged by its fields: objects of one structure that the arms
        have made."""
        kinds = [self.is_thing_in(merger, v) for v in (one, two)]
        absent = [isinstance(v, Undefined) or v == NULL for v in (one, two)]
        if not any(kinds) or not all(
            k or a for k, a in zip(kinds, absent, strict=True)
        ):
            return None
        lasting = [self.is_lasting(v) for v in (one, two)]
        if not any(lasting) and self.have_one_structure(merger, one, two):
            return None
        test = merger.test
        if self.operations.fact(
            test
        ).may_be_array:  # which may be written after the branch
            test = self.operations.apply(bool, (test,), fact=BOOL)
        sides: list[Value] = []
        for value, first in ((one, True), (two, False)):
            if isinstance(value, Undefined):
                sides.append(UNBOUND)
            else:
                sides.append(self.lifted(merger, value, first=first))
        return Either(test, *sides)

    def is_thing_in(self, merger: Merger, value: MaybeValue) -> bool:
        """Whether a value is an object, of before the branch or of one of its arms, or
        one of several."""
        if isinstance(value, (Either, OneOf)):
            return any(self.is_thing_in(merger, v) for v in candidates(value))
        if isinstance(value, Ref) and value.cell not in self.cells.heap:
            heaps = (merger.then.state.heap, merger.orelse.state.heap)
            cells = (heap.get(value.cell) for heap in heaps)
            return any(cell is not None and cell.kind == "object" for cell in cells)
        return self.choice.is_thing(value)

    def is_lasting(self, value: MaybeValue) -> bool:
        """Whether a value is an object from before the branch, or one of several; none
        that may not change."""
        if isinstance(value, (Either, OneOf)):
            return all(map(self.is_lasting, candidates(value)))
        cell = self.cells.heap.get(value.cell) if isinstance(value, Ref) else None
        if isinstance(value, Ref) and (cell is None or cell.is_listed):
            return False
        return value in (NULL, UNBOUND) or self.choice.is_thing(value)

    def have_one_structure(
        self, merger: Merger, one: MaybeValue, two: MaybeValue
    ) -> bool:
        """Whether two objects that the arms have made have the same fields, or one is
        made in one arm alone."""
        cells = [
            arm.state.heap[v.cell]
            for v, arm in ((one, merger.then), (two, merger.orelse))
            if isinstance(v, Ref)
        ]
        if not all(isinstance(v, (Ref, Undefined)) for v in (one, two)) or not cells:
            return False
        a, b = cells[0], cells[-1]
        return a.cls is b.cls and a.items.keys() == b.items.keys()

    def merge_atoms(
        self, merger: Merger, one: MaybeValue, two: MaybeValue, hint: Named
    ) -> Value:
        """Merge two values as wholes."""
        then = self.atom_in(merger.then, one)
        orelse = self.atom_in(merger.orelse, two)
        if not isinstance(then, Undefined) and then == orelse:
            return then
        facts = [
            self.operations.fact(v)
            for v in (then, orelse)
            if not isinstance(v, Undefined)
        ]
        known = self.lengths.of_arms(facts[0], facts[-1])
        out = self.variables.var(known, *(hint or ()))
        merger.merges.append(Merge(out, then, orelse))
        self.remember_merge(out, then, orelse)
        return out

    @extensible
    def remember_merge(
        self, out: Var, then: Atom | Undefined, orelse: Atom | Undefined
    ) -> None:
        """Note whose memory a merged variable shares; see array_writes.py."""
        raise NotImplementedError

    def merge_tuples(self, merger: Merger, one: MaybeValue, two: MaybeValue) -> Value:
        """Tuples of one length are merged item by item."""
        sides = [v for v in (one, two) if isinstance(v, TupleValue)]
        first, last = sides[0], sides[-1]
        if len(first.items) != len(last.items) or first.cls is not last.cls:
            return self.merge_atoms(merger, one, two, None)
        items = []
        for k in range(len(first.items)):
            a = one.items[k] if isinstance(one, TupleValue) else UNDEFINED
            b = two.items[k] if isinstance(two, TupleValue) else UNDEFINED
            item = self.merged(merger, a, b, None)
            assert not isinstance(item, Undefined)
            items.append(item)
        return TupleValue(tuple(items), first.cls)

    def merge_refs(
        self, merger: Merger, one: MaybeValue, two: MaybeValue
    ) -> Ref | None:
        """Containers made in the arms become one of their structure."""
        cells = []
        for value, arm in ((one, merger.then), (two, merger.orelse)):
            if isinstance(value, Ref):
                if value.cell in self.cells.heap:
                    self.fix(value)
                cells.append(arm.state.heap[value.cell])
        a, b = cells[0], cells[-1]
        if a.kind != b.kind or a.cls is not b.cls or a.kind == "set":
            return None
        if a.var is not None or b.var is not None or a.items.keys() != b.items.keys():
            if a.kind == "object":
                return None
            sides = (
                (a if isinstance(one, Ref) else None),
                (b if isinstance(two, Ref) else None),
            )
            merged = self.merge_container(merger, *sides)
            ref = self.cells.new_cell(replace(merged, fixed=self.any_fixed(one, two)))
            self.pair(merger, one, two, ref)
            return ref
        fixed = self.any_fixed(one, two) or a.fixed or b.fixed
        ref = self.cells.new_cell(a.merged({}, b))
        merger.made[(_key(one), _key(two))] = ref
        for key in a.items:
            x = a.items[key] if isinstance(one, Ref) else UNDEFINED
            y = b.items[key] if isinstance(two, Ref) else UNDEFINED
            value = self.merged(merger, x, y, None)
            assert not isinstance(value, Undefined)
            self.cells.put(ref.cell, key, value)
        perhaps = a.perhaps | b.perhaps
        made = self.made_if(merger, one, two) if a is b and a.kind != "object" else None
        self.cells.heap[ref.cell] = replace(
            self.cells.heap[ref.cell], fixed=fixed, perhaps=perhaps, made_if=made
        )
        self.pair(merger, one, two, ref)
        return ref

    def made_if(
        self, merger: Merger, one: MaybeValue, two: MaybeValue
    ) -> MadeIf | None:
        """In which arm a container was made, where the other left none and went on."""
        first = isinstance(one, Ref)
        if first == isinstance(two, Ref):
            return None
        if merger.then.state.ended or merger.orelse.state.ended:
            return None
        return MadeIf(merger.test, first, self.position.loops)

    def pair(self, merger: Merger, one: MaybeValue, two: MaybeValue, ref: Ref) -> None:
        """Note of which containers of the arms one was made."""
        for arm, mine, other in ((merger.then, one, two), (merger.orelse, two, one)):
            if isinstance(mine, Ref) and mine.cell not in self.cells.heap:
                self.meet(arm, mine.cell, _key(other), ref)

    def meet(self, arm: Arm, cell: int, other: object, ref: Ref | None) -> None:
        """Note with what a container of an arm was merged. What stands for it beside
        others may no longer change: the other names would not see it."""
        met = arm.partners.setdefault(cell, {})
        met[other] = ref
        if len(met) > 1:
            for each in met.values():
                if each is not None:
                    self.cells.heap[each.cell] = replace(
                        self.cells.heap[each.cell], fixed=True
                    )

    def any_fixed(self, *values: MaybeValue) -> bool:
        """Whether a container was there before the branch, and may have two names."""
        return any(isinstance(v, Ref) and v.cell in self.cells.heap for v in values)

    def fix(self, ref: Ref) -> None:
        """A container may be another name's, by a branch: it may no longer change."""
        self.cells.heap[ref.cell] = replace(self.cells.heap[ref.cell], fixed=True)

    def merge_closure(self, merger: Merger, value: Any, *, first: bool) -> Value:
        """A function made in one arm alone: its frame comes along."""
        arm = merger.then if first else merger.orelse
        if isinstance(value, Either):
            return self.lifted(merger, value, first=first)
        frame: Frame | None = getattr(value, "frame", None)
        if frame is not None and frame.cell not in self.cells.heap:
            self.cells.heap[frame.cell] = arm.state.heap[frame.cell]
        result: Value = value
        return result

    def lifted(self, merger: Merger, value: Any, *, first: bool) -> Value:
        """A function chosen within an arm, as it is after the branch: the tests by
        which it was chosen are merged."""
        if isinstance(value, OneOf):
            return self.lifted_one(merger, value, first=first)
        if isinstance(value, Ref):
            if value.cell in self.cells.heap:
                return value
            then: MaybeValue = value if first else UNDEFINED
            made = self.merged(merger, then, UNDEFINED if first else value, None)
            assert isinstance(made, Ref)
            return made
        if not isinstance(value, Either):
            return self.merge_closure(merger, value, first=first)
        test = self.lifted_atom(merger, value.test, Const(False), first=first)
        sides = [
            self.lifted(merger, v, first=first) for v in (value.then, value.orelse)
        ]
        return Either(test, *sides)

    def lifted_one(self, merger: Merger, value: OneOf, *, first: bool) -> Value:
        """The same of an object that a loop or a key has chosen within an arm."""
        number = Const(value.of[0][0])
        index = self.lifted_atom(merger, value.index, number, first=first)
        of = [(k, self.lifted(merger, v, first=first)) for k, v in value.of]
        return OneOf(index, tuple(of))

    def lifted_atom(
        self, merger: Merger, atom: Atom, other: Const, *, first: bool
    ) -> Atom:
        """What an arm has computed; `other`, where it was not run."""
        arm = merger.then if first else merger.orelse
        if not any(atom in defined_by(op) for op in arm.ops):
            return atom
        one, two = (atom, other) if first else (other, atom)
        merged = self.merged(merger, one, two, None)
        assert isinstance(merged, (Var, Const))
        return merged

    def atom_in(self, arm: Arm, value: MaybeValue) -> Atom | Undefined:
        """A value as an atom, built at the end of its arm."""
        if isinstance(value, (Var, Const, Undefined)):
            return value
        return self.at_end_of(arm, value, lambda: self.language.atom(value))

    def at_end_of(self, arm: Arm, value: Value, build: Callable[[], T]) -> T:
        """Build a value in an arm that is lowered already."""
        cells = {n: c for n, c in self.cells.heap.items() if n not in arm.state.heap}
        for number in reached({**arm.state.heap, **cells}, value):
            if number in arm.state.heap and number not in self.cells.heap:
                self.meet(arm, number, value, None)
        here = self.snapshots.snapshot()
        self.snapshots.restore(arm.state)
        self.cells.heap.update(cells)
        try:
            with self.blocks.appending(arm.ops):
                return build()
        finally:
            self.snapshots.restore(here)


_THINGS: Final = (Ref, Argument, Const, Either, OneOf)
"""What may be an object, or may have been chosen among some."""


def _is_callable(value: MaybeValue) -> bool:
    """Whether a value is a function, a type of arrays, or None in its place."""
    if isinstance(value, Const):
        return value.value is None or (
            callable(value.value) or isinstance(value.value, np.dtype)
        )
    return isinstance(value, (Closure, Bound, Partial, MethodOf, Either))


def _is_none(value: MaybeValue) -> TypeGuard[Const]:
    """Whether a value is a plain None."""
    return isinstance(value, Const) and value.value is None and value.text is None


def _key(value: MaybeValue) -> object:
    return value.key() if isinstance(value, Const) else value
