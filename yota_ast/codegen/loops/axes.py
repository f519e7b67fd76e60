"""`np.sum(x, axis=0)`, `np.max(x, axis=1, keepdims=True)` -> loops over all axes.

t1 = np.zeros(x.shape[1])
for i in range(len(x)):
for j in range(x.shape[1]):
t1[j] += x[i, j]
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.codegen.loops.draft import Draft
from yota_ast.codegen.loops.elements import Array, Elements, number
from yota_ast.codegen.loops.reductions import Reductions
from yota_ast.codegen.plan.statement_plan import Stmt
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import Apply
from yota_ast.ir.store_changes import ADD, Update
from yota_ast.ops.registry import info


@dataclass(frozen=True, slots=True)
class Reduction:
    """A reduction: the array, the axes that go, counters of all axes, and the place of
    a result."""

    op: Apply
    target: Var
    inner: Array
    axes: tuple[int, ...]
    counters: tuple[Var, ...]
    place: tuple[Atom, ...]

    def lengths(self, axes: Iterable[int]) -> list[Atom]:
        """Return the lengths of some axes."""
        return [self.inner.axes[k].length for k in axes]

    @property
    def kept(self) -> list[int]:
        """The axes that stay."""
        return [k for k in range(self.inner.rank) if k not in self.axes]


class Axes:
    """Makes the loops of reductions along axes."""

    def __init__(
        self, draft: Draft, elements: Elements, reductions: Reductions
    ) -> None:
        self.draft = draft
        self.elements = elements
        self.reductions = reductions

    def statements(self, target: Var, op: Apply) -> list[Stmt] | None:
        """Return the loops, None of another op."""
        how = info(op.fn).in_loops
        if how not in ("sum", "extreme"):
            return None
        inner = self.elements.array(op.args[0])
        axes, keepdims, initial = self.options(op, inner.rank)
        dtype = op.out.fact.dtype
        if dtype is None or (initial is not None and how == "sum"):
            self.draft.refuse(f"`np.{op.fn.__name__}` with options")
        counters = self.draft.counters(inner.rank)
        shown = [k for k in range(inner.rank) if keepdims or k not in axes]
        ends = [Const(1) if k in axes else inner.axes[k].length for k in shown]
        place = tuple(Const(0) if k in axes else counters[k] for k in shown)
        self.draft.before.append(self.draft.empty(target, ends, dtype))
        all_of_it = Reduction(op, target, inner, axes, counters, place)
        if how == "extreme":
            return self.best(all_of_it, initial)
        if axes == tuple(range(inner.rank - len(axes), inner.rank)):
            return self.inner_sums(all_of_it)
        return self.outer_sums(all_of_it)

    def inner_sums(self, made: Reduction) -> list[Stmt]:
        """Return the sums along the last axes: a number for each element."""
        body: list[Stmt] = []
        given, count = made.inner.at(made.counters), len(made.kept)
        gone = made.inner.axes[count:]
        with self.draft.within(body):
            total: Atom = self.reductions.accumulated(
                made.op.out.fact, gone, lambda _: given, made.counters[count:]
            )
        if made.op.fn is np.mean:
            number = self.reductions.count(gone)
            total = self.draft.operate(operator.truediv, total, number)
        body.append(self.draft.write(made.target, made.place, total))
        lengths = made.lengths(made.kept)
        return self.draft.loops(made.counters[:count], lengths, body)

    def outer_sums(self, made: Reduction) -> list[Stmt]:
        """Return the sums along other axes, in the order of the memory."""
        whole = [Const(Ellipsis)]
        first = self.draft.write(made.target, whole, Const(0.0))
        body = self.draft.write(
            made.target, made.place, made.inner.at(made.counters), ADD
        )
        lengths = made.lengths(range(made.inner.rank))
        found = [first, *self.draft.loops(made.counters, lengths, [body])]
        if made.op.fn is np.mean:
            count = self.reductions.count([made.inner.axes[k] for k in made.axes])
            by_count = Update(operator.truediv)
            found.append(self.draft.write(made.target, whole, count, by_count))
        return found

    def options(
        self, op: Apply, rank: int
    ) -> tuple[tuple[int, ...], bool, Atom | None]:
        """Return the axes that go, whether they are kept with length 1, and the number
        that a reduction begins with."""
        named = dict(op.kwargs)
        axis = named.pop("axis", op.args[1] if len(op.args) > 1 else Const(None))
        keepdims = named.pop("keepdims", Const(False))
        initial = named.pop("initial", None)
        if named or len(op.args) > 2 or not isinstance(axis, Const):
            self.draft.refuse(f"`np.{op.fn.__name__}` with options")
        if not isinstance(keepdims, Const):
            self.draft.refuse(f"`np.{op.fn.__name__}` with options")
        value: Any = range(rank) if axis.value is None else axis.value
        given = (value,) if isinstance(value, int) else tuple(value)
        return tuple(sorted(k % rank for k in given)), bool(keepdims.value), initial

    def best(self, made: Reduction, initial: Atom | None) -> list[Stmt]:
        """Return the loops of the largest or smallest elements; nan is both."""
        fact, inner = number(made.op.out.fact), made.inner
        for length in made.lengths(made.axes if initial is None else ()):
            self.draft.test_not_empty(length)
        start = tuple(
            Const(0) if k in made.axes else counter
            for k, counter in enumerate(made.counters)
        )
        larger = np.maximum if made.op.fn in (np.max, np.amax) else np.minimum
        begin = inner.at(start) if initial is None else self.elements.scalar(initial)
        begun = self.draft.write(made.target, made.place, begin)
        old = self.draft.item(made.target, made.place, fact)
        new = self.draft.call(larger, old, inner.at(made.counters), fact=fact)
        body = self.draft.write(made.target, made.place, new)
        outer, lengths = [made.counters[k] for k in made.kept], made.lengths(made.kept)
        every = made.lengths(range(inner.rank))
        return [
            *self.draft.loops(outer, lengths, [begun]),
            *self.draft.loops(made.counters, every, [body]),
        ]
