"""The fixed point of a loop: its body is lowered until what it carries round stays the
same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.analysis.steady_shapes import alike
from yota_ast.errors import UnsupportedSyntax
from yota_ast.frontend.arrays.grown_lists import (
    appended,
    length_after,
    length_at_first,
)
from yota_ast.frontend.components import Component, extensible, uses
from yota_ast.frontend.heap.carried_choice import CarriedChoice
from yota_ast.frontend.heap.loop_containers import LoopContainers
from yota_ast.frontend.heap.lowered_values import (
    LOST,
    Heap,
    MaybeValue,
    Node,
    Ref,
    TupleValue,
)
from yota_ast.frontend.interpret.branches import Branches
from yota_ast.frontend.interpret.loop_places import LoopPlaces
from yota_ast.frontend.interpret.statement_execution import Execution
from yota_ast.frontend.interpret.statements import FALSE
from yota_ast.frontend.interpret.undefined_at_entry import UndefinedNames
from yota_ast.frontend.library.cached_functions import check_loop
from yota_ast.frontend.library.list_methods import ListMethods
from yota_ast.frontend.source.name_flow import (
    BROKEN,
    CONTINUED,
    FLAGS,
    RESULT,
    RETURNED,
    live_at_head,
    names_appended,
    names_assigned,
)
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.inlining_records import InliningRecords
from yota_ast.frontend.state.joined_lengths import JoinedLengths
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.loop_records import (
    EVERYTHING,
    WHOLE,
    Carried,
    Pass,
    Place,
    value_fact,
    without_parts,
)
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import UNKNOWN, Fact, anonymous
from yota_ast.ir.atoms import UNDEFINED, Atom, Const, Undefined, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.nodes import (
    Carry,
)

MAX_PASSES: Final = 30


class LoopPasses(Component):
    """The passes over the body of a loop."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    notes = uses(Notes)
    variables = uses(Variables)
    states = uses(ArrayStates)
    records = uses(InliningRecords)
    snapshots = uses(Snapshots)
    operations = uses(Operations)
    undefined_names = uses(UndefinedNames)
    lists = uses(ListMethods)
    branches = uses(Branches)
    execution = uses(Execution)
    loop_containers = uses(LoopContainers)
    loop_places = uses(LoopPlaces)
    carried_choice = uses(CarriedChoice)
    lengths = uses(JoinedLengths)

    @extensible
    def loop(
        self,
        stmt: Node,
        enter: Callable[[], Any],
        after: frozenset[str],
        trips: Dim | None = None,
    ) -> tuple[Pass, tuple[Carry, ...]]:
        """Lower the body until its carried variables and their facts are settled.
        trips: how often it runs, if nothing ends it early.
        """
        self.loop_places.open_arguments(stmt)
        head = (
            live_at_head(stmt, self.execution.ahead(after))
            | self.position.frame.scope.captured
        )
        head |= self.branches.with_bases(head | after) - after
        tag = f"loop{self.variables.counter}"
        carried = self.with_phis(
            tag, self.loop_places.materialised(self.seeds(stmt, after))
        )
        written: tuple[str, ...] = ()
        early: dict[str, UnsupportedSyntax] = {}  # reads of what has no value
        for _ in range(MAX_PASSES):
            before = self.snapshots.mark()
            with self.undefined_names.expecting(stmt) as expected:
                done = self.one_pass(stmt, enter, carried, (head, after), written)
            if self.carried_choice.choices_open:
                self.snapshots.back_to(before, renumber=True)
                opened = self.carried_choice.open_choices()
                carried = {p: c for p, c in carried.items() if p[:2] not in opened}
                continue
            lost = self.loop_places.lost_in(done.entry, done.exit, head | after)
            if lost:  # the next iteration cannot read them either
                self.snapshots.back_to(before, renumber=True)
                for cell, key in lost:
                    self.cells.put(cell, key, LOST)
                carried = {p: c for p, c in carried.items() if p[:2] not in lost}
                continue
            early.update(expected.refusals)
            wanted = self.wanted(tag, done, carried, head | after | {RESULT})
            more = self.written_by(done, wanted)
            slots, shared = self.loop_containers.exchanged(
                done.entry, done.exit, head | after | {RESULT}
            )
            if wanted == carried and set(more) <= set(written) and not shared:
                if expected.refusal is not None:
                    raise expected.refusal
                self.refuse_unassigned(carried, early)
                for states in ((done.entry, done.entered), (done.exit, done.current)):
                    check_loop(self, before.first_reads, done.entry, *states)
                return done, self.close(done, carried, written, trips)
            written = tuple(sorted({*written, *more}))
            self.snapshots.back_to(before, renumber=True)
            if shared:
                self.loop_containers.part(slots, shared)
            carried = self.with_phis(tag, self.loop_places.materialised(wanted))
        self.position.refuse(
            "a variable of this loop keeps changing its type, shape or structure",
            "Give each variable of the loop one type and one shape.",
        )

    def refuse_unassigned(
        self, carried: Mapping[Place, Carried], early: Mapping[str, UnsupportedSyntax]
    ) -> None:
        """Refuse to read a name to which no iteration gives a value."""
        for (number, key, _), carry in carried.items():
            own = number == self.position.frame.cell and key in early
            if own and carry.fact.kind == "nothing":
                raise early[key]

    def with_phis(
        self, tag: str, carried: dict[Place, Carried]
    ) -> dict[Place, Carried]:
        """Give each carried variable a root of its own."""
        return {
            place: carry if carry.phi else replace(carry, phi=f"{tag}:{k}")
            for k, (place, carry) in enumerate(carried.items())
        }

    def seeds(self, stmt: Node, after: frozenset[str]) -> dict[Place, Carried]:
        """Numbers that the body assigns and reads, lists to which it appends: surely
        carried. What is not found here takes another pass over the body."""
        head = live_at_head(stmt, self.execution.ahead(after))
        found: dict[Place, Carried] = {}
        for name in names_assigned(stmt.body):
            value = self.cells.get((self.position.frame.cell, name))
            if name in head and isinstance(value, (Var, Const)):
                fact = self.operations.fact(value)
                if fact.length is not None:  # of what axis, the next would not know
                    fact = anonymous(fact)
                view = isinstance(value, Var) and value.name in self.notes.views
                if (
                    fact.is_numeric
                    and not view
                    and not self.loop_places.has_names(value)
                ):
                    found[self.position.frame.cell, name, ()] = Carried(
                        fact, value, name
                    )
        for name in names_appended(stmt.body):
            value = self.cells.get((self.position.frame.cell, name))
            if isinstance(value, Ref) and self.loop_places.grows(
                self.cells.heap[value.cell]
            ):
                found[value.cell, WHOLE, ()] = Carried(Fact("unknown"), UNDEFINED, None)
        return found

    def one_pass(
        self,
        stmt: Node,
        enter: Callable[[], Any],
        carried: dict[Place, Carried],
        live: tuple[frozenset[str], frozenset[str]],
        written: tuple[str, ...] = (),
    ) -> Pass:
        """Lower the body once.

        written: the roots from before the loop that the body is known to write.
        """
        before = self.snapshots.snapshot()
        insides: dict[Place, Var] = {}
        lengths: dict[str, Dim] = {}
        for place, carry in carried.items():
            insides[place] = self.handed_var(place, carry, lengths)
            if carry.unset or self.is_unset(place, carry.init):
                self.notes.unset.add(insides[place].name)
            if place[1] != RESULT:  # an iteration begins where nothing is returned
                for each in (place, *carry.also):
                    self.loop_places.set_place(each, insides[place], carry.template)
        self.enter_memory(insides, carried, written)
        entry, entered = dict(self.cells.heap), dict(self.states.current)
        head, after = live
        with (
            self.position.looping_to(after, head),
            self.position.in_loop(),
            self.blocks.block() as ops,
        ):
            header = enter()
            with self.blocks.comes_back():
                self.language.execute(stmt.body, head | after)
            self.hold_as_before(entry)
            self.carried_choice.settle_choices(entry, head | after | {RESULT})
        if self.cells.get((self.position.frame.cell, CONTINUED)) is not None:
            self.cells.drop(self.position.frame.cell, CONTINUED)
        exit_heap = dict(self.cells.heap) if not self.blocks.ended else dict(entry)
        current, successors = (
            dict(self.states.current),
            dict(self.states.successors),
        )
        if not self.blocks.ended:
            self.branches.same_globals(before.globals, self.records.rebound)
        self.snapshots.restore(before)
        return Pass(
            ops, insides, entry, exit_heap, entered, current, successors, header
        )

    def hold_as_before(self, entry: Heap) -> None:
        """What the text holds as a whole when an iteration begins it holds so at its
        end, where a list was given items that are known."""
        for number, cell in entry.items():
            known = self.cells.heap.get(number)
            if cell.var is None or known is None or self.blocks.ended:
                continue
            if cell.kind == "list" and known.var is None:
                self.lists.hold_as_variable(Ref(number))

    @extensible
    def enter_memory(
        self,
        insides: Mapping[Place, Var],
        carried: Mapping[Place, Carried],
        written: tuple[str, ...],
    ) -> None:
        """What memory the carried variables may share; see array_writes.py."""
        raise NotImplementedError

    @extensible
    def written_by(
        self, done: Pass, carried: Mapping[Place, Carried]
    ) -> tuple[str, ...]:
        """The roots from before the loop that its body writes; see array_writes.py."""
        raise NotImplementedError

    def wanted(
        self, tag: str, done: Pass, carried: dict[Place, Carried], live: frozenset[str]
    ) -> dict[Place, Carried]:
        """What has to be carried, as far as this pass tells."""
        wanted, ends = self.parted(done, carried), {}
        twins = {p: main for main, c in wanted.items() for p in c.also}
        found: dict[object, Place] = {}
        for place, one, two in self.loop_places.differences(
            done.entry, done.exit, live
        ):
            ends[place] = two
            one = self.notes.object_of(one, self.states.successors)
            if done.insides.get(place) in _parts(two, done.exit):
                self.loop_places.refuse_exchange(
                    place
                )  # a list within a list, without end
            if place in twins or self.notes.is_one_view(one, two):
                continue
            pair = (one, two) if place not in wanted else place
            if isinstance(one, Var) and isinstance(two, Var) and pair in found:
                main = found[pair]
                wanted[main] = replace(wanted[main], also=(*wanted[main].also, place))
                continue
            found[pair] = place
            end = self.fact_at_end(done, two)
            if place in wanted:
                fact = self.lengths.handed_on(wanted[place].fact, end)
                wanted[place] = replace(wanted[place], fact=fact)
            else:
                fresh = self.cells.get(place[:2]) is None
                init = UNDEFINED if fresh else self.loop_places.init_of(place, one)
                fact = end
                if not isinstance(one, Undefined):
                    fact = self.lengths.handed_on(self.operations.fact(one), end)
                wanted = without_parts(wanted, place)
                hint = place[1] if isinstance(place[1], str) else None
                hint = None if hint is None or hint.startswith("%") else hint
                wanted[place] = Carried(fact, init, hint)
            if self.is_unset(place, two):
                wanted[place] = replace(wanted[place], unset=True)
            if place[2]:
                whole = done.exit[place[0]].items.get(place[1])
                wanted[place] = replace(wanted[place], template=whole)
        while following := self.followers(done, wanted, live):
            wanted |= following
        wanted = self.with_alike(done, wanted, ends)
        return self.carried_memory(tag, done, wanted, ends, live)

    def is_unset(self, place: Place, end: MaybeValue) -> bool:
        """Whether a name may have no value where it is left so."""
        if isinstance(end, Var):
            return end.name in self.notes.unset
        named = isinstance(place[1], str) and place[1][0] != "%"
        return isinstance(end, Undefined) and named and self.is_frame(place[0])

    def is_frame(self, number: int) -> bool:
        """Whether a cell holds the names of a function."""
        return self.cells.heap[number].kind == "frame"

    def followers(
        self, done: Pass, wanted: Mapping[Place, Carried], live: frozenset[str]
    ) -> dict[Place, Carried]:
        """Names that get the constant which another had on entry: that one is carried,
        and the next pass would find that they are, too. A chain `p1, p2, p3 = p0, p1,
        p2` would else take a pass for each of its names."""
        cell = self.position.frame.cell
        old, new = done.entry[cell].items, done.exit[cell].items
        # By identity: each constant of the program text is an object of its own.
        sources = {
            id(old[key]): carry.fact
            for (number, key, path), carry in wanted.items()
            if number == cell and not path and isinstance(old.get(key), Const)
        }
        fact = self.operations.fact
        return {
            (cell, key, ()): Carried(
                self.lengths.handed_on(fact(value), sources[id(new[key])]), value, key
            )
            for key, value in old.items()
            if key in live and key not in FLAGS and (cell, key, ()) not in wanted
            and isinstance(value, Const) and id(new.get(key)) in sources
            and new[key] is not value
        }  # fmt: skip

    def with_alike(
        self,
        done: Pass,
        wanted: Mapping[Place, Carried],
        ends: Mapping[Place, MaybeValue],
    ) -> dict[Place, Carried]:
        """The same, with names for lengths that change alike."""
        nothing = Fact("unknown")
        found = alike(
            (
                carry.fact,
                carry.alike,
                nothing if isinstance(init, Undefined) else self.operations.fact(init),
                self.fact_at_end(done, ends.get(place, done.insides.get(place, init))),
            )
            for place, carry in wanted.items()
            for init in (carry.init,)
        )
        return {
            place: carry if carry.alike == names else replace(carry, alike=names)
            for (place, carry), names in zip(wanted.items(), found, strict=True)
        }

    def handed_var(self, place: Place, carry: Carried, lengths: dict[str, Dim]) -> Var:
        """A variable for what is handed on. Axes that are alike have one length."""
        fact = anonymous(carry.fact)
        if carry.alike and isinstance(fact.shape, tuple):
            pairs = zip(fact.shape, carry.alike, strict=True)
            dims = tuple(d or lengths.get(name or "") for d, name in pairs)
            fact = fact.with_shape(dims)
        frame = place[0] if self.is_frame(place[0]) else 0
        var = self.variables.var(fact, carry.hint, frame)
        if carry.alike and isinstance(var.fact.shape, tuple):
            for dim, name in zip(var.fact.shape, carry.alike, strict=True):
                if name and dim is not None:
                    lengths.setdefault(name, dim)
        return var

    def parted(
        self, done: Pass, carried: Mapping[Place, Carried]
    ) -> dict[Place, Carried]:
        """The carried variables; places that held one but part from now on carry each
        their own."""
        result = dict(carried)
        everything = self.loop_places.differences(done.entry, done.exit, EVERYTHING)
        ends = {place: two for place, _, two in everything}
        for main, carry in carried.items():
            inside = done.insides[main]
            apart = [
                p for p in carry.also if ends.get(p, inside) != ends.get(main, inside)
            ]
            also = tuple(p for p in carry.also if p not in apart)
            result[main] = replace(carry, also=also)
            for place in apart:
                result[place] = replace(carry, also=(), phi="")
        return result

    @extensible
    def carried_memory(
        self,
        tag: str,
        done: Pass,
        wanted: dict[Place, Carried],
        ends: Mapping[Place, MaybeValue],
        live: frozenset[str],
    ) -> dict[Place, Carried]:
        """What memory carried variables may share; see array_writes.py."""
        raise NotImplementedError

    def fact_at_end(self, done: Pass, value: MaybeValue) -> Fact:
        """The fact of a value at the end of the body."""
        if isinstance(value, Undefined):
            return UNKNOWN
        with self.cells.seeing({**self.cells.heap, **done.exit}):
            return self.operations.fact(value)

    # ------------------------------------------------------------ after the fixed point

    def close(
        self,
        done: Pass,
        carried: dict[Place, Carried],
        written: tuple[str, ...],
        trips: Dim | None,
    ) -> tuple[Carry, ...]:
        """The carries; afterwards names stand for what the loop leaves."""
        ends = {
            place: two
            for place, _, two in self.loop_places.differences(
                done.entry, done.exit, EVERYTHING
            )
        }
        carries, outs = [], {}
        lengths: dict[str, Dim] = {}
        for place, carry in carried.items():
            inside = done.insides[place]
            end = ends.get(place, inside)
            following = self.end_atom(done, end)
            if isinstance(carry.init, Undefined):
                self.check_new(place)
            out = self.handed_var(place, carry, lengths)
            ended = Carry(out, carry.init, inside, following)
            out = self.grown(ended, done, trips)
            if carry.unset or self.is_unset(place, carry.init):
                self.notes.unset.add(out.name)
            carries.append(Carry(out, carry.init, inside, following))
            outs[place] = out
        for place, out in outs.items():
            for each in (place, *carried[place].also):
                self.loop_places.set_place(each, out, carried[place].template)
        self.leave_memory(carried, outs, written)
        for flag in (RETURNED, BROKEN):
            value = done.exit[self.position.frame.cell].items.get(flag)
            if isinstance(value, (Var, Const)):
                known = anonymous(value_fact(value))
                hint = "early" if flag == RETURNED else None
                out, inside = (
                    self.variables.var(known, hint),
                    self.variables.var(known, hint),
                )
                carries.append(Carry(out, FALSE, inside, value))
                self.cells.put(self.position.frame.cell, flag, out)
        return tuple(carries)

    def grown(self, carry: Carry, done: Pass, trips: Dim | None) -> Var:
        """What a loop leaves of a list to which each iteration appends: as long as the
        loop runs, if nothing ends it early."""
        flags = done.exit[self.position.frame.cell].items
        out = carry.out
        if trips is None or out.fact.kind != "list" or {RETURNED, BROKEN} & {*flags}:
            return out
        before = length_at_first(carry.init)
        often = appended(done.ops, carry.inside, carry.next)
        if before is None or not often:
            return out
        fact = replace(out.fact, length=length_after(before, often, trips))
        return replace(out, fact=fact)

    @extensible
    def check_new(self, place: Place) -> None:
        """Refuse what a loop that may not run gives the caller's object."""

    @extensible
    def leave_memory(
        self,
        carried: Mapping[Place, Carried],
        outs: Mapping[Place, Var],
        written: tuple[str, ...],
    ) -> None:
        """The state of memory after a loop; see array_writes.py."""
        raise NotImplementedError

    def end_atom(self, done: Pass, value: MaybeValue) -> Atom | Undefined:
        """The value at the end of the body as an atom, built there."""
        if isinstance(value, (Var, Const, Undefined)):
            return value
        with self.cells.seeing(done.exit), self.blocks.appending(done.ops):
            return self.language.atom(value)


def _parts(value: MaybeValue, heap: Heap) -> tuple[MaybeValue, ...]:
    """What a tuple or a list holds."""
    if isinstance(value, TupleValue):
        return value.items
    if isinstance(value, Ref) and value.cell in heap:
        cell = heap[value.cell]
        return tuple(cell.items.values()) if cell.kind == "list" else ()
    return ()
