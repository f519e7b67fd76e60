"""A loop that adds up, and the loop that reverses it -> one loop that does both.

    for i in range(1, n):                    for i in range(1, n):
        e = x[i] - a * x[i - 1]                  e = x[i] - a * x[i - 1]
        total += e * e                           total += e * e
        saved.append((i, e))                     da -= 2 * seed * e * x[i - 1]
    for i, e in saved[::-1]:
        da -= 2 * seed * e * x[i - 1]

What the reverse of an iteration reads is then at hand: nothing is saved, and nothing is
computed again. So it is where the reverse does nothing but add up too, for then its
iterations may run in any order, and where what it begins with is known before the loop:
the loop's own result is linear in what the function returns. The loop writes into no
memory. A branch and the branch that reverses it become one too, or the loops stay
apart:

    if d > 1:                                if d > 1:
        continue                                 continue
    total += d**3                            total += d**3
    ...                             ->       dd = 3 * seed * d**2
    if d > 1:                                dx[i] += dd
        continue
    dx[i] += 3 * seed * d**2

In code that is differentiated again the loops stay apart.

In: both sweeps, when all else is done.  Out: the same, with fewer loops in the reverse.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Final, TypeAlias, assert_never

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.branches.one_branch import one_branch
from yota_ast.adjoint.loops.loop_sums import only_adds
from yota_ast.analysis.points_to import PointsTo, Roots, is_augmented, written_by
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import bound_by, free_in, has_effect, read_counts
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    For,
    If,
    Op,
    Simple,
    Store,
    atoms_of,
    only,
    walk,
)
from yota_ast.ir.renaming import Substitution
from yota_ast.ops import info

Key: TypeAlias = tuple[object, ...]
"""What ops have in common that make the same."""
_VALUES: Final = ("array", "real", "number", "scalar", "bool")
"""The kinds of what is one with what is equal to it."""
_BACKWARDS: Final = slice(None, None, -1)


def with_fused(ahead: Block, back: Block, first: int = 0) -> tuple[Block, Block]:
    """Return the sweeps with the reverse of such loops within these.

    first: how many ops at the start of the forward sweep stay where they are.
    """
    fusing = _Fusing([*ahead, *back], len(ahead))
    fusing.run(first)
    ops, end = tuple(fusing.ops), fusing.end
    if len(ops) == len(ahead) + len(back):
        return ahead, back
    return Block(ops[:end]), Block(ops[end:])


@dataclass(slots=True)
class _Fusing:
    """Ops one after another; those from `end` on reverse what stands before them."""

    ops: list[Op]
    end: int
    made: Mapping[Key, Var] | None = None
    """Within a loop, what it makes ahead of each branch; None: branches stay apart."""

    def run(self, first: int = 0) -> None:
        """Put the reverse of loops, and of branches in them, into these, wherever it
        may be."""
        at = first
        while at < self.end:
            at += 1 + self._with_what_reverses(at)

    def _with_what_reverses(self, at: int) -> int:
        """Put the reverse of the op at an index into it, if it may be; return how many
        ops have come before it."""
        match op := self.ops[at]:
            case For():
                return self._with_reverse(at, op) if _is_steady(op) else 0
            case If():
                inner = self.made is not None and op.form == "if"
                return self._with_branch(at, op) if inner else 0
            case Apply() | Simple() | Compound():
                return 0
            case _:
                assert_never(op)

    def _with_reverse(self, at: int, loop: For) -> int:
        """Put the reverse into the loop at an index, if it may be; return how many ops
        have come before the loop."""
        for k in range(self.end, len(self.ops)):
            other = self.ops[k]
            taken = _taken(loop, other, self.ops) if isinstance(other, For) else None
            if taken is None or not isinstance(other, For) or not only_adds(other):
                continue
            if _writes(other, taken):
                continue
            before = self._before(at, k, _read_first(other))
            if before is None:
                continue
            joined = _joined(loop, other, taken)
            if not any(op.origin.reverse for op in only(walk(joined.body), If)):
                self._put(at, k, before, joined)
                return len(before)
            # of a branch there would be two, one behind the other
        return 0

    def _with_branch(self, at: int, branch: If) -> int:
        """Put the branch that reverses the one at an index into this, if it may be;
        return how many ops have come before it."""
        for k in range(self.end, len(self.ops)):
            other = self.ops[k]
            if not (isinstance(other, If) and other.test == branch.test):
                continue
            if other.form != branch.form or _writes_into(other, self.ops[at + 1 : k]):
                return 0
            own = {m.out.name for m in branch.merges}
            before = self._before(at, k, free_in(Block((other,))), own)
            joined = _one_branch(branch, other, self.made)
            if before is None or joined is None:
                return 0
            self._put(at, k, before, joined)
            return len(before)
        return 0

    def _before(
        self, at: int, end: int, reads: Iterable[Var], own: Container[str] = ()
    ) -> list[int] | None:
        """Return where what a loop begins with is made behind an index, if it may be
        made ahead of that; None: it may not. own: what of it the op at the index gives
        it in the arms of a branch."""
        makers = {v.name: k for k in range(at, end) for v in bound_by(self.ops[k])}
        waiting = [v.name for v in reads if v.name not in own]
        found: set[int] = set()
        while waiting:
            name = waiting.pop()
            k = makers.get(name)
            if k is None or k in found:
                continue
            op = self.ops[k]
            if k == at or not isinstance(op, Apply) or not _is_of_numbers(op):
                return None
            found.add(k)
            waiting += [a.name for a in atoms_of(op) if isinstance(a, Var)]
        return sorted(found)

    def _put(self, at: int, end: int, before: list[int], loop: For | If) -> None:
        """Put a loop, or a branch, in the place of two, behind the ops at some
        indices."""
        ops, gone = self.ops, {at, end, *before}
        kept = [op for k, op in enumerate(ops) if k > at and k not in gone]
        stays = sum(at < k < self.end for k in before)
        self.ops = [*ops[:at], *(ops[k] for k in before), loop, *kept]
        self.end += len(before) - stays


def _is_steady(loop: For) -> bool:
    """Return whether a loop runs to its end, and neither writes into memory nor has
    another effect, but for what it adds to its own sums."""
    if loop.stop is not None or loop.schedule is not None or loop.origin.reverse:
        return False
    every = [*walk(loop.body)]
    if any(has_effect(op) or isinstance(op, Store) for op in every):
        return False
    return not any(map(is_augmented, every)) or only_adds(loop)


def _taken(loop: For, other: For, ops: Sequence[Op]) -> dict[str, Var] | None:
    """Return what each iteration of a loop takes that runs over all iterations of
    another: variables of that by its own; None: it does not."""
    if other.origin.statement != loop.origin.statement:
        return None
    makers = {op.out.name: op for op in ops if isinstance(op, Apply)}
    if other.iterable == loop.iterable and loop.stack is None:
        return _paired(other.targets, loop.targets)
    made = makers.get(other.iterable.name) if isinstance(other.iterable, Var) else None
    if loop.stack is not None:
        over = other.iterable
        if made is not None and made.args[1:] == (Const(_BACKWARDS),):
            over = made.args[0]
        reads = read_counts(Block(tuple(ops)))
        if over != loop.stack or reads[loop.stack.name] != 1:
            return None
        return _paired(other.targets, loop.saved)
    given = makers.get(loop.iterable.name) if isinstance(loop.iterable, Var) else None
    if given is None or made is None or not _is_turned(given, made, makers):
        return None
    return _paired(other.targets, loop.targets)


def _paired(targets: Sequence[Var], taken: Sequence[Var]) -> dict[str, Var] | None:
    if len(targets) not in (0, len(taken)):
        return None
    return {t.name: v for t, v in zip(targets, taken, strict=False)}


def _is_turned(given: Apply, made: Apply, makers: Mapping[str, Apply]) -> bool:
    """Return whether a range has the numbers of another the other way round."""
    if given.fn is not range or made.fn is not range or len(made.args) < 3:
        return False
    if len(given.args) > 2 or made.args[2] != Const(-1):
        return False
    low = given.args[0] if len(given.args) > 1 else Const(0)
    lines = [_line(a, makers) for a in (low, given.args[-1], *made.args[:2])]
    first, after, last, before = lines
    return last == (after[0], after[1] - 1) and before == (first[0], first[1] - 1)


def _line(atom: Atom, makers: Mapping[str, Apply]) -> tuple[str, int]:
    """Return what a whole number is made of: a name, "" of none, and so much more."""
    if isinstance(atom, Const):
        value = atom.value
        return ("", value) if type(value) is int else ("no whole number", 0)
    op = makers.get(atom.name)
    if op is not None and op.fn in (operator.add, operator.sub):
        start, more = op.args
        if isinstance(more, Const) and type(more.value) is int:
            name, offset = _line(start, makers)
            by = more.value if op.fn is operator.add else -more.value
            return name, offset + by
    return atom.name, 0


def _writes(loop: For, taken: Mapping[str, Var]) -> bool:
    """Return whether a loop writes into what it takes of another, or has an effect."""
    points, written = PointsTo(loop.body), _written_in(loop.body)
    if any(map(has_effect, walk(loop.body))):
        return True
    return any(points.memory(t) & written for t in loop.targets if t.name in taken)


def _written_in(block: Block) -> Roots:
    """Return the memory that a block writes into."""
    points = PointsTo(block)
    targets = map(written_by, walk(block))
    found = (points.memory(t) for t in targets if isinstance(t, Var))
    return frozenset().union(*found)


def _is_of_numbers(op: Apply) -> bool:
    """Return whether an op makes the same wherever it stands."""
    if op.effect or is_augmented(op):
        return False
    shapes = info(op.fn).shape_only
    read = (a for k, a in enumerate(atoms_of(op)) if k not in shapes)
    facts = (a.fact for a in read if isinstance(a, Var))
    return all(known.is_scalar or known.is_immutable for known in facts)


def _read_first(loop: For) -> list[Var]:
    """Return what a loop reads that is made before it."""
    within = {v.name for v in (*(c.inside for c in loop.carries), *loop.targets)}
    inits = [c.init for c in loop.carries]
    return [v for v in free_in(loop.body, *inits) if v.name not in within]


def _joined(loop: For, other: For, taken: Mapping[str, Var]) -> For:
    """Return one loop that does what two do; taken: what the second takes of the
    first. What both compute the first one does."""
    put = Substitution(taken)
    fused = _one_after_another(loop.body, other.body, put, {})
    more = [replace(c, next=put.end(c.next)) for c in other.carries]
    carries = *loop.carries, *more
    body = _without_unread(fused, [c.next for c in carries])
    return replace(loop, body=body, carries=carries, stack=None, saved=())


def _one_after_another(
    body: Block, other: Block, put: Substitution, known: Mapping[Key, Var]
) -> list[Op]:
    """Return the ops of two blocks, the loops and branches that the second reverses in
    one; known: what is made before them."""
    made = {_key(op): op.out for op in only(body, Apply) if not op.effect}
    made = {**known, **made}
    points, written = PointsTo(other), _written_in(other)
    left: list[Op] = []
    for op in other:
        new = put.op(op)
        again = _again(new, made, points.memory, written)
        put.made.update(again)
        if not again:
            left.append(new)
    fused = _Fusing([*body, *left], len(body), made)
    fused.run()
    return fused.ops


def _one_branch(branch: If, other: If, known: Mapping[Key, Var] | None) -> If | None:
    """Return one branch that does what two do of one test, if what the second reads of
    the first has a value there; known: what is made before them."""

    def joined(body: Block, back: Block, put: Substitution) -> list[Op]:
        return _one_after_another(body, back, put, known or {})

    return one_branch(branch, other, joined, _without_unread)


def _writes_into(branch: If, ops: Iterable[Op]) -> bool:
    """Return whether a branch writes into what some ops make."""
    made = {v.name for op in ops for v in bound_by(op)}
    targets = (written_by(op) for op in walk(Block((branch,))))
    return any(isinstance(t, Var) and t.name in made for t in targets)


def _without_unread(ops: Sequence[Op], ends: Sequence[Atom | Undefined]) -> Block:
    """Return ops without those that only told what gone loops ran over."""
    reads = read_counts(Block(tuple(ops)), ends)
    kept: list[Op] = []
    for op in reversed(ops):
        op = _without_merges(op, reads)
        gone = isinstance(op, Apply) and op.origin.reverse and not is_augmented(op)
        if gone and not any(reads[v.name] for v in bound_by(op)):
            reads.subtract(a.name for a in atoms_of(op) if isinstance(a, Var))
        else:
            kept.append(op)
    return Block(tuple(reversed(kept)))


def _without_merges(branch: Op, reads: Counter[str]) -> Op:
    """Return an op that hands on what is read alone, if it is a branch."""
    if not isinstance(branch, If):
        return branch
    kept = tuple(m for m in branch.merges if reads[m.out.name])
    gone = (a for m in branch.merges if m not in kept for a in (m.then, m.orelse))
    reads.subtract(a.name for a in gone if isinstance(a, Var))
    return replace(branch, merges=kept)


def _again(
    op: Op, made: Mapping[Key, Var], memory: Callable[[Var], Roots], written: Roots
) -> dict[str, Var]:
    """Return what an op makes that is made already, by its name, and what it is."""
    if not isinstance(op, Apply) or is_augmented(op) or memory(op.out) & written:
        return {}
    known = op.out.fact  # of a context, say, two that are alike are not one
    index = known.cls is slice or known.kind == "tuple"
    if not (known.is_number or index or known.kind in _VALUES):
        return {}
    before = made.get(_key(op))
    return {} if before is None else {op.out.name: before}


def _key(op: Apply) -> Key:
    """Return what an op has in common with those that make the same."""

    def of(atom: Atom) -> object:
        return atom.name if isinstance(atom, Var) else atom.key()

    return (op.fn, *map(of, op.args), *((key, of(a)) for key, a in op.kwargs))
