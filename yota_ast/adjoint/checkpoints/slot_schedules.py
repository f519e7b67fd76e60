"""A loop and its reverse -> the same with a given number of states.

The states stand in a list. Each turn of the reverse loop goes on from the last of them
to the step that it reverses, and keeps more on its way as long as there is room. Which
ones tells `next_kept`, so that steps are repeated as seldom as can be.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.checkpoints.loop_segments import (
    RANGE,
    Steps,
    kept_outside,
    shifted,
)
from yota_ast.adjoint.checkpoints.steps_again import Again, Renamed
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.ir.abstract_values import BOOL, INT, Fact, anonymous
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.facts.joined_facts import list_of
from yota_ast.ir.nodes import Block, Carry, For, If, Merge, Op, Store
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.store_changes import APPEND, REMOVE
from yota_ast.runtime import next_kept
from yota_ast.syntax import saved_names

NONE = Const(None)


@dataclass(slots=True)
class Slots:
    """Writes both loops. slots: how many states there are at once."""

    loop: For
    back: For
    again: Again
    steps: Steps
    slots: int
    outside: Mapping[str, Atom] = field(default_factory=dict)

    def sweeps(self, ahead: Builder, reverse: Builder) -> tuple[list[Op], list[Op]]:
        """The ops in the places of the loop, and of its reverse."""
        self.outside = kept_outside(self.again, ahead)
        states = self._forward(ahead)
        self._reverse(states, reverse)
        return ahead.ops, reverse.ops

    # ------------------------------------------------------------ forward

    def _forward(self, builder: Builder) -> Var:
        """The loop that keeps the first states; gives their list."""
        item = Fact("tuple", items=(INT, *self._facts()), cls=tuple)
        known = list_of(item)
        hint = saved_names.STATES
        none = builder.apply(build_list, form="build", hint=hint, fact=known)
        start, stop = self.steps.start, self.steps.stop
        inner, number = builder.nested(), self.loop.targets[0]
        states, mark = inner.var(known, hint), inner.var(INT, "mark")
        found = [s.inside for s in self.again.states]
        after = self._kept(number, stop, states, mark, found, inner)
        plain = replace(self.loop, stack=None, saved=())
        (slim,) = without_dead(Block((plain,)), [c.out for c in plain.carries])
        assert isinstance(slim, For)
        inner.ops += slim.body
        out, end = builder.var(known, hint), builder.var(INT, "mark")
        carries = (
            *slim.carries,
            Carry(out, none, states, after[0]),
            Carry(end, start, mark, after[1]),
        )
        made = replace(slim, body=inner.block(), carries=carries, schedule=None)
        builder.ops.append(made)
        return out

    def _facts(self) -> tuple[Fact, ...]:
        return tuple(anonymous(s.inside.fact) for s in self.again.states)

    def _kept(
        self, number: Var, end: Atom, states: Var, mark: Var, found: Sequence[Var],
        builder: Builder,
    ) -> tuple[Var, Var]:  # fmt: skip
        """Keep the state of a step that is marked; the list, and the next mark."""
        is_marked = builder.apply(operator.eq, number, mark, fact=BOOL)
        inner = builder.nested()
        saved = [number]
        for state, var in zip(self.again.states, found, strict=True):
            made, ops = state.saved(var, builder.names, builder.origin)
            saved.append(made)
            inner.ops += ops
        item = inner.apply(build_tuple, *saved, form="build", fact=states.fact.element)
        longer = inner.var(states.fact, saved_names.STATES)
        inner.ops.append(Store(longer, states, NONE, item, APPEND, builder.origin))
        next_mark = self._next_mark(number, end, longer, inner)
        out = builder.var(states.fact, saved_names.STATES), builder.var(INT, "mark")
        merges = (Merge(out[0], longer, states), Merge(out[1], next_mark, mark))
        branch = If(is_marked, inner.block(), Block(), merges, origin=builder.origin)
        builder.ops.append(branch)
        return out

    def _next_mark(self, first: Atom, end: Atom, states: Var, builder: Builder) -> Var:
        count = builder.apply(len, states, fact=INT)
        free = builder.apply(operator.sub, Const(self.slots), count, fact=INT)
        return builder.apply(next_kept, first, end, free, hint="mark", fact=INT)

    # ------------------------------------------------------------ reverse

    def _reverse(self, states: Var, builder: Builder) -> None:
        """The loop over the steps, last first."""
        start, stop = self.steps.start, self.steps.stop
        inner = builder.nested()
        last, given = inner.var(INT, "last"), inner.var(states.fact, saved_names.STATES)
        first, found, left = self._restored(given, last, inner)
        left, found = self._forwards(first, last, left, found, inner)
        self._one(last, found, inner)
        out = builder.var(states.fact, saved_names.STATES)
        carries = (*self.back.carries, Carry(out, states, given, left))
        below, before = shifted(builder, stop, -1), shifted(builder, start, -1)
        over = builder.apply(range, below, before, Const(-1), fact=RANGE)
        loop = For((last,), over, inner.block(), carries, origin=self.back.origin)
        builder.ops.append(loop)

    def _restored(
        self, states: Var, last: Var, builder: Builder
    ) -> tuple[Var, list[Var], Var]:
        """The last state: its step, and what is carried; and the list, without it if
        it is that of the step."""
        top = builder.apply(
            operator.getitem, states, Const(-1), fact=states.fact.element
        )
        hints = ["first", *(s.inside.hint for s in self.again.states)]
        facts = [INT, *self._facts()]
        parts = [
            builder.apply(
                operator.getitem, top, Const(k), form="unpack", hint=hint, fact=fact
            )
            for k, (hint, fact) in enumerate(zip(hints, facts, strict=True))
        ]
        first, found = parts[0], parts[1:]
        for k, state in enumerate(self.again.states):
            if state.copied:
                found[k] = builder.method("copy", found[k])
                found[k] = builder.rename(found[k], state.inside.hint or "t")
        is_last = builder.apply(operator.eq, first, last, fact=BOOL)
        shorter = builder.var(states.fact, saved_names.STATES)
        taken = Store(shorter, states, NONE, NONE, REMOVE, builder.origin)
        left = builder.var(states.fact, saved_names.STATES)
        merges = (Merge(left, shorter, states),)
        branch = If(is_last, Block((taken,)), Block(), merges, origin=builder.origin)
        builder.ops.append(branch)
        return first, found, left

    def _forwards(
        self, first: Var, last: Var, states: Var, found: Sequence[Var], builder: Builder
    ) -> tuple[Var, list[Var]]:
        """The steps from a state to the one that is reversed."""
        loop, after = self.again.loop, shifted(builder, last, 1)
        mark = self._next_mark(first, after, states, builder)
        body = without_dead(loop.body, [c.next for c in loop.carries])
        inner = builder.nested()
        number, *entering = [
            inner.var(v.fact, v.hint)
            for v in (*loop.targets, *(c.inside for c in loop.carries))
        ]
        bound = (*loop.targets, *(c.inside for c in loop.carries))
        names = (v.name for v in bound)
        given = dict(zip(names, (number, *entering), strict=True))
        fresh = Renamed(body, {**self.outside, **given}, builder.names)
        inside, marked = inner.var(states.fact, states.hint), inner.var(INT, "mark")
        kept = self._kept(number, after, inside, marked, entering, inner)
        inner.ops += fresh.block(body)
        outs = [builder.var(v.fact, v.hint) for v in entering]
        state = tuple(
            Carry(out, init, at, fresh.end(c.next))
            for out, init, at, c in zip(
                outs, found, entering, loop.carries, strict=True
            )
        )
        left, over = builder.var(states.fact, states.hint), builder.var(INT, "mark")
        carries = (
            *state, Carry(left, states, inside, kept[0]),
            Carry(over, mark, marked, kept[1]),
        )  # fmt: skip
        every = builder.apply(range, first, last, fact=RANGE)
        builder.ops.append(
            For((number,), every, inner.block(), carries, origin=builder.origin)
        )
        return left, outs

    def _one(self, last: Var, found: Sequence[Var], builder: Builder) -> None:
        """The step that is reversed, once more, and its reverse."""
        loop = self.again.loop
        body = without_dead(loop.body, loop.saved)
        bound = (*loop.targets, *(c.inside for c in loop.carries))
        given = dict(zip((v.name for v in bound), (last, *found), strict=True))
        fresh = Renamed(body, {**self.outside, **given}, builder.names)
        builder.ops += fresh.block(body)
        saved = map(fresh.atom, loop.saved)
        targets = dict(zip((t.name for t in self.back.targets), saved, strict=True))
        builder.ops += Substitution(targets).block(self.back.body)
