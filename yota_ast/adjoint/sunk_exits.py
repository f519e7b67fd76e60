"""Loops that return early -> the same, where what is returned is computed behind them.

    for i in range(n):                 for i in range(n):
        x = x + k * math.sin(x)            x = x + k * math.sin(x)
        if x > 2.0:                        if x > 2.0:
            val = x * k                        early = True
            early = True                       break
            break                      if early:
    if early: ...                          val = x * k

What leads out of a loop runs in its last iteration alone. Its reverse stands before
that of the loop, so that no iteration asks whether it was the last. The forward sweep
stays as it was written.

In: a tape.  Out: one for each sweep, and the names of what only that of the reverse
computes: of these no value can be read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.reverse.outlined_adjoints import SAVED
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import bound_by, ends_of, is_loop, read_counts
from yota_ast.ir.builder import Names
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    If,
    Merge,
    Op,
    Simple,
    While,
    atoms_of,
    map_blocks,
    of_ops,
    walk,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.ir.tape import Tape

End = Atom | Undefined
_YES: Final = Const(True)
_NO: Final = Const(False)


@dataclass(frozen=True, slots=True)
class Sunk:
    """A tape for each sweep; fresh: what that of the reverse computes anew, of which no
    value can be read."""

    ahead: Tape
    back: Tape
    fresh: frozenset[str]

    def suffices(self, reverse: Block) -> bool:
        """Whether a reverse sweep reads nothing that only its tape computes."""
        names = self.fresh
        return not names or not any(
            a.name in names for op in walk(reverse) for a in _vars(op)
        )


def with_sunk_exits(tape: Tape, names: Names) -> Sunk:
    """Two tapes whose loops compute nothing on their way out, for the reverse sweep."""
    sinking = _Sinking(names, read_counts(tape.block, [tape.result]))
    block = sinking.block(tape.block)
    back = sinking.of_results(_of(tape, block))
    ahead, back = (
        _of(each, _filled(each.block, sinking.entered)) for each in (tape, back)
    )
    return Sunk(ahead, back, frozenset(sinking.fresh))


def _of(tape: Tape, block: Block) -> Tape:
    return tape if block is tape.block else replace(tape, block=block)


def _vars(op: Op) -> Iterator[Var]:
    """The variables that an op itself reads, and those that it hands on."""
    return (a for a in (*atoms_of(op), *ends_of(op)) if isinstance(a, Var))


@dataclass(frozen=True, slots=True)
class _Exit:
    """How a loop is left. flag: what says afterwards that it was, if anything does.
    branch: where. arm: what runs on the way. ends: what the branch hands on then, by
    its names. others: what it hands on else."""

    flag: Var | None
    branch: If
    arm: Block
    ends: dict[str, End]
    others: dict[str, End]

    @classmethod
    def of(cls, loop: For | While) -> _Exit | None:
        """The one exit of a loop; None where there are several."""
        flags = [c.out for c in loop.carries if c.next == loop.stop]
        flag = flags[0] if flags else None
        for branch in (op for op in loop.body if isinstance(op, If)):
            then = {m.out.name: m.then for m in branch.merges}
            orelse = {m.out.name: m.orelse for m in branch.merges}
            name = loop.stop.name if isinstance(loop.stop, Var) else ""
            if (then.get(name), orelse.get(name)) == (_YES, _NO):
                return cls(flag, branch, branch.then, then, orelse)
            if (then.get(name), orelse.get(name)) == (_NO, _YES):
                return cls(flag, branch, branch.orelse, orelse, then)
        return None

    def end(self, carry: Carry) -> End:
        """What a loop hands on when it is left."""
        known = carry.next
        return self.ends.get(known.name, known) if isinstance(known, Var) else known

    def other(self, carry: Carry) -> End | None:
        """What a loop hands on when it goes on; None where that is no other."""
        known = carry.next
        return self.others.get(known.name) if isinstance(known, Var) else None

    def is_free(self, carry: Carry) -> bool:
        """Whether a loop hands nothing on where it is left, but else it does."""
        other = self.other(carry)
        has_other = other is not None and not isinstance(other, Undefined)
        return has_other and isinstance(self.end(carry), Undefined)

    def outs(self, loop: For | While, but: Container[Carry]) -> dict[str, Var]:
        """What a loop hands on when it is left, as it is called behind it."""
        carries = [c for c in loop.carries if c not in but]
        ends = ((self.end(c), c.out) for c in carries)
        return {end.name: out for end, out in ends if isinstance(end, Var)}


@dataclass(frozen=True, slots=True)
class _Behind:
    """A loop that hands on less, and what stands behind it for that."""

    loop: For | While
    ops: tuple[Op, ...]
    end: Atom


@dataclass(slots=True)
class _Sinking:
    """Sinks what the exits of loops compute. fresh: the names of what is copied.
    entered: of branches, what they hand on where a loop is left and had nothing to hand
    on: the value with which the iteration began, which is read there."""

    names: Names
    reads: Counter[str]
    fresh: set[str] = field(default_factory=set)
    entered: dict[str, Atom] = field(default_factory=dict)

    # ------------------------------------------------------------ what asks for it

    def block(self, block: Block) -> Block:
        """The block, with what the exits of its loops compute in the branches behind
        them that ask whether they were left."""
        ops = [map_blocks(op, self.block) for op in block]
        for k, op in enumerate(ops):
            if is_loop(op) and op.stop is not None:
                ops[k:] = self._with_branch(op, ops[k + 1 :])
        return of_ops(block, tuple(ops))

    def _with_branch(self, loop: For | While, rest: list[Op]) -> list[Op]:
        left = _Exit.of(loop)
        asks = (
            op for op in rest if isinstance(op, If) and left and op.test == left.flag
        )
        branch = asked = next(asks, None)
        if left is None or branch is None:
            return [loop, *rest]
        ends = [c for c in loop.carries[1:] if self._is_read_in(branch, c)]
        outs = left.outs(loop, ends)
        for carry in ends:
            found = self._behind(loop, left, carry, outs)
            if found is not None:
                loop, branch = found.loop, _begun(branch, carry.out, found)
        return [loop, *(branch if op is asked else op for op in rest)]

    def _is_read_in(self, branch: If, carry: Carry) -> bool:
        """Whether what a loop hands on is read in the first arm of a branch alone."""
        then = [v for op in walk(branch.then) for v in _vars(op)]
        then += [m.then for m in branch.merges if isinstance(m.then, Var)]
        counted = sum(v == carry.out for v in then)
        is_read = counted and counted == self.reads[carry.out.name]
        unread = not self.reads[carry.inside.name]
        return bool(is_read and unread and isinstance(carry.init, Undefined))

    # ------------------------------------------------------------ what needs it

    def of_results(self, tape: Tape) -> Tape:
        """A tape, with what loops hand on only where they are left behind them: it is
        read there whatever happens, so that they have been left."""
        done: list[Op] = []
        ops, result = list(tape.block), tape.result
        while ops:
            op = ops.pop(0)
            left = _Exit.of(op) if is_loop(op) and op.stop is not None else None
            if left is None or not is_loop(op):
                done.append(op)
                continue
            rest = Counter[Atom](v for each in ops for v in _read_surely(each))
            rest[result] += 1
            ends = [
                c
                for c in op.carries[1:]
                if rest[c.out] == self.reads[c.out.name] and self._is_alone(c, left)
            ]
            outs, behind = left.outs(op, ends), list[Op]()
            for carry in ends:
                found = self._behind(op, left, carry, outs)
                if found is not None:
                    op, behind = found.loop, [*behind, *found.ops]
                    made = Substitution({carry.out.name: found.end})
                    ops, result = list(map(made.op, ops)), made.atom(result)
            done += [op, *behind]
        block = of_ops(tape.block, tuple(done))
        return replace(_of(tape, block), result=result) if done else tape

    def _is_alone(self, carry: Carry, left: _Exit) -> bool:
        """Whether a loop hands on a value where it is left, and no other."""
        nothing = all(isinstance(e, Undefined) for e in (left.other(carry), carry.init))
        return nothing and not self.reads[carry.inside.name]

    # ------------------------------------------------------------ one value

    def _behind(
        self, loop: For | While, left: _Exit, carry: Carry, outs: dict[str, Var]
    ) -> _Behind | None:
        """What stands behind a loop for what it hands on where it is left; None if that
        cannot be."""
        end = left.end(carry)
        needed = _needed(left.arm, end)
        if isinstance(end, Undefined) or needed is None:
            return None
        within = {v.name for op in walk(Block((loop,))) for v in bound_by(op)}
        read = {v.name for op in needed for v in _vars(op)}
        read |= {end.name} if isinstance(end, Var) else set()
        missing = (read & within) - {op.out.name for op in needed} - outs.keys()
        entered = {c.inside.name: c for c in loop.carries if left.is_free(c)}
        if not missing <= entered.keys():
            return None
        for name in missing:
            self.entered[_name(entered[name].next)] = entered[name].inside
            outs[name] = entered[name].out
        made = Substitution(outs)
        for op in needed:
            name = self.names.fresh(op.out.name)
            self.fresh.add(name)
            made.made[op.out.name] = replace(op.out, name=name)
        kept = tuple(c for c in loop.carries if c != carry)
        ops = tuple(made.op(op) for op in needed)
        return _Behind(replace(loop, carries=kept), ops, made.atom(end))


def _begun(branch: If, out: Var, found: _Behind) -> If:
    """A branch whose first arm begins with what made a value in a loop."""
    made = Substitution({out.name: found.end})
    then = Block((*found.ops, *made.block(branch.then)))
    merges = tuple(Merge(m.out, made.end(m.then), m.orelse) for m in branch.merges)
    return replace(branch, then=then, merges=merges)


def _needed(arm: Block, end: End) -> list[Apply] | None:
    """The ops of an arm that an end is made of; None if there are more than calls: what
    is read before an array is written cannot be read behind the loop. What a forward
    sweep saves is read by its reverse: its call stays where it is."""
    wanted = {end.name} if isinstance(end, Var) else set()
    found: list[Apply] = []
    for op in reversed(arm.ops):
        if not isinstance(op, Apply) or op.effect or op.form == "augmented":
            return None
        if op.out.name in wanted:
            if SAVED in (op.out.fact.items or ()):
                return None
            found.append(op)
            wanted |= {v.name for v in _vars(op)}
    return found[::-1]


def _read_surely(op: Op) -> Iterator[Var]:
    """The variables that an op reads which is no branch or loop."""
    return _vars(op) if isinstance(op, Simple) else iter(())


def _name(end: End) -> str:
    return end.name if isinstance(end, Var) else ""


def _filled(block: Block, entered: Mapping[str, Atom]) -> Block:
    """A block whose branches hand on these where they had nothing to hand on."""

    def given(op: Op) -> Op:
        op = map_blocks(op, lambda inner: _filled(inner, entered))
        if not isinstance(op, If) or not any(m.out.name in entered for m in op.merges):
            return op
        return replace(op, merges=tuple(_given(m, entered) for m in op.merges))

    return of_ops(block, tuple(map(given, block))) if entered else block


def _given(merge: Merge, entered: Mapping[str, Atom]) -> Merge:
    end = entered.get(merge.out.name)
    if end is None:
        return merge
    then = end if isinstance(merge.then, Undefined) else merge.then
    orelse = end if isinstance(merge.orelse, Undefined) else merge.orelse
    return Merge(merge.out, then, orelse)
