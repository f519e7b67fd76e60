"""`np.sum(x)`, `np.vdot(u, v)`, `np.max(x)` -> loops that accumulate, and their result.

t1 = 0.0
for i in range(len(x)):
t1 += x[i] * x[i]
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import numpy as np

from yota_ast.codegen.loops.bracket_forms import Subscripts
from yota_ast.codegen.loops.draft import FLOAT, INT, Draft
from yota_ast.codegen.loops.elements import (
    Axis,
    Elements,
    is_array,
    number,
    zero_of,
)
from yota_ast.codegen.loops.products import Products, is_number
from yota_ast.codegen.numba_source.number_arithmetic import (
    refuse_narrow,
    refuse_unsigned_sum,
)
from yota_ast.codegen.plan.statement_plan import Let, Move, Stmt
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.nodes import Apply
from yota_ast.ops.registry import info


class Reductions:
    """Makes the loops of reductions ahead of the statement at hand."""

    def __init__(
        self, draft: Draft, elements: Elements, subscripts: Subscripts
    ) -> None:
        self.draft = draft
        self.elements = elements
        self.subscripts = subscripts
        self.products = Products(draft, elements)

    def of(self, op: Apply) -> Atom | None:
        """Return the number that an op makes of arrays, None where it makes none."""
        if not op.args or op.fn is len:
            return self.length(op)
        if op.fn is operator.getitem:
            shape = self.draft.nested_op(op.args[0])
            if isinstance(shape, Apply) and shape.fn is np.shape:
                return self.axis_length(shape.args[0], op.args[1])
        if op.fn is operator.getitem and is_array(op.args[0]):
            found = self.subscripts.array(op)
            if found is None or found.rank:
                self.draft.refuse("an index that is no number")
            return found.at(())
        if op.fn in (np.size, np.shape, np.ndim):
            return self.length(op)
        how = info(op.fn).in_loops
        if not any(map(is_array, op.args)):
            alone = how == "extreme" or op.fn is np.sum
            given = len(op.args) == 1 and not op.kwargs
            one = given and fact_of_atom(op.args[0]).is_scalar
            return self.elements.scalar(op.args[0]) if alone and one else None
        if how == "sum":
            return self.sum(op)
        if is_number(op):
            return self.products.number(op)
        if how in ("extreme", "number") and not self.options(op):
            return self.whole(op)
        if how == "extreme" and [k for k, _ in op.kwargs] == ["initial"]:
            return self.extreme(op)
        return self.product(op) if how in ("product", "inner product") else None

    def length(self, op: Apply) -> Atom | None:
        """Return `len(x)` or `x.size` of an array that has no name."""
        if not op.args or not is_array(op.args[0]):
            return None
        axes = self.elements.array(op.args[0]).axes
        if op.fn is len:
            return axes[0].length
        if op.fn is np.ndim:
            return Const(len(axes))
        if op.fn is np.size:
            along = op.args[1] if len(op.args) > 1 else Const(None)
            if along != Const(None):
                return self.axis_length(op.args[0], along)
            return self.count(axes)
        name = self.elements.name(op.args[0])
        return self.draft.call(np.shape, name, fact=op.out.fact)

    def axis_length(self, array: Atom, axis: Atom) -> Atom | None:
        """Return `x.shape[k]`."""
        if not isinstance(axis, Const) or type(axis.value) is not int:
            return None
        return self.elements.array(array).axes[axis.value].length

    # ------------------------------------------------------------ all axes

    def sum(self, op: Apply) -> Atom:
        """Return a sum or a mean over all axes."""
        if self.options(op):
            self.draft.refuse(f"`np.{op.fn.__name__}` with options")
        inner = self.elements.array(op.args[0])
        total = self.accumulated(op.out.fact, inner.axes, inner.at)
        if op.fn is np.sum:
            return total
        return self.draft.operate(operator.truediv, total, self.count(inner.axes))

    def options(self, op: Apply) -> bool:
        """Say whether a reduction has options that are not their defaults, and do not
        mean the same: all axes."""
        given = [*op.args[1:], *(a for _, a in op.kwargs)]
        given = [a for a in given if not _takes_all_axes(op, a)]
        return any(a not in (Const(None), Const(False)) for a in given)

    def count(self, axes: Sequence[Axis]) -> Atom:
        """Return the number of elements."""
        found: Atom = axes[0].length
        for axis in axes[1:]:
            found = self.draft.operate(operator.mul, found, axis.length, fact=INT)
        return found

    def product(self, op: Apply) -> Atom:
        """Return the inner product of two arrays of one shape."""
        refuse_narrow(self.draft, op.out.fact.dtype)
        parts = [self.elements.array(a) for a in op.args[:2]]
        if parts[0].rank != parts[1].rank or op.kwargs or len(op.args) > 2:
            self.draft.refuse(f"`{op.fn.__name__}` of arrays of different ranks")
        axes = self.elements.together(parts)

        def at(index: tuple[Atom, ...]) -> Atom:
            both = (self.elements.at(p, axes, index) for p in parts)
            return self.draft.operate(operator.mul, *both)

        return self.accumulated(op.out.fact, axes, at)

    def accumulated(
        self,
        fact: Fact,
        axes: Sequence[Axis],
        at: Callable[[tuple[Atom, ...]], Atom],
        counters: tuple[Var, ...] | None = None,
    ) -> Var:
        """Return the sum of the elements. fact: what is known of the result."""
        total = self.draft.var(number(fact))
        if counters is None:
            counters = self.draft.counters(len(axes))
        self.draft.before.append(Move(((total, zero_of(fact)),)))
        added = Apply(
            total, operator.add, (total, at(counters)), form="augmented",
            origin=self.draft.origin,
        )  # fmt: skip
        refuse_unsigned_sum(self.draft, fact.dtype)
        body: list[Stmt] = [Let((total,), added)]
        self.draft.before += self.draft.loops(
            counters, [axis.length for axis in axes], body
        )
        return total

    def extreme(self, op: Apply) -> Atom:
        """Return `np.max(x, initial=v)`."""
        inner = self.elements.array(op.args[0])
        best = self.draft.var(FLOAT)
        begin = self.elements.scalar(op.kwargs[0][1])
        self.draft.before.append(Move(((best, begin),)))
        counters = self.draft.counters(inner.rank)
        larger = np.maximum if op.fn in (np.max, np.amax) else np.minimum
        better = Apply(best, larger, (best, inner.at(counters)))
        lengths = [axis.length for axis in inner.axes]
        self.draft.before += self.draft.loops(counters, lengths, [Let((best,), better)])
        return best

    def whole(self, op: Apply) -> Atom:
        """Return a call of an array with a name."""
        args = (self.elements.name(op.args[0]),)
        return self.draft.call(op.fn, *args, fact=op.out.fact)


def _takes_all_axes(op: Apply, axis: Atom) -> bool:
    """Say whether a literal names all axes of an array."""
    value = axis.value if isinstance(axis, Const) else None
    given = (value,) if type(value) is int else value
    rank = fact_of_atom(op.args[0]).rank
    if not rank or not isinstance(given, tuple):
        return False
    return all(type(k) is int for k in given) and (
        sorted(k % rank for k in given) == [*range(rank)]
    )
