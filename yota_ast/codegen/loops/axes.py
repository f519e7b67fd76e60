"""`np.sum(x, axis=0)`, `np.max(x, axis=1, keepdims=True)` -> loops over all axes.

t1 = np.zeros(x.shape[1])
for i in range(len(x)):
for j in range(x.shape[1]):
t1[j] += x[i, j]
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from yota_ast.codegen.loops.draft import Draft
from yota_ast.codegen.loops.elements import Array, Elements, number
from yota_ast.codegen.loops.reductions import Reductions
from yota_ast.codegen.plan.statement_plan import Stmt
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import Apply
from yota_ast.ir.store_changes import ADD, Update
from yota_ast.ops.registry import info


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
        if info(op.fn).in_loops not in ("sum", "extreme"):
            return None
        inner = self.elements.array(op.args[0])
        axes, keepdims = self.options(op, inner.rank)
        dtype = op.out.fact.dtype
        if dtype is None:
            self.draft.refuse(f"`np.{op.fn.__name__}` of unknown numbers")
        kept = [k for k in range(inner.rank) if k not in axes]
        ends = [
            inner.axes[k].length if k in kept else Const(1)
            for k in range(inner.rank) if k in kept or keepdims
        ]  # fmt: skip
        counters = self.draft.counters(inner.rank)
        place = [
            counters[k] if k in kept else Const(0)
            for k in range(inner.rank) if k in kept or keepdims
        ]  # fmt: skip
        self.draft.before.append(self.draft.empty(target, ends, dtype))
        given = inner.at(counters)
        if info(op.fn).in_loops == "extreme":
            return self.best(op, target, inner, axes, place, counters)
        first = self.draft.write(target, [Const(Ellipsis)], Const(0.0))
        body = self.draft.write(target, place, given, ADD)
        lengths = [axis.length for axis in inner.axes]
        found = [first, *self.draft.loops(counters, lengths, [body])]
        if op.fn is np.mean:
            count = self.reductions.count([inner.axes[k] for k in axes])
            divided = self.draft.write(
                target, [Const(Ellipsis)], count, Update(operator.truediv)
            )
            found.append(divided)
        return found

    def options(self, op: Apply, rank: int) -> tuple[tuple[int, ...], bool]:
        """Return the axes that go, and whether they are kept with length 1."""
        named = dict(op.kwargs)
        axis = named.pop("axis", op.args[1] if len(op.args) > 1 else Const(None))
        keepdims = named.pop("keepdims", Const(False))
        if named or len(op.args) > 2 or not isinstance(axis, Const):
            self.draft.refuse(f"`np.{op.fn.__name__}` with options")
        if not isinstance(keepdims, Const):
            self.draft.refuse(f"`np.{op.fn.__name__}` with options")
        value: Any = range(rank) if axis.value is None else axis.value
        given = (value,) if isinstance(value, int) else tuple(value)
        return tuple(sorted(k % rank for k in given)), bool(keepdims.value)

    def best(
        self, op: Apply, target: Var, inner: Array, axes: tuple[int, ...],
        place: list[Atom], counters: tuple[Var, ...],
    ) -> list[Stmt]:  # fmt: skip
        """Return the loops of the largest or smallest elements; nan is both."""
        fact = number(op.out.fact)
        for k in axes:
            self.draft.test_not_empty(inner.axes[k].length)
        start = tuple(
            Const(0) if k in axes else counter for k, counter in enumerate(counters)
        )
        outer = [
            (c, inner.axes[k].length)
            for k, c in enumerate(counters) if k not in axes
        ]  # fmt: skip
        larger = np.maximum if op.fn in (np.max, np.amax) else np.minimum
        begun = self.draft.write(target, place, inner.at(start))
        old = self.draft.item(target, place, fact)
        new = self.draft.call(larger, old, inner.at(counters), fact=fact)
        body = self.draft.write(target, place, new)
        lengths = [axis.length for axis in inner.axes]
        return [
            *self.draft.loops([c for c, _ in outer], [n for _, n in outer], [begun]),
            *self.draft.loops(counters, lengths, [body]),
        ]
