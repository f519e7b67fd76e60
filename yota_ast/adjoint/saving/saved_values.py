"""A forward and a reverse sweep -> the same, each value brought where it is read.

In: a reverse sweep whose blocks read the forward's inner variables directly.  Out: a
forward sweep whose loops save, in one tuple an iteration, what the reverse loop reads
and cannot cheaply compute again, whose branches hand on what the reverse branch reads;
and a reverse sweep that loops over what was saved, or over the range backwards.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.rewrites.common_values import equal_values, with_equals
from yota_ast.adjoint.saving.cheap_ops import is_arithmetic, is_cheap
from yota_ast.adjoint.saving.growing_arrays import growing_arrays
from yota_ast.adjoint.saving.iteration_copies import reads_again
from yota_ast.adjoint.saving.masks_ahead import with_masks_ahead
from yota_ast.adjoint.saving.reading_reverse import Replay
from yota_ast.adjoint.saving.saved_choice import Choice, operands_of
from yota_ast.adjoint.saving.saving_forward import rewrite_forward
from yota_ast.adjoint.saving.shapes_at_hand import with_shapes_at_hand
from yota_ast.adjoint.saving.short_sums import range_of
from yota_ast.analysis.block_places import (
    LoopPlan,
    Places,
    Plan,
    backwards_of,
    places_of,
)
from yota_ast.analysis.overwritten_memory import Memory
from yota_ast.analysis.same_objects import (
    objects_of,
    with_last_makers,
    with_last_versions,
)
from yota_ast.analysis.unmodified_reads import Once
from yota_ast.errors import InternalError
from yota_ast.ir.abstract_values import CONTAINERS
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.builder import Infer, Names
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.conditions import expression, left_of
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    For,
    If,
    Simple,
    Store,
    With,
    atoms_of,
    path_length,
    walk,
)
from yota_ast.ir.tape import Tape
from yota_ast.ops import info
from yota_ast.support.passes import enabled
from yota_ast.syntax import saved_names


@dataclass(slots=True)
class Keeper:
    """Finds what each block of the reverse needs, and decides how it gets there."""

    places: Places
    memory: Memory
    names: Names
    result: Atom
    choice: Choice
    needs: dict[str, dict[str, Var]] = field(default_factory=dict)
    exports: dict[str, Var] = field(default_factory=dict)
    copies: dict[str, Var] = field(default_factory=dict)
    plans: dict[str, LoopPlan] = field(default_factory=dict)
    again: set[str] = field(default_factory=set)
    lost: dict[str, Var] = field(default_factory=dict)
    """Outside of loops: what is overwritten; of a function, all that is read."""
    made: set[str] = field(default_factory=set)  # exports that need merges of their own
    repeats: bool = field(default_factory=lambda: enabled("again"))
    noted: set[str] = field(default_factory=set)
    """What is repeated outside of loops, and the operands of which are noted."""
    keys: frozenset[str] = frozenset()
    """The tuples of keys of lists of lists."""
    valued: set[str] = field(default_factory=set)
    """What is read of loops for more than its shape."""
    plain: dict[str, bool] = field(default_factory=dict)
    """What `_plain` has said, as long as nothing else is computed again."""

    # ------------------------------------------------------------ what is needed

    def collect(self, block: Block, loops: tuple[str, ...]) -> None:
        """Note what the ops of a block of the reverse read of the forward."""
        for op in block:
            match op:
                case Apply():
                    at = info(op.fn).shape_only
                    for k, atom in enumerate(atoms_of(op)):
                        self.note(atom, loops, shape=k in at)
                case With():
                    self._note_context(op.context, loops)
                    self.collect(op.body, loops)
                case If():
                    self._note_branch(op, loops)
                case For():
                    self._note_loop(op, loops)
                case Simple() | Compound():
                    self._note_all(atoms_of(op), loops)
                case _:
                    assert_never(op)

    def _note_all(
        self, atoms: Iterable[Atom | Undefined], loops: tuple[str, ...]
    ) -> None:
        for atom in atoms:
            self.note(atom, loops)

    def _note_branch(self, op: If, loops: tuple[str, ...]) -> None:
        self._note_all(atoms_of(op), loops)
        self.collect(op.then, loops)
        self.collect(op.orelse, loops)
        self._note_all(ends_of(op), loops)

    def _note_loop(self, op: For, loops: tuple[str, ...]) -> None:
        self._note_all(atoms_of(op), loops)
        inner = (*loops, backwards_of(op).loop)
        self.needs.setdefault(inner[-1], {})
        self.collect(op.body, inner)
        self._note_all((c.next for c in op.carries), inner)

    def _note_context(self, context: Atom, loops: tuple[str, ...]) -> None:
        """A context is made anew: what makes it is needed."""
        op = self.places.apply_of(context.name) if isinstance(context, Var) else None
        if op is None:
            raise InternalError("a context of the reverse sweep cannot be made again")
        for atom in atoms_of(op):
            self.note(atom, loops)

    def note(
        self, atom: Atom | Undefined, loops: tuple[str, ...], *, shape: bool = False
    ) -> None:
        """A block within `loops` of the reverse reads `atom`, or its shape alone."""
        if not isinstance(atom, Var) or atom.name not in self.places.of:
            return
        home = self.places.of[atom.name]
        if home.loops != loops[: len(home.loops)]:
            raise InternalError(f"{atom.name} is read outside the reverse of its loop")
        if home.loops:
            self.needs.setdefault(home.loops[-1], {})[atom.name] = atom
            if not shape:
                self.valued.add(atom.name)
            return
        if atom.name in self.noted:
            return
        if self._plain(atom):
            self.again.add(atom.name)
            self.noted.add(atom.name)
            op = self.choice.instead.get(atom.name) or self.places.maker[atom.name]
            for operand, told in _told_of(expression(op)):
                self.note(operand, loops, shape=told)
            return
        if self.choice.function or (self.memory.overwritten(atom) and not shape):
            self.lost[atom.name] = atom
        elif home.arms:
            self.export(atom)

    def _plain(self, var: Var) -> bool:
        """Whether the text reads better where the reverse repeats an expression of
        scalars that have names (`p * q`) than where the forward must name it; a
        function that holds what has changed by then must be made again."""
        if var.name in self.again:
            return True
        if self.choice.function_made(var.name) is not None:
            arms = self.places.of[var.name].arms
            return bool(arms) or self.choice.is_lost(var.name)
        known = self.plain.get(var.name)
        if known is None:
            known = self.plain[var.name] = self._is_plain(var)
        return known

    def _is_plain(self, var: Var) -> bool:
        if var == self.result:
            return False
        if var.hint is not None or not self.repeats:
            return False
        match op := self.places.maker.get(var.name):
            case If():
                made = left_of(op, self.places.maker.get)
                return made is not None and self._are_plain(op)
            case Apply():
                return self._is_plain_call(var, op)
            case Simple() | Compound() | None:
                return False
            case _:
                assert_never(op)

    def _is_plain_call(self, var: Var, op: Apply) -> bool:
        if var.name in self.choice.instead and not self.places.of[var.name].loops:
            return True
        if op.fn is build_list:  # of numbers: an index
            return all(isinstance(a, Const) for a in op.args)
        if op.fn is build_tuple:  # of keys: `rows[i][j]` is written with them
            return self._are_plain(op) and var.name in self.keys
        if self._is_item_of_outer(op):
            return True
        if not is_arithmetic(op) or op.out.fact.kind not in ("float", "int", "bool"):
            return False
        return self._are_plain(op)

    def _is_item_of_outer(self, op: Apply) -> bool:
        """Whether an op of an arm reads an item, or a part, of an array from outside of
        the branch that holds it still: `v[1]` is as good in the reverse."""
        if op.fn is not operator.getitem or not is_cheap(op):
            return False
        if fact_of_atom(op.args[0]).kind != "array" or op.out.fact.kind in CONTAINERS:
            return False
        home = self.places.of[op.out.name]
        return bool(home.arms) and not home.loops and all(map(self._is_there, op.args))

    def _is_there(self, atom: Atom) -> bool:
        """Whether what follows all branches finds a value as it was."""
        if not isinstance(atom, Var):
            return True
        home = self.places.of.get(atom.name)
        apart = home is None or not (home.arms or home.loops)
        return apart and not self.memory.overwritten(atom)

    def _are_plain(self, op: Apply | If) -> bool:
        """Whether the operands have names, or are such expressions."""
        return all(
            not isinstance(a, Var)
            or a.name not in self.places.of
            or a.hint is not None
            or self._plain(a)
            for a in operands_of(op)
        )

    def copy(self, var: Var) -> Var:
        """A copy of memory about to be overwritten."""
        if var.name not in self.copies:
            name = self.names.fresh(f"{var.name}_old")
            made = Var(name, var.fact, saved_names.before_write(var.hint))
            self.copies[var.name] = made
            self.places.of[made.name] = self.places.of[var.name]
            self.places.vars[made.name] = made
            self.places.order[made.name] = self.places.order[var.name]
        return self.copies[var.name]

    def export(self, var: Var) -> Var:
        """A variable of an arm, as what follows the branch sees it."""
        if var.name not in self.exports:
            arms, handed = len(self.places.of[var.name].arms), var
            while handed.name in self.places.handed and arms:
                handed, arms = self.places.handed[handed.name], arms - 1
            if arms:
                name = self.names.fresh(f"{var.name}_out")
                handed = Var(name, var.fact, var.hint)
                self.made.add(name)
            self.exports[var.name] = handed
        return self.exports[var.name]

    # ------------------------------------------------------------ save or compute again

    def decide(self) -> None:
        """Plan the loops, inner ones first: what they compute again may need more."""
        for key in sorted(
            self.needs, key=lambda k: -len(self.places.loop_place[k].loops)
        ):
            self._plan_loop(key)
        self._keep_lost()

    def _keep_lost(self) -> None:
        """Copies, outside of loops, of what is overwritten before the reverse runs;
        of a function, what it hands to its reverse."""
        order = self.places.order
        wanted = sorted(self.lost.values(), key=lambda v: order[v.name])
        saved = self.choice.saved("", wanted)
        for var in saved:
            made = self.copy(var) if self.memory.overwritten(var) else var
            if self.places.of[made.name].arms:
                self.export(made)
        names = {v.name for v in saved}
        for var in wanted:
            self._again_outside(var.name, names)

    def _again_outside(self, name: str, saved: set[str]) -> None:
        if name in saved or name in self.again:
            return
        self.again.add(name)
        self.plain.clear()
        op = self.choice.recipe(name)
        assert op is not None
        for a in operands_of(op):
            if isinstance(a, Var) and self.choice.is_here(a.name, ""):
                self._again_outside(a.name, saved)
            else:
                self.note(a, ())

    def _plan_loop(self, key: str) -> None:
        plan = self.plans[key] = LoopPlan()
        op = self.places.loops[key]
        order = self.places.order
        wanted = sorted(self.needs[key].values(), key=lambda v: order[v.name])
        saved = self.choice.saved(key, wanted)
        plan.again = {v.name for v in wanted} - {v.name for v in saved}
        for name in sorted(plan.again, key=order.__getitem__):
            self._note_operands(name, key, plan, {v.name for v in saved})
        place = self.places.loop_place[key]
        over = range_of(self.places, op)
        simple = isinstance(op, For) and over is not None
        targets = {t.name for t in op.targets} if isinstance(op, For) else set()
        if simple and all(v.name in targets for v in saved):
            plan.index = True
            plan.saved = saved
            for atom in over or ():
                self.note(atom, place.loops)
            return
        plan.saved = [self.copy(v) if self._is_changed(v) else v for v in saved]
        for v in plan.saved:
            if self.places.of[v.name].arms:
                self.export(v)
        stem = saved_names.SAVED if saved else saved_names.TRIPS
        made = Var(self.names.fresh(stem), hint=stem)
        if saved:
            plan.stack = made
        else:
            plan.trips = made
        self.places.of[made.name] = place
        self.places.vars[made.name] = made
        self.places.order[made.name] = order[key]
        self.note(made, place.loops)

    def _is_changed(self, var: Var) -> bool:
        """Whether what a value holds is read, and is overwritten before that, or is a
        part of what grows."""
        if var.name not in self.valued:
            return False
        return self.memory.overwritten(var) or self.choice.is_of_growing(var.name)

    def _note_operands(
        self, name: str, key: str, plan: LoopPlan, saved: set[str]
    ) -> None:
        op = self.choice.recipe(name)
        assert op is not None
        loops = (*self.places.loop_place[key].loops, key)
        for a, shape in _told_of(op):
            if not isinstance(a, Var) or a.name not in self.places.of:
                continue
            if not shape:
                self.valued.add(a.name)
            if a.name in saved:
                continue
            if self.places.of[a.name].loops == loops:
                if a.name not in plan.again:
                    plan.again.add(a.name)
                    self._note_operands(a.name, key, plan, saved)
            else:
                self.note(a, loops, shape=shape)


def _told_of(op: Apply | If) -> Iterator[tuple[Atom, bool]]:
    """What an op reads that computes a value again, and whether for its shape alone."""
    at = info(op.fn).shape_only if isinstance(op, Apply) else ()
    for k, atom in enumerate(operands_of(op)):
        yield atom, k in at


def keep(
    tape: Tape, reverse: Block, infer: Infer, names: Names, *,
    function: bool = False, swift: bool = False,
) -> tuple[Block, Block]:  # fmt: skip
    """Both sweeps, with what is saved, handed on and computed again.

    function: the two are functions of their own, so that what the one hands to the
    other is chosen as for an iteration of a loop. swift: little is computed again.
    """
    forward = tape.block
    if enabled("again"):
        forward, reverse = with_masks_ahead(forward, reverse)
    places, memory = places_of(forward), Memory(forward)
    written = tuple(p.var for p in tape.params if memory.overwritten(p.var))
    for var in written:
        places.enter(var)
    objects = objects_of(forward)
    reverse = with_last_versions(reverse, places, objects)
    places.maker.update(with_last_makers(places, objects))
    instead = reads_again(Once(places, memory, objects)) if enabled("once") else {}
    growing = growing_arrays(forward)
    swift = swift and enabled("fast-saves")
    choice = Choice(places, memory, instead, function, swift, growing)
    if enabled("tidy") and enabled("again"):
        reverse = with_shapes_at_hand(reverse, places)
    if enabled("tidy"):
        places.maker.update(with_equals(places.maker, equal_values(forward)))
    keys = frozenset(_keys_in(forward))
    keeper = Keeper(places, memory, names, tape.result, choice, keys=keys)
    keeper.collect(reverse, ())
    keeper.decide()
    copied = (places.vars[name] for name in keeper.copies)
    deep = frozenset(v.name for v in copied if memory.overwritten(v, held=True))
    plan = Plan(
        keeper.places, keeper.plans, keeper.exports, keeper.copies,
        frozenset(keeper.again), frozenset(keeper.made), choice.instead, deep,
    )  # fmt: skip
    ahead = rewrite_forward(forward, plan, names, written)
    return ahead, Replay(plan, infer, names).block(reverse)


def _keys_in(block: Block) -> Iterator[str]:
    """The tuples that are the way to an item within lists."""
    for op in walk(block):
        match op:
            case Store():
                yield from _key_of(op.target, op.index)
            case Apply():
                if op.fn is operator.getitem:
                    yield from _key_of(*op.args)
            case Simple() | Compound():
                pass
            case _:
                assert_never(op)


def _key_of(owner: Atom, index: Atom) -> Iterator[str]:
    if path_length(owner, index) and isinstance(index, Var):
        yield index.name
