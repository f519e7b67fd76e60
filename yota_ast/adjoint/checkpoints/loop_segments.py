"""A loop and its reverse -> the same in segments, each of which is run again.

In: `for k in range(n)` that saves in each iteration, and the loop over what it saved.
Out: two nested loops, of which the outer saves the state at the start of each segment;
and a loop over these states, last first, that runs the segment again, saving in each
iteration, and then reverses it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.checkpoints.steps_again import Again, Renamed, copied
from yota_ast.adjoint.rewrites.dead_code import without_dead
from yota_ast.ir.abstract_values import INT, UNKNOWN, Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import free_in
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import Apply, Block, Carry, For, Op
from yota_ast.ir.renaming import Substitution
from yota_ast.syntax import saved_names

BACKWARDS: Final = Const(slice(None, None, -1))
RANGE: Final = Fact("other", cls=range)


def is_number(atom: Atom) -> bool:
    """Whether an atom is a whole number that is written down."""
    return isinstance(atom, Const) and type(atom.value) is int and not atom.is_live


def shifted(builder: Builder, n: Atom, by: int) -> Atom:
    """A number and 1, or less 1."""
    if is_number(n) and isinstance(n, Const) and isinstance(n.value, int):
        return Const(n.value + by)
    fn = operator.add if by > 0 else operator.sub
    return builder.apply(fn, n, Const(abs(by)), fact=INT)


class Steps:
    """The range that a loop runs over: `start`, `stop`, and a step that is known."""

    def __init__(self, args: tuple[Atom, ...]) -> None:
        self.start: Atom = args[0] if len(args) > 1 else Const(0)
        self.stop: Atom = args[1] if len(args) > 1 else args[0]
        step = args[2].value if len(args) > 2 and isinstance(args[2], Const) else 1
        assert isinstance(step, int)
        self.step = step

    def changed(self, change: Callable[[Atom], Atom]) -> Steps:
        """The range of other atoms."""
        return Steps((change(self.start), change(self.stop), Const(self.step)))

    def count(self, builder: Builder) -> Atom:
        """How many there are, or a number below 1 where there are none."""
        count: Atom = self.stop
        if self.start != Const(0):
            count = builder.apply(operator.sub, count, self.start, fact=INT)
        if self.step != 1:
            by = Const(self.step)
            count = builder.apply(operator.floordiv, count, by, fact=INT)
        return count

    def length(self, every: int | None, builder: Builder) -> Atom:
        """How far the steps of a segment reach."""
        length: Atom = Const(every)
        if every is None:
            length = self._root(self.count(builder), builder)
        if self.step == 1:
            return length
        if isinstance(length, Const) and isinstance(length.value, int):
            return Const(length.value * self.step)
        return builder.apply(
            operator.mul, Const(self.step), length, hint="stride", fact=INT
        )

    def _root(self, count: Atom, builder: Builder) -> Atom:
        """The square root of the number of steps, 1 at least."""
        if isinstance(count, Const) and isinstance(count.value, int):
            if not count.is_live:
                return Const(math.isqrt(max(count.value, 1)))
        least = builder.apply(max, count, Const(1), fact=INT)
        return builder.apply(math.isqrt, least, hint="every", fact=INT)

    def numbered(self, loop: For, builder: Builder) -> For:
        """The loop over the numbers of the steps, from which it computes the steps."""
        (step,), inner = loop.targets, builder.nested()
        ends = (self.start, self.stop, Const(self.step))
        steps = builder.apply(range, *ends, hint="steps", fact=RANGE)
        count = builder.apply(len, steps, fact=INT)
        over = builder.apply(range, count, fact=RANGE)
        number = inner.var(INT, "step")
        op = Apply(step, operator.getitem, (steps, number), (), "subscript", "")
        inner.ops.append(replace(op, origin=builder.origin))
        body = Block((*inner.ops, *loop.body))
        return replace(loop, targets=(number,), iterable=over, body=body)

    def starts(self, length: Atom, builder: Builder) -> Var:
        """The first step of each segment."""
        return builder.apply(range, self.start, self.stop, length, fact=RANGE)

    def segment(self, first: Var, length: Atom, builder: Builder) -> Var:
        """The steps of the segment that begins at one."""
        end = builder.apply(operator.add, first, length, fact=INT)
        nearest = min if self.step > 0 else max
        end = builder.apply(nearest, end, self.stop, fact=INT)
        more = () if self.step == 1 else (Const(self.step),)
        return builder.apply(range, first, end, *more, fact=RANGE)


def carried_twice(
    loop: For, builder: Builder
) -> tuple[tuple[Carry, ...], tuple[Carry, ...]]:
    """What a loop carries, carried by one around it and by one within."""
    outer, inner = list[Carry](), list[Carry]()
    for c in loop.carries:
        around = builder.var(c.inside.fact, c.inside.hint)
        after = builder.var(c.out.fact, c.out.hint)
        outer.append(Carry(c.out, c.init, around, after))
        inner.append(Carry(after, around, c.inside, c.next))
    return tuple(outer), tuple(inner)


def kept_outside(again: Again, builder: Builder) -> dict[str, Atom]:
    """Copy what is overwritten before the loop is run again; what stands for it."""
    found: dict[str, Atom] = {}
    for var in again.outside:
        made = builder.var(var.fact, saved_names.before_write(var.hint))
        builder.ops.append(copied(made, var, builder.origin))
        found[var.name] = made
    return found


@dataclass(slots=True)
class Segments:
    """Writes both loops. every: how many steps a segment has, None for about the square
    root of their number."""

    loop: For
    back: For
    again: Again
    steps: Steps
    every: int | None
    inner: frozenset[str] = frozenset()
    """The variables of loops around: the reverse sweep finds those that are saved."""

    def sweeps(self, ahead: Builder, reverse: Builder) -> tuple[list[Op], list[Op]]:
        """The ops in the places of the loop, and of its reverse."""
        length = self.steps.length(self.every, ahead)
        outside = kept_outside(self.again, ahead)
        beside = self._beside(length)
        kept = [outside.get(v.name, v) for v in beside]
        outer = self._forward(length, kept, ahead)
        ahead.ops.append(outer)
        hints = ["first", *(s.inside.hint for s in self.again.states)]
        hints += [v.hint for v in beside]
        pairs = zip(outer.saved, hints, strict=True)
        targets = tuple(reverse.var(v.fact, hint) for v, hint in pairs)
        names = (v.name for v in beside)
        found = zip(names, targets[len(targets) - len(beside) :], strict=True)
        given = {**outside, **dict(found)}
        reverse.ops.append(self._reverse(length, outer, targets, given, reverse))
        return ahead.ops, reverse.ops

    def _beside(self, length: Atom) -> list[Var]:
        """What a segment reads of the iteration of a loop around."""
        if not self.inner:
            return []
        loop = self.again.loop
        carries = tuple(replace(c, init=Const(None)) for c in loop.carries)
        alone = replace(loop, iterable=Const(()), carries=carries)
        bounds = (self.steps.start, self.steps.stop)
        read = (*free_in(Block((alone,))), *(a for a in bounds if isinstance(a, Var)))
        found = [v for v in dict.fromkeys(read) if v.name in self.inner]
        return [*found, length] if isinstance(length, Var) else found

    def _forward(self, length: Atom, beside: Sequence[Atom], builder: Builder) -> For:
        """The loop over segments that saves their states."""
        loop = self.loop
        around, within = carried_twice(loop, builder)
        plain = replace(loop, stack=None, saved=(), carries=within)
        (slim,) = without_dead(Block((plain,)), [c.out for c in within])
        assert isinstance(slim, For)
        first, inner = builder.var(INT, "first"), builder.nested()
        pairs = zip(loop.carries, around, strict=True)
        entering = {c.inside.name: a.inside for c, a in pairs}
        saved = [first]
        for state in self.again.states:
            at = entering[state.inside.name]
            var, ops = state.saved(at, builder.names, builder.origin)
            saved.append(var)
            inner.ops += ops
        over = self.steps.segment(first, length, inner)
        inner.ops.append(replace(slim, iterable=over, schedule=None))
        states = builder.var(UNKNOWN, saved_names.STATES)
        return For(
            (first,), self.steps.starts(length, builder), inner.block(), around,
            stack=loop.stack if self.inner else states,
            saved=(*saved, *(v for v in beside if isinstance(v, Var))),
            origin=loop.origin,
        )  # fmt: skip

    def _reverse(
        self, length: Atom, outer: For, targets: tuple[Var, ...],
        given: Mapping[str, Atom], builder: Builder,
    ) -> For:  # fmt: skip
        """The loop over the states, last first."""
        assert outer.stack is not None
        again, back = self.again, self.back
        around, within = carried_twice(back, builder)
        inner, at = builder.nested(), Substitution(given)
        over = self.steps.changed(at.atom).segment(targets[0], at.atom(length), inner)
        pairs = zip(again.loop.carries, targets[1:], strict=False)
        carries = tuple(replace(c, init=start) for c, start in pairs)
        once = replace(again.loop, carries=carries, iterable=over, schedule=None)
        made = Renamed(Block((once,)), given, builder.names).op(once)
        assert isinstance(made, For)
        assert made.stack is not None
        inner.ops.append(made)
        rows = inner.apply(operator.getitem, made.stack, BACKWARDS, fact=UNKNOWN)
        inner.ops.append(replace(back, iterable=rows, carries=within))
        states = back.iterable  # as the reverse sweep finds them, within a loop around
        if not self.inner:
            states = builder.apply(
                operator.getitem, outer.stack, BACKWARDS, fact=UNKNOWN
            )
        return For(targets, states, inner.block(), around, origin=back.origin)
