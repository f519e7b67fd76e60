"""A reverse sweep -> the same, where sums take their terms before what these read is
rebound.

    t10 = np.outer(dm, m_in)        dA += np.outer(dm, m_in)
    dm = dm @ A                     dm = dm @ A
    dA += t10

A sum is moved up, with what is computed for its term alone, in front of what rebinds a
name that this reads. It is moved past nothing that reads the sum as it was. What then
still rebinds a name too early, which the adjoint of the same statement reads, is moved
down behind it:

    dc_2 = dc + dy                  dc = dc + dy
    dc = dc_2 * f                   df = dc_2 * c_in
    df = dc_2 * c_in                dc = dc * f

In: a reverse sweep in which sums make new arrays.  Out: the same, such sums earlier,
and such names rebound later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeGuard

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.block_queries import read_counts
from yota_ast.ir.nodes import Apply, Block, Op, atoms_of, map_blocks, of_ops
from yota_ast.ops.algebra import TERMS, operated
from yota_ast.syntax.names import is_weak


def with_early_sums(back: Block, results: Iterable[Atom]) -> Block:
    """Return the sweep with its sums where they need no name for a term."""
    reads = read_counts(back, results)

    def changed(block: Block) -> Block:
        inner = of_ops(block, tuple(map_blocks(op, changed) for op in block))
        sums = _Sums([*inner], reads, _places(inner))
        for k in range(len(inner.ops)):
            sums.move(k)
        for k in reversed(range(len(inner.ops))):
            sums.sink(k)
        return inner if sums.ops == [*inner] else of_ops(inner, tuple(sums.ops))

    return changed(back)


@dataclass(slots=True)
class _Sums:
    """Moves the sums of one block. reads: how often each variable is read; places:
    where each variable is made by a plain op."""

    ops: list[Op]
    reads: Mapping[str, int]
    places: dict[str, int]

    def move(self, last: int) -> None:
        """Move the op at a place up, if it is a sum and that is of use."""
        op = self.ops[last]
        total = self._total(op)
        if total is None:
            return
        made = sorted(k for a in atoms_of(op) for k in self._made_for(a, total))
        read = {a for k in (*made, last) for a in atoms_of(self.ops[k])}
        moved = {*made, last}
        given = [a for a in read if isinstance(a, Var) and self._place(a) not in moved]
        names = {a.hint for a in given if a != total and not is_weak(a.hint)}
        first = max(map(self._place, given), default=-1) + 1
        rest = [k for k in range(first, last) if k not in moved]
        start = next((k for k in rest if self._rebinds(k, names)), last)
        rest = [k for k in rest if k >= start]
        if start == last or not all(self._may_follow(k, total) for k in rest):
            return
        order = [*(k for k in (*made, last) if k > start), *rest]
        self.ops[start : last + 1] = [self.ops[k] for k in order]
        self.places |= _places(self.ops[start : last + 1], start)

    def sink(self, first: int) -> None:
        """Move the op at a place down behind what reads, for the same statement, what
        it rebinds the name of."""
        op = self.ops[first]
        before = _rebound(op) if _is_plain(op) else None
        if before is None or not _is_plain(op):
            return
        last = max(self._readers(before, op, first), default=first)
        between = range(first + 1, min(last + 1, len(self.ops)))
        if last not in between or self.ops[last].origin != op.origin:
            return
        if not all(_is_plain(self.ops[k]) for k in between):
            return
        made = sorted({k for a in atoms_of(op) for k in self._made_for(a, op.out)})
        read = {a for k in (*made, first) for a in atoms_of(self.ops[k])}
        moved = {*made, first}
        given = (a for a in read if isinstance(a, Var) and self._place(a) not in moved)
        names = {a.hint for a in given if not is_weak(a.hint)}
        past = [k for k in range(min(moved), last + 1) if k not in moved]
        if any(self._rebinds(k, names) or not _is_plain(self.ops[k]) for k in past):
            return
        if any(op.out in atoms_of(self.ops[k]) for k in between):
            return
        order = [*past, *made, first]
        start = min(moved)
        self.ops[start : last + 1] = [self.ops[k] for k in order]
        self.places |= _places(self.ops[start : last + 1], start)

    def _readers(self, var: Var, op: Op, after: int) -> Iterator[int]:
        """Find where later expressions of the statement of an op end that read a
        value."""
        for k in range(after + 1, len(self.ops)):
            if self.ops[k].origin != op.origin:
                return
            if var in atoms_of(self.ops[k]):
                yield self._end(k)

    def _end(self, k: int) -> int:
        """Find the op that the expression with an op is written for; if that is of
        another block, the place behind all."""
        while _is_plain(op := self.ops[k]) and self.reads[op.out.name] == 1:
            later = range(k + 1, len(self.ops))
            end = next((j for j in later if op.out in atoms_of(self.ops[j])), None)
            if end is None:
                return len(self.ops) if is_weak(op.out.hint) else k
            nests = is_weak(op.out.hint) or op.out.fact.kind != "array"
            if not (nests or self._rebinds(end, {op.out.hint})):
                return k
            k = end
        return k

    def _total(self, op: Op) -> Var | None:
        """Return what an op adds terms to, if that has the name of the sum."""
        if not _is_plain(op) or is_weak(op.out.hint):
            return None
        name, start = op.out.hint, op
        while True:
            if operated(start.fn) not in TERMS or start.kwargs:
                return None
            total = start.args[0]
            if not isinstance(total, Var) or total.hint == name:
                return total if isinstance(total, Var) else None
            inner = self._made_once(total)
            if inner is None:
                return None
            start = inner

    def _made_for(self, atom: Atom, total: Var) -> Iterator[int]:
        """Find the places of what is computed for a value that is read once, but for
        the total."""
        made = None if atom == total else self._made_once(atom)
        if made is not None:
            yield self._place(made.out)
            for part in atoms_of(made):
                yield from self._made_for(part, total)

    def _made_once(self, atom: Atom) -> Apply | None:
        """Return the plain op that makes a value that is read once."""
        if not isinstance(atom, Var) or self.reads[atom.name] != 1:
            return None
        place = self._place(atom)
        if place < 0:
            return None
        op = self.ops[place]
        return op if isinstance(op, Apply) else None

    def _place(self, var: Var) -> int:
        return self.places.get(var.name, -1)

    def _rebinds(self, k: int, names: set[str | None]) -> bool:
        op = self.ops[k]
        return _is_plain(op) and op.out.hint in names

    def _may_follow(self, k: int, total: Var) -> bool:
        """Say whether an op may be done after what adds to a sum: neither it nor what
        is computed for it alone reads the total."""
        op = self.ops[k]
        if not _is_plain(op) or total in atoms_of(op):
            return False
        within = (j for a in atoms_of(op) for j in self._made_for(a, total))
        return not any(total in atoms_of(self.ops[j]) for j in within)


def _rebound(op: Apply) -> Var | None:
    """Return what an op reads that has the name of what it makes."""
    if is_weak(op.out.hint):
        return None
    read = (a for a in atoms_of(op) if isinstance(a, Var))
    return next((a for a in read if a.hint == op.out.hint), None)


def _places(ops: Iterable[Op], start: int = 0) -> dict[str, int]:
    """Return where plain ops stand, by what they make."""
    return {op.out.name: k for k, op in enumerate(ops, start) if _is_plain(op)}


def _is_plain(op: Op) -> TypeGuard[Apply]:
    """Say whether an op does nothing but make a value."""
    return isinstance(op, Apply) and not op.effect and op.form != "augmented"
