"""Loops that return early -> the same, where what is returned is computed behind them.

    for i in range(n):                 for i in range(n):
        x = x + k * math.sin(x)            x = x + k * math.sin(x)
        if x > 2.0:                        if x > 2.0:
            val = x * k                        early = True
            early = True                       break
            break                      if early:
    if early: ...                          val = x * k

What leads out of a loop runs in its last iteration alone, and its reverse comes first:
before the reverse of the loop, which asks in no iteration whether it was the last. The
forward sweep stays as it was written.

In: a tape.  Out: one for the reverse sweep, and the names of what only that computes:
of these no value can be read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import bound_by, ends_of, is_loop
from yota_ast.ir.builder import Names
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    If,
    Merge,
    Op,
    While,
    atoms_of,
    map_blocks,
    of_ops,
    walk,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.tape import Tape

End = Atom | Undefined


def with_sunk_exits(tape: Tape, names: Names) -> tuple[Tape, frozenset[str]]:
    """A tape whose loops compute nothing on their way out, and what it computes anew:
    no value of that can be read."""
    sinking = _Sinking(names, _reads_in(tape))
    block = sinking.block(tape.block)
    changed = tape if block is tape.block else replace(tape, block=block)
    return changed, frozenset(sinking.fresh)


def reads_any(block: Block, names: frozenset[str]) -> bool:
    """Whether ops read a variable of some names."""
    return bool(names) and any(a.name in names for op in walk(block) for a in _vars(op))


def _vars(op: Op) -> Iterator[Var]:
    """The variables that an op itself reads, and those that it hands on."""
    return (a for a in (*atoms_of(op), *ends_of(op)) if isinstance(a, Var))


def _reads_in(tape: Tape) -> Counter[str]:
    """How often each variable is read."""
    reads = Counter(v.name for op in walk(tape.block) for v in _vars(op))
    if isinstance(tape.result, Var):
        reads[tape.result.name] += 1
    return reads


@dataclass(frozen=True, slots=True)
class _Exit:
    """How a loop is left. flag: what says afterwards that it was. branch: where.
    arm: what runs on the way. ends: what the branch hands on then, by its names."""

    flag: Var
    branch: If
    arm: Block
    ends: dict[str, End]

    @classmethod
    def of(cls, loop: For | While) -> _Exit | None:
        """The one exit of a loop; None where there are several, or nothing says so."""
        flags = [c.out for c in loop.carries if c.next == loop.stop]
        branches = [op for op in loop.body if isinstance(op, If)]
        for branch in branches if flags else ():
            for m in branch.merges:
                sides = (m.then, m.orelse)
                if m.out == loop.stop and sides == (Const(True), Const(False)):
                    ends = {each.out.name: each.then for each in branch.merges}
                    return cls(flags[0], branch, branch.then, ends)
                if m.out == loop.stop and sides == (Const(False), Const(True)):
                    ends = {each.out.name: each.orelse for each in branch.merges}
                    return cls(flags[0], branch, branch.orelse, ends)
        return None

    def end(self, carry: Carry) -> End:
        """What a loop hands on when it is left."""
        known = carry.next
        return self.ends.get(known.name, known) if isinstance(known, Var) else known


@dataclass(slots=True)
class _Sinking:
    """Sinks what the exits of loops compute. fresh: the names of what is copied."""

    names: Names
    reads: Counter[str]
    fresh: set[str] = field(default_factory=set)

    def block(self, block: Block) -> Block:
        """The block, with what the exits of its loops compute behind them."""
        ops = [map_blocks(op, self.block) for op in block]
        for k, op in enumerate(ops):
            if is_loop(op) and op.stop is not None:
                ops[k:] = self._behind(op, ops[k + 1 :])
        return of_ops(block, tuple(ops))

    def _behind(self, loop: For | While, rest: Sequence[Op]) -> list[Op]:
        """A loop, and what stands behind it."""
        left = _Exit.of(loop)
        tests = [
            op for op in rest if isinstance(op, If) and left and op.test == left.flag
        ]
        if left is None or not tests:
            return [loop, *rest]
        ends = [c for c in loop.carries if self._is_of_exit(c, tests[0])]
        outs = {
            end.name: c.out
            for c in loop.carries
            if isinstance(end := left.end(c), Var) and c not in ends
        }
        move = _Move(loop, left, tests[0], outs, self)
        for carry in ends:
            if carry != loop.carries[0]:  # which is the name of the loop
                move = move.with_end_of(carry)
        behind = [move.branch if op is tests[0] else op for op in rest]
        return [move.loop, *behind]

    def _is_of_exit(self, carry: Carry, branch: If) -> bool:
        """Whether a loop hands on what is read behind it alone, and if it was left."""
        then = [v for op in walk(branch.then) for v in _vars(op)]
        then += [m.then for m in branch.merges if isinstance(m.then, Var)]
        counted = sum(v == carry.out for v in then)
        is_read = counted and counted == self.reads[carry.out.name]
        unread = not self.reads[carry.inside.name]
        return bool(is_read and unread and isinstance(carry.init, Undefined))


@dataclass(frozen=True, slots=True)
class _Move:
    """A loop without some of what it hands on, and the branch behind it. outs: what the
    loop hands on when it is left, as it is called behind it."""

    loop: For | While
    left: _Exit
    branch: If
    outs: dict[str, Var]
    sinking: _Sinking

    def with_end_of(self, carry: Carry) -> _Move:
        """The same with what one more carry hands on; as it is, if that cannot be."""
        end = self.left.end(carry)
        needed = _needed(self.left.arm, end)
        if isinstance(end, Undefined) or needed is None:
            return self
        inside = {v.name for op in walk(self.loop.body) for v in bound_by(op)}
        inside |= {v.name for v in bound_by(self.loop)}
        own = {op.out.name for op in needed}
        read = [*(v for op in needed for v in _vars(op)), end]
        missing = [
            v
            for v in read
            if isinstance(v, Var)
            and v.name in inside
            and v.name not in {*own, *self.outs}
        ]
        if missing:
            return self._with_inside(carry, end) if not needed else self
        made = Substitution(self.outs)
        for op in needed:
            name = self.sinking.names.fresh(op.out.name)
            self.sinking.fresh.add(name)
            made.made[op.out.name] = replace(op.out, name=name)
        ops = tuple(made.op(op) for op in needed)
        return self._moved(carry, made.atom(end), ops)

    def _with_inside(self, carry: Carry, end: Atom) -> _Move:
        """The same, where a variable leaves the loop as it entered the iteration: it is
        handed on by its own name, as far as adjoints go."""
        for own in self.loop.carries:
            free = isinstance(self.left.end(own), Undefined) and own.inside == end
            if free and isinstance(own.next, Var) and not self.branch.then.ops:
                moved = self._moved(carry, own.out, ())
                return replace(moved, loop=_filled(moved.loop, self.left, own, end))
        return self

    def _moved(self, carry: Carry, end: Atom, ops: tuple[Op, ...]) -> _Move:
        within = Substitution({carry.out.name: end})
        then = Block((*ops, *within.block(self.branch.then)))
        merges = tuple(
            Merge(m.out, within.end(m.then), m.orelse) for m in self.branch.merges
        )
        branch = replace(self.branch, then=then, merges=merges)
        kept = tuple(c for c in self.loop.carries if c != carry)
        return replace(self, loop=replace(self.loop, carries=kept), branch=branch)


def _needed(arm: Block, end: End) -> list[Apply] | None:
    """The ops of an arm that an end is made of; None if they are no mere calls."""
    wanted = {end.name} if isinstance(end, Var) else set()
    found: list[Apply] = []
    for op in reversed(arm.ops):
        if isinstance(op, Apply) and op.out.name in wanted:
            if op.effect or op.form == "augmented":
                return None
            found.append(op)
            wanted |= {v.name for v in _vars(op)}
        elif wanted & {v.name for v in bound_by(op)}:
            return None
    return found[::-1]


def _filled(loop: For | While, left: _Exit, carry: Carry, end: Atom) -> For | While:
    """A loop whose branch hands on a value also where it is left."""
    ops = []
    for op in loop.body:
        if isinstance(op, If) and op is left.branch:
            op = replace(op, merges=tuple(_given(m, carry, end) for m in op.merges))
        ops.append(op)
    return replace(loop, body=Block(tuple(ops)))


def _given(merge: Merge, carry: Carry, end: Atom) -> Merge:
    if merge.out != carry.next:
        return merge
    then = end if isinstance(merge.then, Undefined) else merge.then
    orelse = end if isinstance(merge.orelse, Undefined) else merge.orelse
    return Merge(merge.out, then, orelse)
