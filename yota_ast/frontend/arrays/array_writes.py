"""Writes into arrays, and who else sees them.

Each variable that may be an array knows the allocations (roots) whose memory it may
share, and in which state it has seen them.  A write gives its roots a new state; what
has seen an older one is stale, and is derived anew where it is read: the written array
under another name is the variable after the write, a view is taken again.  Where that
cannot be done, reading it is refused.  So no aliasing is missed, and none that does not
matter is complained of.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.frontend.arrays.array_layouts import becomes_view, is_dense
from yota_ast.frontend.arrays.array_stores import ArrayStores
from yota_ast.frontend.arrays.current_arrays import CurrentArrays
from yota_ast.frontend.arrays.item_rows import ItemRows
from yota_ast.frontend.arrays.number_guesses import NumberGuesses
from yota_ast.frontend.arrays.position_loops import PositionLoops
from yota_ast.frontend.arrays.view_writes import ViewWrites
from yota_ast.frontend.calls.outlining import Outlining
from yota_ast.frontend.components import Component, Components, provides, uses
from yota_ast.frontend.expressions.argument_parts import ArgumentParts
from yota_ast.frontend.expressions.atoms_of_values import Atoms
from yota_ast.frontend.heap.lowered_values import (
    Ref,
    Value,
    variables_in,
)
from yota_ast.frontend.heap.materialisation import (
    STALE,
    cell_of,
    is_writable,
    root_of,
)
from yota_ast.frontend.interpret.branches import Branches
from yota_ast.frontend.interpret.loop_passes import LoopPasses
from yota_ast.frontend.interpret.loops import Loops
from yota_ast.frontend.interpret.merged_values import MergedValues
from yota_ast.frontend.library.list_methods import ListMethods
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.loop_records import WHOLE, Carried, Pass, Place
from yota_ast.frontend.state.lowering_records import NO_MEMORY, Memory, Snapshot
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import (
    CONTAINERS,
    Fact,
)
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.built_values import builds
from yota_ast.ir.nodes import (
    Apply,
)
from yota_ast.ops import info, sharing
from yota_ast.support.shown_values import Shown


def may_hold(fact: Fact) -> bool:
    """Whether a value of this fact may be an array, or hold one."""
    return not fact.is_immutable and fact.cls is not Shown


class ArrayWrites(Component):
    """Which memory variables share."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    notes = uses(Notes)
    states = uses(ArrayStates)
    operations = uses(Operations)
    lists = uses(ListMethods)
    position_loops = uses(PositionLoops)
    view_writes = uses(ViewWrites)
    item_rows = uses(ItemRows)
    array_stores = uses(ArrayStores)
    current_arrays = uses(CurrentArrays)
    number_guesses = uses(NumberGuesses)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.arms: tuple[Snapshot, Snapshot]

    # ------------------------------------------------------------ what ops make

    @provides(Operations.remember)
    def remember(self, op: Apply) -> None:
        """Note whose memory the result of an op shares."""
        if not may_hold(op.out.fact):
            return
        if op.fn is operator.getitem:
            self.item_rows.remember_row(op)
        how = sharing(op)
        if is_dense(op, self.notes.dense):
            self.notes.dense.add(op.out.name)
        if builds(op.fn) or (op.out.fact.kind == "other" and op.fn is operator.getitem):
            self.notes.built[op.out.name] = op
        if op.fn is operator.getitem and isinstance(op.args[0], Const):
            if self.operations.fact(op.args[0]).kind in CONTAINERS:
                self.view_writes.note(
                    op.out, ("const:",), whole=False
                )  # it is held outside
                return
        if how == "fresh" or (how == "view" and self.is_temporary(op.args[0])):
            self.lists.own(op.out)
            return
        certain = how in ("view", "same") or becomes_view(op)
        if certain and how not in ("view", "same"):
            self.view_writes.spots[op.out.name] = self.position.spot()
            if self.position.spot() in self.settings.copied:
                self.lists.own(op.out)
                self.view_writes.check_copy(op)
                return
        split = info(op.fn).splits and bool(op.args)
        atoms = (*op.args, *(a for _, a in op.kwargs))
        sources = op.args[:1] if certain or split else atoms
        roots = self.current_arrays.roots_of(sources)
        of_items = info(op.fn).taking == "all" and len(op.args) == 1
        if op.fn is operator.getitem or of_items:  # never what holds the items
            lent = self.states.lent.by_name.get(getattr(op.args[0], "name", ""))
            roots = tuple(root for root in roots if root != lent)
        if not roots or (how == "maybe" and all(map(self.is_temporary, sources))):
            self.lists.own(op.out)
            roots = (op.out.name,)
        else:
            if certain:
                self.notes.views[op.out.name] = op
            same = how == "same" and self.language.memory_of(op.args[0]).whole
            self.view_writes.note(op.out, roots, whole=same)
        if split:
            self.current_arrays.splits[self.position.spot()] = frozenset(roots)

    def is_temporary(self, atom: Atom) -> bool:
        """Whether nothing but the current expression holds an array."""
        if isinstance(atom, Const):
            return (
                not may_hold(self.operations.fact(atom))
                or not self.operations.fact(atom).may_be_array
            )
        memory = self.notes.memory.get(atom.name, NO_MEMORY)
        if not memory.roots:
            return True
        if any(cell_of(root) is not None for root in memory.roots):
            return False
        writable = all(map(is_writable, memory.roots))
        if not memory.whole or not writable or self.array_stores.is_held(atom):
            return False
        return memory.roots == (atom.name,) or not self.is_shared(memory.roots)

    def is_shared(self, roots: tuple[str, ...]) -> bool:
        """Whether any name, field or container refers to what has one of some roots:
        `np.asarray(x)` has no name, and is x."""
        return any(
            not set(roots).isdisjoint(self.notes.memory.get(var.name, NO_MEMORY).roots)
            for cell in self.cells.heap.values()
            for value in (cell.var, *cell.items.values())
            for var in variables_in(value)
        )

    @provides(ListMethods.own)
    def own(self, var: Var) -> None:
        """A variable has memory that no other value shares."""
        self.states.current[var.name] = var.name
        self.view_writes.note(var, (var.name,), whole=True)

    @provides(ViewWrites.note)
    def note(self, var: Var, roots: tuple[str, ...], *, whole: bool) -> None:
        """Note the roots of a variable, as they are now."""
        seen = tuple(self.view_writes.state_of(r) for r in roots)
        self.notes.memory[var.name] = Memory(roots, whole, seen)

    @provides(ViewWrites.state_of)
    def state_of(self, root: str) -> str:
        """The state that a root is in."""
        return self.states.lent.state(root, self.cells.heap, self.states.current)

    @provides(Atoms.lend)
    def lend(self, out: Var, ref: Ref) -> None:
        """A container that is built into the text is the cell itself."""
        roots = self.language.memory_of(out).roots
        others = [root for root in roots if root != out.name]
        self.states.lent.by_name[out.name] = root_of(ref.cell)
        self.view_writes.note(out, (*others, root_of(ref.cell)), whole=False)

    @provides(ArgumentParts.remember_argument)
    def remember_argument(self, var: Var, text: str) -> None:
        """A variable's memory is the caller's."""
        if may_hold(var.fact):
            root = f"arg:{text}"
            if var.fact.kind in CONTAINERS and var.fact.items is not None:
                self.array_stores.holders.add(root)
            self.states.current.setdefault(root, root)
            self.view_writes.note(var, (root,), whole=True)

    @provides(Outlining.remember_parameter)
    def remember_parameter(self, var: Var) -> None:
        """A variable's memory is that of whoever calls an outlined function."""
        if may_hold(var.fact):
            self.view_writes.note(var, (f"const:{var.name}",), whole=True)

    @provides(Outlining.remember_result)
    def remember_result(
        self, out: Var, args: Sequence[Atom], *, uncertain: bool
    ) -> None:
        """A result of an outlined function is new memory, or may be that of any
        argument and of the other results."""
        if not may_hold(out.fact):
            return
        if not uncertain or all(map(self.is_temporary, args)):
            self.lists.own(out)
            return
        shared = f"const:{out.name}"
        self.view_writes.note(
            out, (*self.current_arrays.roots_of(args), shared), whole=False
        )

    @provides(Loops.remember_element)
    def remember_element(self, var: Var, iterable: Atom) -> None:
        """An item of what a loop runs over may be a view of it."""
        if may_hold(var.fact):
            roots = self.current_arrays.roots_of((iterable,))
            if self.position_loops.over_items:
                self.notes.elements[var.name] = self.position_loops.over_items[-1]
            if roots:
                self.view_writes.note(var, roots, whole=False)
            else:
                self.lists.own(var)

    @provides(ListMethods.remember_item)
    def remember_item(self, out: Var, container: Var, item: Atom) -> None:
        """A container shares the memory of what is put into it."""
        self.view_writes.note(
            out, self.current_arrays.roots_of((container, item)), whole=False
        )
        self.states.successors[container.name] = out

    # ------------------------------------------------------------ branches

    @provides(Branches.merge_memory)
    def merge_memory(self, then: Snapshot, orelse: Snapshot) -> None:
        """After a branch, what one arm has written is in a new state."""
        self.arms = (then, orelse)
        if then.ended or orelse.ended:
            lasting = orelse if then.ended else then
            self.states.set_states(lasting.current)
            return
        merged = {**orelse.current, **then.current}
        for root, state in then.current.items():
            if (other := orelse.current.get(root, state)) != state:
                merged[root] = self.lists.bump(root)
                self.states.lent.arrived(root, merged[root], state, other)
        self.states.set_states(merged)

    @provides(MergedValues.remember_merge)
    def remember_merge(
        self, out: Var, then: Atom | Undefined, orelse: Atom | Undefined
    ) -> None:
        """A merged variable shares what either may share, and lacks what it lacks."""
        sides = (v.name for v in (then, orelse) if isinstance(v, Var))
        self.notes.unset.update(
            () if self.notes.unset.isdisjoint(sides) else (out.name,)
        )
        if not may_hold(out.fact):
            return
        self.notes.ways[out.name] = then, orelse
        roots: dict[str, str] = {}
        whole = True
        for atom, arm in zip((then, orelse), self.arms, strict=True):
            if not isinstance(atom, Var):
                if isinstance(atom, Const):
                    roots.update(
                        dict.fromkeys(self.current_arrays.roots_of((atom,)), "const:")
                    )
                continue
            memory = self.notes.memory.get(atom.name, NO_MEMORY)
            whole = whole and memory.whole
            for root, seen in zip(memory.roots, memory.seen, strict=True):
                fresh = self.states.lent.is_in_state(root, seen, arm.heap, arm.current)
                fresh = fresh and roots.get(root) != STALE
                roots[root] = self.view_writes.state_of(root) if fresh else STALE
        self.notes.memory[out.name] = Memory(tuple(roots), whole, tuple(roots.values()))
        if all(
            isinstance(a, Var) and a.name in self.notes.dense for a in (then, orelse)
        ):
            self.notes.dense.add(out.name)
        self.succeed(out, then, orelse)

    def succeed(self, out: Var, *ends: Atom | Undefined) -> None:
        """What was one object before the branch, and `ends` in the arms, is `out`."""
        written = {**self.arms[0].successors, **self.arms[1].successors}
        for name in written:
            found = [last(arm.successors, name) for arm in self.arms]
            pairs = zip(found, ends, strict=True)
            if all(isinstance(e, Var) and e.name == n for n, e in pairs):
                self.states.successors[name] = out

    # ------------------------------------------------------------ loops

    @provides(LoopPasses.enter_memory)
    def enter_memory(
        self,
        insides: Mapping[Place, Var],
        carried: Mapping[Place, Carried],
        written: tuple[str, ...],
    ) -> None:
        """On entering an iteration: what is carried, and what the body writes."""
        for root in written:
            self.lists.bump(root)
        for place, var in insides.items():
            carry = carried[place]
            roots = (phi_of(carry),) if carry.private else _shared(carry)
            self.note_carried(var, carry, roots)

    @provides(LoopPasses.leave_memory)
    def leave_memory(
        self,
        carried: Mapping[Place, Carried],
        outs: Mapping[Place, Var],
        written: tuple[str, ...],
    ) -> None:
        """After a loop: what was carried is from before it, or made by it."""
        for root in written:
            self.lists.bump(root)
        for place, var in outs.items():
            carry = carried[place]
            made = (phi_of(carry), *carry.outer) if carry.private else _shared(carry)
            self.note_carried(var, carry, carry.outer if carry.same else made)

    def note_carried(self, var: Var, carry: Carried, roots: tuple[str, ...]) -> None:
        """Note what a carried variable may share."""
        if not may_hold(var.fact):
            return
        if not roots:
            self.lists.own(var)
            return
        for root in roots:
            if cell_of(root) is None:
                self.states.current.setdefault(root, root)
        self.view_writes.note(var, roots, whole=carry.whole)
        if (
            carry.same
            and isinstance(carry.init, Var)
            and carry.init.name in self.notes.dense
        ):
            self.notes.dense.add(var.name)
        if carry.stale:
            memory = self.notes.memory[var.name]
            self.notes.memory[var.name] = replace(
                memory, seen=(STALE,) * len(memory.seen)
            )
        if carry.same and isinstance(carry.init, Var):
            self.states.successors[carry.init.name] = var

    @provides(LoopPasses.carried_memory)
    def carried_memory(
        self,
        tag: str,
        done: Pass,
        wanted: dict[Place, Carried],
        ends: Mapping[Place, Any],
        live: frozenset[str],
    ) -> dict[Place, Carried]:
        """What carried variables may share, as far as this pass tells."""
        following = {p: self.end_memory(done, p, ends) for p in wanted}
        phis = {phi_of(carry): carry.outer for carry in wanted.values()}
        others: set[str] | None = None
        groups = _groups(
            {
                p: (self.language.memory_of(wanted[p].init), m)
                for p, m in following.items()
            }
        )
        sizes = Counter(groups.values())
        result = {}
        for place, carry in wanted.items():
            alone = sizes[groups[place]] == 1
            group = f"{tag}:g{groups[place]}"
            settled = self.settled(carry, done, following[place], alone, group)
            given = [r for f in following[place].roots for r in phis.get(f, (f,))]
            if not set(given) <= set(settled.outer):
                if others is None:
                    others = self.roots_elsewhere(wanted, live)
                also = [r for r in given if r in others]
                settled = replace(settled, outer=_each((*settled.outer, *also)))
            if settled.same and carry.phi:
                end = ends.get(place, done.insides.get(place))
                settled = replace(settled, same=_is_carried(end, place, done))
            result[place] = settled
        return result

    def roots_elsewhere(
        self, places: Iterable[Place], live: frozenset[str]
    ) -> set[str]:
        """The memory from before a loop to which something else refers, that may be
        read later, than the places whose values it exchanges."""
        carried = {place[:2] for place in places}
        own = self.position.frame.cell
        return {
            root
            for number, cell in self.cells.heap.items()
            for key, value in ((WHOLE, cell.var), *cell.items.items())
            if (number, key) not in carried and (number != own or key in live)
            for var in variables_in(value)
            for root in self.notes.memory.get(var.name, NO_MEMORY).roots
        }

    @provides(LoopPasses.written_by)
    def written_by(
        self, done: Pass, carried: Mapping[Place, Carried]
    ) -> tuple[str, ...]:
        """The roots from before the loop that its body writes."""
        changed = [
            root
            for root, state in done.current.items()
            # a part of an argument may have been read in the loop first
            if (root in self.states.current or is_part(root))
            and done.entered.get(root, root) != state
        ]
        phis = {phi_of(carry): place for place, carry in carried.items()}
        written = [
            place
            for phi, place in phis.items()
            if done.current.get(phi) != done.entered.get(phi)
        ]
        for place in written:  # and what it was exchanged for in an iteration before
            before = self.language.memory_of(carried[place].init).roots
            given = self.language.memory_of(_end_of(place, done)).roots
            self.number_guesses.hand_on(phi_of(carried[place]), (*before, *given))
            changed += before
            written += [phis[r] for r in given if r in phis and phis[r] not in written]
        return _each(changed)

    def settled(
        self, carry: Carried, done: Pass, memory: Memory, alone: bool, group: str
    ) -> Carried:
        """A carried variable with what this pass tells of its memory."""
        init = self.language.memory_of(carry.init)
        if not carry.phi:  # not carried in this pass: the next one tells
            same = init.whole and len(init.roots) == 1
            return replace(carry, outer=init.roots, whole=init.whole, same=same)
        known = [r for r in memory.roots if self.is_from_before(r)]
        callers = [r.partition("|")[0] for r in memory.roots if not is_writable(r)]
        outer = _each((*carry.outer, *init.roots, *known, *callers))
        whole = carry.whole and init.whole and memory.whole
        private = carry.private and alone and whole and not known
        made = any(
            r not in self.states.current and r not in known for r in memory.roots
        )
        stale = not all(
            self.states.lent.is_in_state(root, seen, done.exit, done.current)
            for root, seen in zip(memory.roots, memory.seen, strict=False)
        )
        for root in memory.roots if stale else ():
            self.number_guesses.hand_on(root, (phi_of(carry), *outer))
        kept = memory.roots == (phi_of(carry),) and len(init.roots) == 1
        return replace(
            carry,
            outer=outer,
            whole=whole,
            private=private,
            shared=group if not private and (made or carry.shared) else "",
            stale=carry.stale or stale,
            same=private and kept,
        )

    def is_from_before(self, root: str) -> bool:
        """Whether memory is older than the loop whose body is lowered."""
        # a part of an argument may have been read in the loop first
        older = root in self.states.current or is_part(root)
        return older or cell_of(root) in self.cells.heap

    def end_memory(self, done: Pass, place: Place, ends: Mapping[Place, Any]) -> Memory:
        """What the value at the end of the body may share."""
        return self.language.memory_of(ends.get(place, done.insides.get(place)))


def _each(roots: Iterable[str]) -> tuple[str, ...]:
    """Some roots, each once."""
    return tuple(dict.fromkeys(roots))


def last(successors: Mapping[str, Var], name: str) -> str:
    """The name at the end of a chain of successors."""
    while name in successors:
        name = successors[name].name
    return name


def is_part(root: str) -> bool:
    """Whether memory is the caller's as it came, not as a loop carries it."""
    return root.startswith("arg:") and "|" not in root


@dataclass(slots=True)
class _Union:
    parent: dict[Place, Place]

    def find(self, place: Place) -> Place:
        while self.parent[place] != place:
            place = self.parent[place]
        return place


def _groups(memories: Mapping[Place, tuple[Memory, Memory]]) -> dict[Place, int]:
    """Numbers for the places: one for those that may be one memory at some time."""
    union = _Union({p: p for p in memories})
    owner: dict[tuple[int, str], Place] = {}
    for place, both in memories.items():
        for when, memory in enumerate(both):
            for root in memory.roots:
                if (when, root) in owner:
                    union.parent[union.find(place)] = union.find(owner[when, root])
                owner[when, root] = place
    number = {place: k for k, place in enumerate(memories)}
    return {place: number[union.find(place)] for place in memories}


def _is_carried(end: object, place: Place, done: Pass) -> bool:
    """Whether a value at the end of an iteration is the object that it began with: what
    may be that, or a number, shares no other memory."""
    name = last(done.successors, done.insides[place].name)
    return isinstance(end, Var) and end.name == name


def _end_of(place: Place, done: Pass) -> Value | None:
    """What an iteration leaves in a place, where that is known as a whole."""
    number, key, path = place
    return (
        done.exit[number].items.get(key) if number in done.exit and not path else None
    )


def phi_of(carry: Carried) -> str:
    """The root of a private variable; it tells where memory may be the caller's."""
    callers = [root for root in carry.outer if not is_writable(root)]
    return f"{callers[0].partition('|')[0]}|{carry.phi}" if callers else carry.phi


def _shared(carry: Carried) -> tuple[str, ...]:
    return ((carry.shared,) if carry.shared else ()) + carry.outer
