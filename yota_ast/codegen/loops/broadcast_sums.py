"""The adjoint of an array that was broadcast -> loops that add it up.

    dx = unbroadcast(dy, x)

becomes, where `x` has one row and `dy` has several,

    dx = np.zeros((1, x.shape[1]))
    for i in range(len(dy)):
        for j in range(dy.shape[1]):
            dx[0, j] += dy[i, j]
"""

from __future__ import annotations

import numpy as np

from yota_ast.codegen.loops.draft import Draft
from yota_ast.codegen.loops.elements import Array, Axis, Elements
from yota_ast.codegen.plan.statement_plan import Move, Stmt
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.nodes import Apply
from yota_ast.ir.store_changes import ADD


class BroadcastSums:
    """Makes the loops of sums over the axes that broadcasting gave."""

    def __init__(self, draft: Draft, elements: Elements) -> None:
        self.draft = draft
        self.elements = elements

    def unbroadcast(self, target: Var, op: Apply) -> list[Stmt]:
        """Return the statements of the helper: where it has nothing to add up, its
        result is the cotangent itself."""
        given, x = (self.elements.array(a) for a in op.args)
        if given.rank < x.rank:
            self.draft.refuse("an adjoint of fewer axes than its array")
        skipped = given.rank - x.rank
        if not skipped and not any(axis.is_unit for axis in x.axes):
            self.elements.together([x, given])
            name = self.elements.name(op.args[0])
            self.draft.same_lengths(target, name)
            return [Move(((target, name),))]
        return self.added_up(target, op, given, x.axes)

    def added_up(
        self, target: Var, op: Apply, given: Array, axes: tuple[Axis, ...]
    ) -> list[Stmt]:
        """Return the sums over the axes in front, and those of length 1."""
        skipped = given.rank - len(axes)
        counters = self.draft.counters(given.rank)
        place: list[Atom] = []
        for k, axis in enumerate(axes):
            place.append(Const(0) if axis.is_unit else counters[skipped + k])
            if not axis.is_unit:
                self.elements.common([axis, given.axes[skipped + k]])
        dtype = op.out.fact.dtype or fact_of_atom(op.args[0]).dtype
        if dtype is None:
            self.draft.refuse("`unbroadcast` of unknown numbers")
        zero = self.draft.write(
            target, [Const(Ellipsis)], Const(np.zeros((), dtype).item())
        )
        body = self.draft.write(target, place, given.at(counters), ADD)
        return [
            self.draft.empty(target, [axis.length for axis in axes], dtype),
            zero,
            *self.draft.loops(counters, [axis.length for axis in given.axes], [body]),
        ]
