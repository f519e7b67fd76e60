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
memory, and its reverse has no branches. In code that is differentiated again the loops
stay apart.

In: both sweeps, when all else is done.  Out: the same, with fewer loops in the reverse.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.loop_sums import only_adds
from yota_ast.analysis.points_to import PointsTo, Roots, is_augmented, written_by
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import bound_by, free_in, has_effect, read_counts
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    If,
    Op,
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

    def run(self, first: int = 0) -> None:
        """Put the reverse of loops into these, wherever it may be."""
        at = first
        while at < self.end:
            loop = self.ops[at]
            if isinstance(loop, For) and _is_steady(loop):
                at += self._with_reverse(at, loop)
            at += 1

    def _with_reverse(self, at: int, loop: For) -> int:
        """Put the reverse into the loop at an index, if it may be; return how many ops
        have come before the loop."""
        for k in range(self.end, len(self.ops)):
            other = self.ops[k]
            taken = _taken(loop, other, self.ops) if isinstance(other, For) else None
            if taken is None or not isinstance(other, For) or not only_adds(other):
                continue
            if _writes(other, taken) or list(only(walk(other.body), If)):
                continue  # of a branch there would be two, one behind the other
            before = self._before(at, k, other)
            if before is not None:
                self._put(at, k, before, _joined(loop, other, taken))
                return len(before)
        return 0

    def _before(self, at: int, end: int, loop: For) -> list[int] | None:
        """Return where what a loop begins with is made behind an index, if it may be
        made ahead of that; None: it may not."""
        makers = {v.name: k for k in range(at, end) for v in bound_by(self.ops[k])}
        own = {t.name for t in loop.targets}
        inits = [c.init for c in loop.carries]
        waiting = [v.name for v in free_in(loop.body, *inits)]
        within = {c.inside.name for c in loop.carries} | own
        found: set[int] = set()
        while waiting:
            name = waiting.pop()
            k = None if name in within else makers.get(name)
            if k is None or k in found:
                continue
            op = self.ops[k]
            if k == at or not isinstance(op, Apply) or not _is_of_numbers(op):
                return None
            found.add(k)
            waiting += [a.name for a in atoms_of(op) if isinstance(a, Var)]
        return sorted(found)

    def _put(self, at: int, end: int, before: list[int], loop: For) -> None:
        """Put a loop in the place of two, behind the ops at some indices."""
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
    points, written = PointsTo(loop.body), _written_in(loop)
    if any(map(has_effect, walk(loop.body))):
        return True
    return any(points.memory(t) & written for t in loop.targets if t.name in taken)


def _written_in(loop: For) -> Roots:
    """Return the memory that a loop writes into."""
    points = PointsTo(loop.body)
    targets = map(written_by, walk(loop.body))
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


def _joined(loop: For, other: For, taken: Mapping[str, Var]) -> For:
    """Return one loop that does what two do; taken: what the second takes of the
    first. What both compute the first one does."""
    made = {_key(op): op.out for op in only(loop.body, Apply) if not op.effect}
    points, written = PointsTo(other.body), _written_in(other)
    put = Substitution(taken)
    left: list[Op] = []
    for op in other.body:
        new = put.op(op)
        again = _again(new, made, points.memory, written)
        put.made.update(again)
        if not again:
            left.append(new)
    fused = _Fusing([*loop.body, *left], len(loop.body))
    fused.run()
    more = (replace(c, next=put.end(c.next)) for c in other.carries)
    carries = *loop.carries, *more
    body = _without_unread(fused.ops, [c.next for c in carries])
    return replace(loop, body=body, carries=carries, stack=None, saved=())


def _without_unread(ops: Sequence[Op], ends: Sequence[Atom | Undefined]) -> Block:
    """Return ops without those that only told what gone loops ran over."""
    reads = read_counts(Block(tuple(ops)), ends)
    kept: list[Op] = []
    for op in reversed(ops):
        gone = isinstance(op, Apply) and op.origin.reverse and not is_augmented(op)
        if gone and not any(reads[v.name] for v in bound_by(op)):
            reads.subtract(a.name for a in atoms_of(op) if isinstance(a, Var))
        else:
            kept.append(op)
    return Block(tuple(reversed(kept)))


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
