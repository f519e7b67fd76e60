"""A cotangent -> where it may be other than 0, by how it was made.

What boolean indexing, a mask in `where=` and `np.where` leave out gets a cotangent of
exactly 0, through sums, products and reductions: `masks` then takes what comes out of
an arm there for 0, for 0 times an infinite slope is nan.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from ..build import Builder
from ..ops import info
from ..records import dataclass, field
from ..runtime import (
    expand,
    unbroadcast,
    ungetitem,
    unsort,
    untake,
)
from ..tape import Apply, Atom, Const, Var
from .scope import fact_of_end as fact

DEEPEST: Final = 200
"""How far back a cotangent is followed; beyond that nothing is known of it."""


def support(builder: Builder, d: Atom, *, replayed: bool = True) -> Atom | None:
    """Where a cotangent may be other than 0; None where that is not known.

    replayed: whether a function may be called for it that puts ones to some places.
    """
    return _Walk(builder, replayed).of(d)


@dataclass(slots=True)
class _Walk:
    """Goes back from a cotangent: many ways may lead to one variable, which is looked
    at once."""

    builder: Builder
    replayed: bool
    known: dict[str, Atom | None] = field(default_factory=dict)
    depth: int = 0

    def of(self, d: Atom) -> Atom | None:
        """Where a value may be other than 0."""
        op = self.builder.made.get(d.name) if isinstance(d, Var) else None
        if op is None or not op.args:
            return None
        if op.out.name not in self.known:
            if self.depth == DEEPEST:
                return None
            self.depth += 1
            self.known[op.out.name] = self._of_op(op)
            self.depth -= 1
        return self.known[op.out.name]

    def _of_op(self, op: Apply) -> Atom | None:
        if op.fn is unbroadcast:
            return self._of_sums(op)
        known = info(op.fn)
        if known.keeps_zero:
            return self.of(op.args[0])
        if op.fn in (operator.add, operator.sub):
            parts = [self.of(a) for a in op.args]
            if parts[0] is None or parts[1] is None:
                return None
            return self.builder.apply(np.logical_or, parts[0], parts[1])
        if op.fn is operator.mul:
            left = self.of(op.args[0])
            return self.of(op.args[1]) if left is None else left
        if op.fn is np.where:
            return self._of_where(op)
        if op.fn in (np.tril, np.triu):
            return self._of_triangle(op)
        if op.fn in (ungetitem, untake):
            picked = _of_picked(self.builder, op)
            return self._replayed(op) if picked is None else picked
        if known.items == "placed" and (self.replayed or not known.spreads):
            return self._replayed(op)
        if op.fn is unsort and self.of(op.args[0]) is not None:
            return self._replayed(op)
        if op.fn is operator.getitem and op.args[1] == Const(0):  # of several adjoints
            whole = self.builder.made.get(getattr(op.args[0], "name", ""))
            if whole is not None and info(whole.fn).spreads:
                return self._of_reduced(whole)
        if known.items == "moved" or op.fn is operator.getitem:
            return self._rearranged(op)
        return self._of_reduced(op)

    def _of_triangle(self, op: Apply) -> Atom | None:
        if not self.replayed:
            return None
        inner = self.of(op.args[0])
        if inner is None:
            kwargs = (("dtype", Const(bool, "bool")),)
            inner = self.builder.apply(np.ones_like, op.args[0], kwargs=kwargs)
        return self.builder.apply(op.fn, inner, *op.args[1:], kwargs=op.kwargs)

    def _replayed(self, op: Apply) -> Atom | None:
        """Where a function puts ones, or what is selected of them."""
        if not self.replayed:
            return None
        inner = self.of(op.args[0])
        if inner is None:
            inner = self.builder.apply(np.ones_like, op.args[0])
        else:
            inner = self.builder.apply(operator.mul, Const(1.0), inner)
        placed = self.builder.apply(op.fn, inner, *op.args[1:], kwargs=op.kwargs)
        return self.builder.apply(operator.ne, placed, Const(0))

    def _rearranged(self, op: Apply) -> Atom | None:
        inner = self.of(op.args[0])
        if inner is None:
            return None
        return self.builder.apply(
            op.fn, inner, *op.args[1:], kwargs=op.kwargs, form=op.form,
            spelling=op.spelling,
        )  # fmt: skip

    def _of_sums(self, op: Apply) -> Atom | None:
        """Counts the places that are summed: 0 where none of them is selected."""
        wide = self.of(op.args[0])
        if wide is None:
            return None
        if fact(wide).shape != fact(op.args[0]).shape:
            wide = self.builder.apply(expand, wide, op.args[0])
        return self.builder.apply(unbroadcast, wide, op.args[1])

    def _of_where(self, op: Apply) -> Atom | None:
        """`np.where(condition, d, 0)`, or the other way round."""
        if len(op.args) != 3:
            return None
        condition, then, orelse = op.args
        if orelse == Const(0):
            return _both(self.builder, condition, self.of(then))
        if then == Const(0):
            selected = self.builder.apply(np.logical_not, condition)
            return _both(self.builder, selected, self.of(orelse))
        return None

    def _of_reduced(self, op: Apply) -> Atom | None:
        """The cotangent of a reduction, spread over what was reduced."""
        if not info(op.fn).spreads:
            return None
        given = _bound(op.fn, op)
        before = self.of(op.args[0])
        axis, kept = given.get("axis"), given.get("keepdims", Const(False))
        if before is not None and axis not in (None, Const(None)):
            if kept == Const(False):
                before = self.builder.apply(np.expand_dims, before, axis)
        where = given.get("where", Const(True))
        return _both(self.builder, None if where == Const(True) else where, before)


def _both(builder: Builder, one: Atom | None, other: Atom | None) -> Atom | None:
    if one is None or other is None:
        return other if one is None else one
    return builder.apply(np.logical_and, one, other)


def _of_picked(builder: Builder, op: Apply) -> Atom | None:
    """The adjoint of what a mask picks."""
    index = op.args[2]
    known = fact(index)
    if op.fn is untake:
        made = builder.made.get(getattr(index, "name", ""))
        if made is None or made.fn is not np.flatnonzero:
            return None
    elif known.dtype is None or known.dtype != np.bool_ or known.is_scalar:
        return None
    elif known.rank is not None and known.rank == fact(op.args[1]).rank:
        return index
    ones = builder.apply(np.ones_like, op.args[0])
    return builder.apply(op.fn, ones, *op.args[1:], kwargs=op.kwargs)


def _bound(fn: Callable[..., Any], op: Apply) -> Mapping[str, Any]:
    """The arguments of a helper by the names of its parameters."""
    bound = inspect.signature(fn).bind(*op.args, **dict(op.kwargs))
    return bound.arguments
