"""sum, max, all and the like, of known items -> values."""

from __future__ import annotations

import enum
import operator
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Final

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, uses
from yota_ast.frontend.desugar import function_models
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.heap.lowered_values import (
    TupleValue,
    Value,
)
from yota_ast.frontend.library.type_questions import (
    Args,
    Kwargs,
)
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import (
    BOOL,
)
from yota_ast.ir.atoms import Atom, Const, Var

COMPENSATES: Final = sys.version_info >= (3, 12)
"""Whether `sum` of Python's floats keeps what each addition loses."""


_MAY_BE_FLOATS: Final = ("float", "real")


class BuiltinReductions(Component):
    """Reductions of known items."""

    language = uses(Language)
    position = uses(Position)
    operations = uses(Operations)
    assumptions = uses(ValueAssumptions)
    known_items = uses(KnownItems)

    def builtin_sum(self, args: Args, kwargs: Kwargs) -> Value | None:
        """sum(xs): added one after the other, as Python does."""
        named = dict(kwargs)
        start = args[1] if len(args) > 1 else named.get("start", Const(0))
        items = self.virtual_items(args[0])
        if items is None:
            return None
        floats = [
            v for v in (start, *items) if self.operations.fact(v).kind in _MAY_BE_FLOATS
        ]
        if COMPENSATES and len(floats) > 2 and self.are_numbers((start, *items)):
            given = [self.language.atom(TupleValue(items))]
            given += [] if start == Const(0) else [self.language.atom(start)]
            return self.operations.apply(sum, given)
        total = start
        for item in items:
            total = self.language.operate(operator.add, total, item)
        return total

    def are_numbers(self, values: Iterable[Value]) -> bool:
        """Whether values are numbers, or may be."""
        kinds = (*_MAY_BE_FLOATS, "int", "bool", "scalar")
        return all(
            isinstance(v, (Var, Const)) and self.operations.fact(v).kind in kinds
            for v in values
        )

    def virtual_items(self, value: Value) -> tuple[Value, ...] | None:
        """The items of what exists in the lowering alone."""
        of_class = isinstance(value, Const) and isinstance(value.value, enum.EnumMeta)
        if isinstance(value, (Var, Const)) and not of_class:
            return None
        return self.language.items_of(value)

    def builtin_max(self, args: Args, kwargs: Kwargs) -> Value | None:
        """max(a, b): the first of the largest."""
        return self.extreme(max, operator.gt, args, kwargs)

    def builtin_min(self, args: Args, kwargs: Kwargs) -> Value | None:
        """min(a, b): the first of the smallest."""
        return self.extreme(min, operator.lt, args, kwargs)

    def extreme(self, fn: Any, better: Any, args: Args, kwargs: Kwargs) -> Value | None:
        """The extreme of literals, of the items of a container, or of arguments."""
        items: Sequence[Value] | None = args
        if len(args) == 1:
            items = self.virtual_items(args[0])
        if items is None:
            return None
        known = [self.assumptions.known_value(v) for v in items]
        named = dict(kwargs)
        if all(k is not None for k in known) and not named and known:
            return Const(fn(k.value for k in known if k is not None))
        if "key" in named:
            return None  # see sorted_items.py
        if not items:  # without a default Python raises, where it stands
            return named.get("default")
        if len(items) == 1:
            return items[0]
        if len(args) == 1 or any(not isinstance(v, (Var, Const)) for v in items):
            atoms = [self.language.atom(v) for v in items]
            return self.operations.apply(fn, atoms)
        return None

    def builtin_all(self, args: Args, kwargs: Kwargs) -> Value | None:
        """all(xs)."""
        return self.quantified(args[0], decisive=False)

    def builtin_any(self, args: Args, kwargs: Kwargs) -> Value | None:
        """any(xs)."""
        return self.quantified(args[0], decisive=True)

    def quantified(self, value: Value, *, decisive: bool) -> Value | None:
        """Whether all, or any, of the items of a virtual container are true."""
        items = self.virtual_items(value)
        if items is None:
            return None
        atoms: list[Atom] = []
        for item in items:
            test = self.language.truth(item)
            if test is decisive and not atoms:
                return Const(decisive)
            if test is decisive or not isinstance(test, bool):
                atoms.append(Const(test) if isinstance(test, bool) else test)
        if not atoms:
            return Const(not decisive)
        built = self.language.atom(TupleValue(tuple(atoms)))
        return self.operations.apply(any if decisive else all, (built,), fact=BOOL)

    def builtin_reduce(self, args: Args, kwargs: Kwargs) -> Value | None:
        """functools.reduce(f, xs[, start])."""
        known = self.language.items_of(self.language.run_through(args[1]))
        if known is None and self.assumptions.fixed is None:
            model = (
                function_models.reduced
                if len(args) == 2
                else function_models.reduced_from
            )
            return self.language.call(Const(model, model.__name__), args)
        items = list(self.known_items.known_items(args[1], self.position.node))
        if len(args) == 3:
            items.insert(0, args[2])
        if not items:
            self.position.refuse_call(
                "`reduce` has no items and no initial value",
                "Give `reduce` an initial value.",
            )
        total = items[0]
        for item in items[1:]:
            total = self.language.call(args[0], (total, item))
        return total
