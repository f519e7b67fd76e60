"""The reverse of what is written in place."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from yota_ast.adjoint.inplace.copy_adjoints import Terms, added
from yota_ast.adjoint.inplace.named_parts import is_whole, part_of
from yota_ast.adjoint.reverse.appended_items import Growth, shared_adjoint
from yota_ast.adjoint.reverse.contributions import Scope, adjoint_fact, fact_of_end
from yota_ast.adjoint.reverse.differentiable_arguments import is_open
from yota_ast.adjoint.reverse.primitive_adjoints import ByRules, unspread
from yota_ast.adjoint.reverse.stored_precision import cut, is_cut, widened
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.builder import Builder
from yota_ast.ir.built_values import ALL_BUT_LAST
from yota_ast.ir.facts.joined_facts import element_of
from yota_ast.ir.nodes import Apply, Store, path_length
from yota_ast.ir.store_changes import (
    ADD,
    SUBTRACT,
    AppendItem,
    Update,
    is_repeated,
    operator_of,
)
from yota_ast.runtime import unset, unset_item, unstore, without_last


class Stores(ByRules):
    """The part of the sweep that reverses stores."""

    __slots__ = ()

    def _store(self, op: Store, scope: Scope) -> None:
        if op.out not in self.active:
            return
        if op.out in self.grown:
            self._grow(op, *self.grown[op.out], scope)
            return
        d = scope.pop(op.out)
        if d is None:
            return
        builder = scope.builder
        if not is_whole(op) or op.change not in (ADD, SUBTRACT):
            d = scope.full(d, op.out)
        if _may_be_number(op) and not is_whole(op):
            d = builder.apply(np.asarray, d)
        if isinstance(op.change, AppendItem):
            self._append(op, d, scope)
            return
        fn = operator_of(op.change)
        if fn is not None:
            self._change(op, fn, d, scope)
            return
        terms = added(op, self.made, scope.copies) if scope.copying else None
        if terms is not None and op.target in self.active:
            self._sum(op, terms, d, scope)
            return
        if op.value in self.active and isinstance(op.value, Var):
            part = cut(builder, self.floats, op, self._stored(op, d, builder))
            if is_cut(op.value, op.target):  # an array is given another dtype
                part = scope.full(part, op.out)
            if isinstance(op.change, Update) and op.change.fn is operator.sub:
                part = builder.apply(operator.neg, part)
            part = widened(builder, part, op.value, op.target)
            listed = op.target.fact.kind == op.value.fact.kind == "list"
            if not listed:  # a list that is put into another stays as long as it is
                part = unspread(builder, part, op.value)
            scope.add(op.value, part)
        if op.target in self.active and isinstance(op.target, Var):
            if isinstance(op.change, Update):
                scope.add(op.target, d)
            elif not is_whole(op):
                listed = is_open(op.target) or op.target.fact.kind == "list"
                before = unset_item if listed else unset
                known = adjoint_fact(op.out) if listed else None
                stood = self.parts.get(op.out.name)
                args = (d, op.index) if stood is None else (d, op.index, stood.before)
                scope.add(op.target, builder.apply(before, *args, fact=known))

    def _append(self, op: Store, d: Atom, scope: Scope) -> None:
        """The adjoint of `target.append(value)` and of `target[i].append(value)`."""
        builder, within = scope.builder, path_length(op.target, op.index)
        assert isinstance(op.target, Var)
        if op.value in self.active and isinstance(op.value, Var):
            row = d
            if within and isinstance(d, Var):
                whole = builder.refine(d, adjoint_fact(op.target))
                row = builder.apply(operator.getitem, whole, op.index)
            fact = adjoint_fact(op.value)
            last = builder.apply(operator.getitem, row, Const(-1), fact=fact)
            scope.add(op.value, _as_appended(last, op, builder))
        fn, key = (
            (without_last, op.index) if within else (operator.getitem, ALL_BUT_LAST)
        )
        scope.add(op.target, builder.apply(fn, d, key, fact=op.target.fact))

    def _sum(self, op: Store, terms: Terms, d: Atom, scope: Scope) -> None:
        """The adjoint of `target[index] = target[index] + ...`."""
        part = self._stored(op, d, scope.builder)
        part = cut(scope.builder, self.floats, op, part)
        for sign, term in terms:
            if term in self.active and isinstance(term, Var):
                own = part if sign == 1 else scope.builder.apply(operator.neg, part)
                scope.add(term, unspread(scope.builder, own, term))
        scope.add(op.target, d)

    def _grow(self, op: Store, growth: Growth, d: Atom, scope: Scope) -> None:
        """The adjoint of what an iteration has appended."""
        if op.value not in self.active or not isinstance(op.value, Var):
            return
        part = shared_adjoint(d, scope.builder.made)
        if part is None:
            assert growth.index is not None
            place: Atom = growth.index
            if growth.before:
                place = scope.builder.apply(operator.add, place, Const(growth.before))
            part = scope.builder.apply(
                operator.getitem, d, place, fact=adjoint_fact(op.value)
            )
        scope.add(op.value, _as_appended(part, op, scope.builder))

    def _stored(self, op: Store, d: Atom, builder: Builder) -> Atom:
        """The adjoint of what a store has put: at one place, of the last alone."""
        if is_whole(op):
            return d
        last = op.out.name in self.repeating and not is_repeated(op.change)
        if path_length(op.target, op.index) and isinstance(d, Var):
            d = builder.refine(d, adjoint_fact(op.target))
        return builder.apply(unstore if last else operator.getitem, d, op.index)

    def _change(self, op: Store, fn: Callable[..., Any], d: Atom, scope: Scope) -> None:
        """The adjoint of `target[index] *= value` and the like, by the rule of the
        operator on what stood there."""
        builder = scope.builder
        made = part_of(op, self.parts)
        assert made is not None
        part = cut(builder, self.floats, op, self._stored(op, d, builder))
        if op.target in self.active and not is_whole(op):
            scope.add(op.target, builder.apply(unset, d, op.index))
        part = widened(builder, part, op.value, op.target)
        args = (made.before, op.value)
        self._by_rule(Apply(made.after, fn, args, origin=op.origin), part, scope)


def _may_be_number(op: Store) -> bool:
    """Whether the adjoint of an array that is written may be a NumPy number: it may
    have no axes, and the index names none."""
    if op.target.fact.rank is not None or op.target.fact.kind == "list":
        return op.target.fact.shape == ()
    index = fact_of_atom(op.index)
    return index.kind in ("array", "unknown", "real", "bool")


def _as_appended(part: Atom, op: Store, builder: Builder) -> Atom:
    """The adjoint of what is appended, real where other items make it complex."""
    known = fact_of_end(op.value)
    if known.is_numeric and not known.is_complex and element_of(op.out.fact).is_complex:
        return builder.apply(np.real, part)
    return part
