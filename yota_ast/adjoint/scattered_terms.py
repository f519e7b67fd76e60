"""A reverse sweep -> the same, where what goes back through an index is added last.

    dx = a + (ungetitem(d, x, [1:]) - ungetitem(d, x, [:-1]))

becomes two sums, each of which is a statement on a part of the array later, so that
nothing is scattered into zeros that are added as a whole:

    dx = a
    dx[1:] += d
    dx[:-1] -= d

In: a reverse sweep in which sums make new arrays.  Out: the same.

>>> from yota_ast.ir.abstract_values import array_fact
>>> x, d, a, u, t, y = (Var(name, array_fact("f8", (None,))) for name in "xdauty")
>>> from yota_ast.ir.atoms import Const
>>> part = Apply(u, ungetitem, (d, x, Const(slice(1, None))))
>>> less, sum_ = Apply(t, operator.sub, (u, d)), Apply(y, operator.add, (a, t))
>>> back = Block((part, less, sum_))
>>> made = with_scattered_last(back, [y], lambda *_: x.fact, Names())
>>> [f"{op.fn.__name__} {op.args[1].name}" for op in made.ops]
['ungetitem x', 'sub d', 'add u']
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable
from typing import TypeGuard

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.inplace.fresh_results import is_fresh
from yota_ast.adjoint.inplace.sums_that_fit import have_one_rank, is_less
from yota_ast.adjoint.rewrites.gathered_sums import summed
from yota_ast.adjoint.rewrites.rewrite_engine import fact
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.block_queries import read_counts
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.nodes import Apply, Block, Op, Store, map_blocks, of_ops, walk
from yota_ast.ops import sharing
from yota_ast.ops.algebra import TERMS, operated
from yota_ast.runtime import ungetitem
from yota_ast.syntax.names import is_weak

Signed = tuple[bool, Atom]
"""A term of a sum, and True if it is added, False if it is taken off."""


def with_scattered_last(
    back: Block, results: Iterable[Atom], infer: Infer, names: Names
) -> Block:
    """Return the sweep, each sum with its scattered terms last."""
    reads = read_counts(back, results)

    def changed(block: Block) -> Block:
        inner = of_ops(block, tuple(map_blocks(op, changed) for op in block))
        return _Sums(inner, reads, infer, names).block()

    return changed(back)


@dataclass(slots=True)
class _Sums:
    """The sums of one block. reads: how often each variable is read. made: what makes
    the variables before an op, nothing written since."""

    inner: Block
    reads: Counter[str]
    infer: Infer
    names: Names
    made: dict[str, Apply] = field(default_factory=dict)

    def block(self) -> Block:
        """Return the block, its sums in another order where that is of use."""
        parts = self._parts()
        gone: set[str] = set()
        ops: list[Op] = []
        for op in self.inner:
            added: list[Op] = [op]
            if isinstance(op, Apply):
                if op.out.name not in parts:
                    added = self._reordered(op, gone)
                self.made[op.out.name] = op
            elif _writes(op):
                self.made.clear()  # what is written may be what a term is made of
            ops += added
        kept = [o for o in ops if not (isinstance(o, Apply) and o.out.name in gone)]
        return of_ops(self.inner, tuple(kept))

    def _parts(self) -> set[str]:
        """Return the names of what is only a term of another sum."""
        sums = {a: op for op in self.inner if _is_sum(op) for a in op.args}
        found = set[str]()
        for op in self.inner:
            if _is_sum(op) and op.out in sums:
                whole = sums[op.out]
                while is_weak(whole.out.hint) and whole.out in sums:
                    whole = sums[whole.out]
                if self._is_part(op, whole):
                    found.add(op.out.name)
        return found

    def _is_part(self, op: Apply, whole: Apply) -> bool:
        """Return whether a sum is a term of another alone, without a name or of one
        adjoint with it."""
        nameless = is_weak(op.out.hint) or op.out.hint == whole.out.hint
        return self.reads[op.out.name] == 1 and nameless and op.form != "augmented"

    def _reordered(self, op: Apply, gone: set[str]) -> list[Op]:
        """Return the ops of a sum in its new order; gone: its parts are added here."""
        if not _is_sum(op):
            return [op]
        parts: list[Apply] = []
        terms = self._terms(op, parts, op)
        first = [t for t in terms if not self._is_scattered(t[1])]
        last = [t for t in terms if self._is_scattered(t[1])]
        behind = {o.args[1] for o in (op, *parts) if len(o.args) > 1}
        nested = any(part.out in behind for part in parts)
        if not last or not (nested or terms != first + last):
            return [op]
        if not any(plus for plus, _ in first or last) or not _fit(terms, op.out):
            return [op]
        named = any(not is_weak(part.out.hint) for part in parts)
        if named and len(first) == 1 and not self._is_new(first[0][1]):
            return [op]  # which is added to zeros, and nothing can be added to
        gone.update(part.out.name for part in parts)
        return self._sum(op, first, last)

    def _terms(self, op: Apply, parts: list[Apply], whole: Apply) -> list[Signed]:
        """Return the terms of a sum, those of the sums that are its terms too."""
        found: list[Signed] = []
        pending = _operands(op)[::-1]
        while pending:
            sign, atom = pending.pop()
            inner = self.made.get(atom.name) if isinstance(atom, Var) else None
            if inner is not None and self._is_taken_off(inner):
                parts.append(inner)
                found.append((not sign, inner.args[0]))
            elif inner is None or not _is_sum(inner) or not self._is_part(inner, whole):
                found.append((sign, atom))
            else:
                parts.append(inner)
                pending += [(plus is sign, a) for plus, a in _operands(inner)][::-1]
        return found

    def _is_new(self, atom: Atom) -> bool:
        """Return whether a term is new memory, or a view of it, that only it reads, and
        no part of complex numbers."""
        made = self.made.get(atom.name) if isinstance(atom, Var) else None
        if made is None or self.reads[made.out.name] != 1 or fact(atom).is_complex:
            return False
        view = sharing(made) == "view"
        return self._is_new(made.args[0]) if view else is_fresh(made)

    def _is_taken_off(self, op: Apply) -> bool:
        """Return whether an op gives a scattered term its sign."""
        once = self.reads[op.out.name] == 1
        return once and op.fn is operator.neg and self._is_scattered(op.args[0])

    def _is_scattered(self, atom: Atom) -> bool:
        made = self.made.get(atom.name) if isinstance(atom, Var) else None
        once = made is not None and self.reads[made.out.name] == 1
        return once and made is not None and made.fn is ungetitem

    def _sum(self, op: Apply, first: list[Signed], last: list[Signed]) -> list[Op]:
        """Return the ops that add up terms, those that are scattered one by one."""
        builder = Builder(self.infer, self.names, op.origin)
        if first:
            total = summed(first, builder)[1]
        else:
            k = next(k for k, (plus, _) in enumerate(last) if plus)
            total = last.pop(k)[1]
        if isinstance(total, Var) and first[1:] and op.out.hint is not None:
            total = builder.rename(total, op.out.hint)
        for plus, term in last:
            fn = operator.add if plus else operator.sub
            total = builder.apply(fn, total, term, hint=op.out.hint)
        *others, end = builder.ops
        assert isinstance(end, Apply)
        return [*others, replace(end, out=op.out)]


def _writes(op: Op) -> bool:
    """Return whether an op, or one within it, writes into memory."""
    return any(isinstance(o, Store) for o in walk(Block((op,))))


def _is_sum(op: Op) -> TypeGuard[Apply]:
    """Return whether an op is a sum of arrays."""
    if not isinstance(op, Apply) or operated(op.fn) not in TERMS:
        return False
    return op.out.fact.kind == "array"


def _fit(terms: list[Signed], out: Var) -> bool:
    """Return whether each term is an array of the shape of the sum, and none is held
    by fewer bits than another."""
    atoms = [atom for _, atom in terms]
    if any(fact(a).kind != "array" or not have_one_rank(a, out) for a in atoms):
        return False
    return not any(is_less(a, b) for a in atoms for b in atoms if a != b)


def _operands(op: Apply) -> list[Signed]:
    """Return what a sum or a difference is made of."""
    return [(True, op.args[0]), (operated(op.fn) == "sum", op.args[1])]
