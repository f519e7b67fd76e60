"""Branches: two arms lowered from one state, and what they leave merged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import (
    AmbiguousType,
    Location,
    NoRule,
    SourceUnavailable,
    UnsupportedCall,
    UnsupportedSyntax,
)
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, extensible, provides, uses
from yota_ast.frontend.expressions.outside_names import OutsideNames
from yota_ast.frontend.heap.lowered_values import (
    Cell,
    MadeIf,
    MaybeValue,
    Value,
    variables_in,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.interpret.merged_values import (
    Arm,
    MergedValues,
    Merger,
)
from yota_ast.frontend.interpret.undefined_at_entry import UndefinedNames
from yota_ast.frontend.source.name_flow import FLAGS, RESULT
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.inlining_records import InliningRecords
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import GlobalName, Snapshot
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.frontend.state.waiting_frames import WaitingFrames
from yota_ast.ir.atoms import UNDEFINED, Atom, Const, Undefined, Var
from yota_ast.ir.nodes import Block, If

REFUSALS: Final = (
    UnsupportedSyntax,
    UnsupportedCall,
    NoRule,
    AmbiguousType,
    SourceUnavailable,
)


class Branches(Component):
    """If ops, from statements and from expressions."""

    language = uses(Language)
    position = uses(Position)
    waiting = uses(WaitingFrames)
    cells = uses(Cells)
    blocks = uses(Blocks)
    notes = uses(Notes)
    states = uses(ArrayStates)
    records = uses(InliningRecords)
    snapshots = uses(Snapshots)
    undefined_names = uses(UndefinedNames)
    assumptions = uses(ValueAssumptions)
    merged_values = uses(MergedValues)
    outside_names = uses(OutsideNames)

    @provides(ObjectChoice.choose)
    def choose(
        self,
        test: Atom,
        then: Callable[[], Value],
        orelse: Callable[[], Value],
        *,
        form: Any,
    ) -> Value:
        """The value of one of two arms, of which one is run."""
        value = self.branch(test, then, orelse, form=form, live=None)
        if isinstance(value, Undefined):
            self.blocks.end_block()
            self.blocks.check_open()
            return Const(None)
        return value

    def branch(
        self,
        test: Atom,
        then: Callable[[], MaybeValue],
        orelse: Callable[[], MaybeValue],
        *,
        form: Any = "if",
        live: frozenset[str] | None,
    ) -> MaybeValue:
        """Lower both arms and merge what they leave; the merged value.

        live: the names of the current function that are read later; None: all.
        """
        test = self.language.atom(test)
        before, origin, given_up = (
            self.snapshots.snapshot(),
            self.position.origin,
            len(self.assumptions.given_up),
        )
        first = self.arm(then, test, holds=True)
        self.snapshots.restore(before)
        second = self.arm(orelse, test, holds=False)
        if first.state.ended and second.state.ended:
            for refusal in [*self.assumptions.given_up.values()][given_up:]:
                raise refusal
        merger = Merger(test, first, second)
        self.snapshots.restore(before)
        self.merge_memory(first.state, second.state)
        value = self.merged_values.merged(merger, first.value, second.value, None)
        self.merge_state(merger, before, live)
        if first.ops or second.ops or merger.merges or form == "if":
            if form != "if" and any(
                UNDEFINED in (m.then, m.orelse) for m in merger.merges
            ):
                form = "if"  # an expression has a value on either way
            blocks = Block(tuple(first.ops)), Block(tuple(second.ops))
            self.blocks.emit(If(test, *blocks, tuple(merger.merges), form, origin))
        return value

    def arm(self, run: Callable[[], MaybeValue], test: Atom, *, holds: bool) -> Arm:
        """Lower one arm; the state is what it leaves."""
        value: MaybeValue
        with self.position.in_arm(test, holds=holds), self.blocks.block() as ops:
            value = UNDEFINED
            with self.blocks.comes_back():
                value = self.attempted(run)
            after = self.snapshots.snapshot()
        gone = self.has_returned()
        return Arm(ops, after, UNDEFINED if self.blocks.ended else value, gone)

    def has_returned(self) -> bool:
        """Whether control has surely left the function, and nothing reads its names."""
        value = self.cells.get((self.position.frame.cell, FLAGS[0]))
        known = isinstance(value, Const) and value.value is True
        return known and not self.position.finals

    def attempted(self, run: Callable[[], MaybeValue]) -> MaybeValue:
        """The value of an arm; where it cannot be lowered, it raises in the text."""
        if not self.settings.lenient:
            return run()
        mark = self.snapshots.mark()
        try:
            return run()
        except REFUSALS as refusal:
            self.snapshots.back_to(mark)
            self.assumptions.give_up(
                refusal.located(self.position.location()), self.position.title
            )
            return UNDEFINED

    # ------------------------------------------------------------ states

    def merge_state(
        self, merger: Merger, before: Snapshot, live: frozenset[str] | None
    ) -> None:
        """The heap after the branch: what differs between the arms is merged."""
        then, orelse = merger.then.state, merger.orelse.state
        if then.ended and orelse.ended:
            self.blocks.end_block()
            return
        live = None if live is None else self.with_bases(live)
        self.records.rebind_globals((orelse if then.ended else then).globals)
        if not then.ended and not orelse.ended:
            self.same_globals(then.globals, orelse.globals)
        for number, old in before.heap.items():
            cells = a, b, _ = then.heap[number], orelse.heap[number], old
            own = (
                number == self.position.frame.cell
            )  # its flags tell which arm has raised
            if a is b and a is old and not (own and then.ended != orelse.ended):
                continue
            self.write_new(merger, number, cells)
            read = None if live is None else self.waiting.live_in(number, live)
            cell = self.merge_cell(merger, number, cells, read)
            cell = self.undefined_names.with_unset(merger, number, (a, b), cell)
            self.note_new(number, cells, cell)
            arms = [c for c, arm in ((a, then), (b, orelse)) if not arm.ended]
            fixed = any(c.fixed for c in (cell, self.cells.heap[number], *arms))
            self.cells.heap[number] = replace(cell, fixed=fixed)

    def with_bases(self, live: frozenset[str]) -> frozenset[str]:
        """The names that are read later, and those of the arrays of which something
        that is read later is a view: what is written into one is so into the other."""
        if not self.notes.views:
            return live
        own, bases = self.position.frame.cell, set[str]()
        for number, cell in self.cells.heap.items():
            for key, value in cell.items.items():
                if number != own or key in live:
                    for var in variables_in(value):
                        bases |= self.notes.bases_of(var, self.states.successors)
        items = self.cells.heap[own].items.items()
        return live | {k for k, v in items if isinstance(v, Var) and v.name in bases}

    @extensible
    def write_new(self, merger: Merger, number: int, cells: tuple[Cell, ...]) -> None:
        """Write what one arm alone gives the caller's object."""

    @extensible
    def note_new(self, number: int, cells: tuple[Cell, ...], merged: Cell) -> None:
        """Note that it is written; see argument_mutation.py."""

    def same_globals(
        self, one: Mapping[GlobalName, Any], two: Mapping[GlobalName, Any]
    ) -> None:
        """Refuse a global that is left rebound on one way and not on another."""
        for key in (*one, *two):
            if one.get(key, (None,))[0] != two.get(key, (None,))[0]:
                self.refuse_global(key, (one.get(key) or two[key])[1])

    def refuse_global(self, key: GlobalName, where: Location) -> NoReturn:
        """Refuse a global that keeps a new value, unless it can be set outside."""
        name = key[1]
        self.outside_names.begin_again(key)
        raise UnsupportedSyntax(
            f"the function assigns the global `{name}`",
            at=where,
            remedy=f"Return the new value of `{name}`, and assign it outside.",
        )

    @extensible
    def merge_memory(self, then: Snapshot, orelse: Snapshot) -> None:
        """The state of memory after a branch; see array_writes.py."""
        raise NotImplementedError

    def merge_cell(
        self,
        merger: Merger,
        number: int,
        cells: tuple[Cell, Cell, Cell],
        live: frozenset[str] | None,
    ) -> Cell:
        """A cell that the arms leave differently."""
        values, (a, b, old) = self.merged_values, cells
        own = number == self.position.frame.cell
        if merger.then.state.ended or merger.orelse.state.ended:
            # One arm has raised: the other's cell holds, its new values merged out.
            a, b = (b, b) if merger.then.state.ended else (a, a)
            if a is old and not own:
                return a
        if a.kind != "frame" and (a.var or b.var or a.items.keys() != b.items.keys()):
            whole = self.merged_whole(merger, (a, b), old)
            if whole is not None:
                return whole
        items: dict[Any, Value] = {}
        for key in dict.fromkeys((*a.items, *b.items)):
            one, two = a.items.get(key, UNDEFINED), b.items.get(key, UNDEFINED)
            tested = own and key in FLAGS and one == merger.test
            before = old.items.get(key, UNDEFINED)
            held = None if tested else values.kept(merger, (one, two), before)
            if held is not None:
                items[key] = held
                continue
            if own and key in FLAGS:
                one, two = _flag(one), _flag(two)
                if one == merger.test and merger.orelse.state.ended:
                    items[key] = Const(True)
                    continue
                if one == merger.test:
                    # In this arm the flag that was tested is known to be set.
                    if two == _flag(UNDEFINED):
                        items[key] = merger.test
                        continue
                    one = Const(True)
            elif own and key != RESULT and one != two:
                if merger.then.returned != merger.orelse.returned:
                    one, two = self.unless_returned(merger, one, two)
                if live is not None and key not in live:
                    continue
            if merger.then.state.ended != merger.orelse.state.ended and (
                one == two == old.items.get(key)
            ):
                # What the arm that goes on has left as it was needs no merge.
                items[key] = one  # type: ignore[assignment]
                continue
            named = a.kind in ("frame", "object") and not key.startswith("%")
            one, two = values.built_result(merger, own and key == RESULT, one, two)
            name = (key, number) if named else None
            value = values.merged(merger, one, two, name)
            if not isinstance(value, Undefined):
                items[key] = value
        return a.merged(items, b, old.made_if)

    def merged_whole(
        self, merger: Merger, cells: tuple[Cell, Cell], old: Cell
    ) -> Cell | None:
        """A list or a dict whose keys the arms leave differently; None of an object."""
        (a, b), gone = cells, (merger.then.state.ended, merger.orelse.state.ended)
        if a.kind in ("list", "dict"):
            sides = (None if gone[0] else a), (None if gone[1] else b)
            return self.merged_values.merge_container(merger, *sides, old.made_if)
        if a.kind == "set":
            self.position.refuse(
                "the two arms of this branch leave different items in a set",
                "Use a list, or one set for each arm.",
            )
        return None

    def unless_returned(
        self, merger: Merger, one: MaybeValue, two: MaybeValue
    ) -> tuple[MaybeValue, MaybeValue]:
        """The values of a name, of which one is read by nothing, as its arm has left
        the function: an object is then what the other arm says."""
        left = two if merger.then.returned else one
        if self.merged_values.is_lasting(left):
            return left, left
        return (UNDEFINED, two) if merger.then.returned else (one, UNDEFINED)

    @provides(MergedValues.built_if)
    def built_if(self, arm: Arm, cell: Cell, made: MadeIf) -> MaybeValue:
        """A container built at the end of an arm, if it has been made."""
        ref = self.cells.new_cell(cell)

        def build() -> MaybeValue:
            return self.language.atom(ref)

        def leave() -> MaybeValue:
            return UNDEFINED

        arms = (build, leave) if made.first else (leave, build)
        return self.merged_values.at_end_of(
            arm, ref, lambda: self.branch(made.test, *arms, live=None)
        )


def _flag(value: MaybeValue) -> Value:
    """A flag that is not set is false."""
    return Const(False) if isinstance(value, Undefined) else value
