"""A reverse sweep -> the same, where sums take their terms before what these read is
rebound.

    t10 = np.outer(dm, m_in)        dA += np.outer(dm, m_in)
    dm = dm @ A                     dm = dm @ A
    dA += t10

A sum is moved up, with what is computed for its term alone, in front of what rebinds a
name that this reads. It is moved past nothing that reads the sum as it was.

In: a reverse sweep in which sums make new arrays.  Out: the same, such sums earlier.
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


def _places(ops: Iterable[Op], start: int = 0) -> dict[str, int]:
    """Return where plain ops stand, by what they make."""
    return {op.out.name: k for k, op in enumerate(ops, start) if _is_plain(op)}


def _is_plain(op: Op) -> TypeGuard[Apply]:
    """Say whether an op does nothing but make a value."""
    return isinstance(op, Apply) and not op.effect and op.form != "augmented"
