"""A cotangent -> where it may be other than 0, by how it was made.

What boolean indexing, a mask in `where=` and `np.where` leave out gets a cotangent of
exactly 0, through sums, products and reductions: `masks` then takes what comes out of
an arm there for 0, for 0 times an infinite slope is nan.
"""

from __future__ import annotations

import inspect
import operator
from collections import ChainMap
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.nonsmooth.covered_places import Covered
from yota_ast.adjoint.nonsmooth.omitted_cotangents import are_alike, is_masked, is_zero
from yota_ast.adjoint.reverse.contributions import fact_of_end as fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.nodes import Apply
from yota_ast.ops import info
from yota_ast.ops.record import MOVING
from yota_ast.runtime import (
    expand,
    product_or_zero,
    unbroadcast,
    ungetitem,
    untake,
)

DEEPEST: Final = 200
"""How far back a cotangent is followed; beyond that nothing is known of it."""


def support(
    builder: Builder,
    d: Atom,
    made: dict[str, Apply],
    *,
    replayed: bool = True,
    is_selection: Callable[[Atom], bool] | None = None,
    dropped: bool = False,
) -> Atom | None:
    """Where a cotangent may be other than 0; None where that is not known.

    made: ops of the forward sweep that are looked at, too. replayed: whether a
    function may be called for it that puts ones to some places.
    is_selection: whether a cotangent is 0 only where what follows leaves values out;
    not given: no number of a cotangent is looked at. dropped: whether factors of truth
    values leave out, as those of `np.nansum` do.
    """
    ops = ChainMap(builder.made, made)
    return _Walk(builder, replayed, is_selection, ops, dropped).of(d)


@dataclass(slots=True)
class _Walk:
    """Goes back from a cotangent: many ways may lead to one variable, which is looked
    at once."""

    builder: Builder
    replayed: bool
    is_selection: Callable[[Atom], bool] | None
    made: Mapping[str, Apply]
    dropped: bool = False
    known: dict[str, Atom | None] = field(default_factory=dict)
    depth: int = 0
    covered: Covered = field(init=False)

    def __post_init__(self) -> None:
        self.covered = Covered(self.made, lambda d: self.of(d) is not None)

    def of(self, d: Atom) -> Atom | None:
        """Where a value may be other than 0."""
        op = self.made.get(d.name) if isinstance(d, Var) else None
        if op is None or not op.args:
            return None
        if op.out.name not in self.known:
            if self.depth == DEEPEST:
                return None
            self.depth += 1
            found = self._found(op)
            self.depth -= 1
            self.known[op.out.name] = found
            if found is not None:
                self.known[op.out.name] = self._in_boxes(op.out, found)
        return self.known[op.out.name]

    def _in_boxes(self, d: Var, found: Atom) -> Atom | None:
        """The same as one slice, if it is one; None: it is the whole array."""
        if self.covered.wholly(d):
            return None
        index = self.covered.part(d) if self.replayed else None
        if index is None:
            return found
        ones = self.builder.apply(ungetitem, Const(1.0), d, index)
        return self.builder.apply(operator.ne, ones, Const(0))

    def _found(self, op: Apply) -> Atom | None:
        found = self._of_op(op)
        if found is not None or self.is_selection is None or not self._is_array(op):
            return found
        if not self.is_selection(op.out):
            return None
        return self.builder.apply(operator.ne, op.out, Const(0))

    def _is_array(self, op: Apply) -> bool:
        """Return whether a cotangent is an array, not a list of such."""
        if op.fn is operator.getitem:
            whole = self.made.get(getattr(op.args[0], "name", ""))
            if whole is not None and whole.fn is not operator.getitem:
                return True
        return op.out.fact.kind in ("array", "scalar", "real")

    def _of_op(self, op: Apply) -> Atom | None:
        if op.fn is unbroadcast:
            return self._of_sums(op)
        known = info(op.fn)
        if known.keeps_zero and op.fn is not product_or_zero:
            return self.of(op.args[0])
        if known.spreads and _bound(op.fn, op).get("where", Const(True)) != Const(True):
            return self._of_reduced(op)
        if op.fn in (operator.add, operator.sub):
            cells = self._of_cells(op)
            return self._either(*map(self.of, op.args)) if cells is None else cells
        if known.vanishes:
            return Const(value=False)
        if op.fn in (operator.mul, product_or_zero):
            return self._of_factors(op)
        if op.fn in (build_list, build_tuple):
            return self._of_each(op)
        if op.fn is np.where:
            return self._of_where(op)
        if op.fn in (np.tril, np.triu):
            return self._of_triangle(op)
        if op.fn in (ungetitem, untake):
            picked = _of_picked(self.builder, op)
            return self._replayed(op) if picked is None else picked
        if known.items == "placed" and (self.replayed or not known.spreads):
            return self._replayed(op)
        if op.fn is operator.getitem and op.args[1] == Const(0):  # of several adjoints
            whole = self.made.get(getattr(op.args[0], "name", ""))
            if whole is not None and info(whole.fn).several:
                return self._of_reduced(whole)
        if known.spreads:
            return self._of_reduced(op)
        if known.factor > 0 or known.arithmetic == "matrix product":
            return self._of_product(op, known.factor)
        if known.items == "summed":
            return self._replayed(op) if self.of(op.args[0]) is not None else None
        return self._rearranged(op) if known.items in MOVING else None

    def _of_cells(self, op: Apply) -> Atom | None:
        """Of numbers that are put into cells side by side of one vector: the part that
        these make up."""
        if not self.replayed:
            return None
        parts = self._terms(op, DEEPEST)
        found: set[int] = set()
        for term in parts:
            k = self._cell(term)
            if k is None:
                return None
            found.add(k)
        cells = sorted(found)
        wholes = {part.args[1] for part in parts}
        if cells != [*range(cells[0], cells[-1] + 1)] or len(wholes) > 1:
            return None
        part = Const(slice(cells[0] or None, cells[-1] + 1))
        ones = self.builder.apply(ungetitem, Const(1.0), parts[0].args[1], part)
        return self.builder.apply(operator.ne, ones, Const(0))

    def _terms(self, op: Apply, depth: int) -> list[Apply]:
        """The ops that make the terms of a sum."""
        if op.fn not in (operator.add, operator.sub) or not depth:
            return [op]
        made = [self.made.get(getattr(a, "name", "")) for a in op.args]
        return [t for m in made if m for t in self._terms(m, depth - 1)] + (
            [op] if None in made else []
        )

    def _cell(self, op: Apply) -> int | None:
        """The cell that a number is put into, which nothing masks."""
        if op.fn is not ungetitem or not isinstance(op.args[2], Const):
            return None
        k, d = op.args[2].value, op.args[0]
        if type(k) is not int or k < 0 or not fact(d).is_scalar:
            return None
        if fact(op.args[1]).rank != 1:
            return None
        masked = self.is_selection is None and is_masked(self.builder, d)
        return k if not masked and self.of(d) is None else None

    def _of_factors(self, op: Apply) -> Atom | None:
        left, right = map(self.of, op.args)
        if self.dropped:
            tells = (a for a in op.args if fact(a).dtype == np.bool_)
            truth = next(tells, None)
            if truth is not None:
                return _both(self.builder, truth, right if left is None else left)
        return right if left is None else left

    def _of_each(self, op: Apply) -> Atom | None:
        """A list of masks."""
        masks: list[Atom] = []
        for d in op.args:
            mask = self.of(d)
            if mask is None:
                return None
            masks.append(self._as_wide(mask, d))
        return self.builder.apply(op.fn, *masks)

    def _of_triangle(self, op: Apply) -> Atom | None:
        if not self.replayed:
            return None
        inner = self.of(op.args[0])
        if inner is None:
            kwargs = (("dtype", Const(bool, "bool")),)
            inner = self.builder.apply(np.ones_like, op.args[0], kwargs=kwargs)
        else:
            inner = self._as_wide(inner, op.args[0])
        return self.builder.apply(op.fn, inner, *op.args[1:], kwargs=op.kwargs)

    def _replayed(self, op: Apply) -> Atom | None:
        """Where a function puts ones, or what is selected of them."""
        if not self.replayed:
            return None
        inner = self.of(op.args[0])
        if inner is None:
            if self.is_selection is None and is_masked(self.builder, op.args[0]):
                return None  # the mask says more than the places
            inner = self.builder.apply(np.ones_like, op.args[0])
        else:
            inner = self._as_wide(inner, op.args[0])
            inner = self.builder.apply(operator.mul, Const(1.0), inner)
        placed = self.builder.apply(op.fn, inner, *op.args[1:], kwargs=op.kwargs)
        return self.builder.apply(operator.ne, placed, Const(0))

    def _of_product(self, op: Apply, factor: int) -> Atom | None:
        """Where a product with a matrix of ones is other than 0."""
        if self.is_selection is None:
            return None
        at = 0 if factor > 0 or self.of(op.args[0]) is not None else 1
        inner, other = self.of(op.args[at]), factor if factor > 0 else 1 - at
        if inner is None:
            return None
        args = list(op.args)
        args[at] = self.builder.apply(
            operator.mul, Const(1.0), self._as_wide(inner, op.args[at])
        )
        args[other] = self.builder.apply(np.ones_like, op.args[other])
        product = self.builder.apply(op.fn, *args, kwargs=op.kwargs)
        return self.builder.apply(operator.ne, product, Const(0))

    def _rearranged(self, op: Apply) -> Atom | None:
        inner = self.of(op.args[0])
        if inner is None:
            return None
        if op.fn is operator.getitem and op.args[1] == Const(()):
            return inner  # of one element, which may be a bool of Python's
        inner = self._as_wide(inner, op.args[0])
        if op.form == "method" and fact(inner).kind != "array":
            inner = self.builder.apply(expand, inner, op.args[0])
        return self.builder.apply(
            op.fn, inner, *op.args[1:], kwargs=op.kwargs, form=op.form,
            spelling=op.spelling,
        )  # fmt: skip

    def _of_sums(self, op: Apply) -> Atom | None:
        """Counts the places that are summed: 0 where none of them is selected."""
        wide = self.of(op.args[0])
        if wide is None:
            return None
        wide = self._as_wide(wide, op.args[0])
        return self.builder.apply(unbroadcast, wide, op.args[1])

    def _as_wide(self, mask: Atom, d: Atom) -> Atom:
        """A mask in the shape of its cotangent, which it may be spread to."""
        shape = fact(mask).shape
        if fact(d).kind in ("list", "tuple"):
            return mask
        made = self.made.get(mask.name) if isinstance(mask, Var) else None
        own = made is not None and made.fn is operator.ne and made.args[0] == d
        of = self.made.get(d.name) if isinstance(d, Var) else None
        if made and of and (made.fn, made.args[1:]) == (of.fn, of.args[1:]):
            own = True  # the function has been called again with a mask
        if own or (shape is not None and shape == fact(d).shape):
            return mask
        return self.builder.apply(expand, mask, d)

    def _of_where(self, op: Apply) -> Atom | None:
        """`np.where(condition, d, 0)`, or the other way round; or of two cotangents."""
        if len(op.args) != 3:
            return None
        condition, then, orelse = op.args
        if is_zero(orelse):
            return _both(self.builder, condition, self.of(then))
        if is_zero(then):
            selected = self.builder.apply(np.logical_not, condition)
            return _both(self.builder, selected, self.of(orelse))
        return self._of_chosen(condition, self.of(then), self.of(orelse))

    def _of_chosen(
        self, condition: Atom, then: Atom | None, orelse: Atom | None
    ) -> Atom | None:
        """Of one of two cotangents, of which one may be other than 0 wherever it is
        chosen."""
        if then is None and orelse is None:
            return None
        if then is not None and orelse is not None:
            return self._either(then, orelse)
        if orelse is None:
            condition = self.builder.apply(np.logical_not, condition)
        other = then or orelse
        assert other is not None
        if other == Const(value=False):
            return condition
        return self.builder.apply(np.logical_or, condition, other)

    def _either(self, one: Atom | None, other: Atom | None) -> Atom | None:
        if one is None or other is None or other == Const(value=False):
            return None if other is None else one
        if one == Const(value=False) or are_alike(self.builder, one, other):
            return other
        if self._is_opposite(one, other) or self._is_opposite(other, one):
            return None
        return self.builder.apply(np.logical_or, one, other)

    def _is_opposite(self, one: Atom, other: Atom) -> bool:
        """Whether a mask holds where another does not, be they summed or not."""
        first, second = (self.made.get(getattr(m, "name", "")) for m in (one, other))
        if first is None:
            return False
        if first.fn is unbroadcast:
            summed = second is not None and second.fn is unbroadcast
            if not summed or second is None or first.args[1] != second.args[1]:
                return False
            one, other = first.args[0], second.args[0]
            return self._is_opposite(one, other) or self._is_opposite(other, one)
        opposite = first.fn in (np.logical_not, operator.invert)
        return opposite and are_alike(self.builder, first.args[0], other)

    def _of_reduced(self, op: Apply) -> Atom | None:
        """The cotangent of a reduction, spread over what was reduced."""
        if not info(op.fn).spreads:
            return None
        given = _bound(op.fn, op)
        before = self.of(op.args[0])
        axis, kept = given.get("axis"), given.get("keepdims", Const(False))
        if before is not None and axis not in (None, Const(None)):
            if kept == Const(False):
                before = self._as_wide(before, op.args[0])
                before = self.builder.apply(np.expand_dims, before, axis)
        where = given.get("where", Const(True))
        return _both(self.builder, None if where == Const(True) else where, before)


def _both(builder: Builder, one: Atom | None, other: Atom | None) -> Atom | None:
    if one is None or other is None or are_alike(builder, one, other):
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
