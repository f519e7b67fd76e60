"""A reverse sweep -> the same, where sums take their terms before what these read is
rebound.

    t10 = np.outer(dm, m_in)        dA += np.outer(dm, m_in)
    dm = dm @ A                     dm = dm @ A
    dA += t10

A sum is moved up only past a name that its term reads, and past nothing that reads the
sum as it was.

In: a reverse sweep in which sums make new arrays.  Out: the same, such sums earlier.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.nodes import Apply, Block, Op, atoms_of, map_blocks, of_ops, walk
from yota_ast.ops.algebra import TERMS, operated
from yota_ast.runtime import ungetitem
from yota_ast.syntax.names import is_weak


def with_early_sums(back: Block, results: Iterable[Atom]) -> Block:
    """Return the sweep with its sums where they need no name for a term."""
    read = (a for op in walk(back) for a in (*atoms_of(op), *ends_of(op)))
    reads = Counter(a.name for a in (*read, *results) if isinstance(a, Var))

    def changed(block: Block) -> Block:
        inner = of_ops(block, tuple(map_blocks(op, changed) for op in block))
        ops = list(inner.ops)
        for k in range(len(ops)):
            move = _Sums(ops, reads).move_of(k)
            if move is not None:
                ops[move.start : k + 1] = move.ops(ops[: k + 1])
        return inner if ops == list(inner.ops) else of_ops(inner, tuple(ops))

    return changed(back)


@dataclass(frozen=True, slots=True)
class _Move:
    """Ops that are to stand in front of the one at `start`, in their order."""

    start: int
    moved: tuple[Op, ...]

    def ops(self, ops: Sequence[Op]) -> list[Op]:
        """Return the ops from there on."""
        return [*self.moved, *(o for o in ops[self.start :] if o not in self.moved)]


@dataclass(frozen=True, slots=True)
class _Sums:
    """Finds the sums of one block. reads: how often each variable is read."""

    ops: Sequence[Op]
    reads: Counter[str]

    def move_of(self, k: int) -> _Move | None:
        """Return where the sum at a place belongs, if not there."""
        op = self.ops[k]
        if not isinstance(op, Apply) or operated(op.fn) not in TERMS or op.kwargs:
            return None
        total, term = op.args
        if not isinstance(total, Var) or total.hint != op.out.hint:
            return None
        made = self._made_once(term, k)
        if made is None or is_weak(op.out.hint):
            return None
        moved: tuple[Apply, ...] = (op,)
        placed = self.ops[made]
        if isinstance(placed, Apply) and placed.fn is ungetitem:
            moved, made = (placed, op), self._made_once(placed.args[0], made)
        if made is None:
            return None
        between = [o for o in self.ops[made + 1 : k] if o not in moved]
        return _Move(made + 1, moved) if self._is_due(made, moved, between) else None

    def _is_due(self, made: int, moved: Sequence[Apply], between: Sequence[Op]) -> bool:
        """Say whether a name that a term reads is rebound, and nothing else is in the
        way."""
        needed = {a.name for o in moved for a in atoms_of(o) if isinstance(a, Var)}
        rebound = set[str]()
        for op in between:
            if not isinstance(op, Apply) or op.effect or op.form == "augmented":
                return False
            if op.out.name in needed or moved[-1].args[0] in atoms_of(op):
                return False
            if not is_weak(op.out.hint):
                rebound.add(op.out.hint or "")
        return not rebound.isdisjoint(self._names(self.ops[made], made))

    def _names(self, op: Op, place: int) -> Iterator[str]:
        """Find the names that an expression reads."""
        for atom in atoms_of(op):
            if not isinstance(atom, Var):
                continue
            if not is_weak(atom.hint):
                yield atom.hint or ""
            made = self._made_once(atom, place)
            if made is not None:
                yield from self._names(self.ops[made], made)

    def _made_once(self, atom: Atom, before: int) -> int | None:
        """Return the place of the op that makes what is read once, in this block."""
        if not isinstance(atom, Var) or self.reads[atom.name] != 1:
            return None
        found = (
            k
            for k in range(before - 1, -1, -1)
            if isinstance(o := self.ops[k], Apply) and o.out == atom
        )
        return next(found, None)
