"""sum, max, all and the like, of known items -> values."""

from __future__ import annotations

import enum
import operator
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Final

from yota_ast.frontend.desugar import function_models
from yota_ast.frontend.heap.lowered_values import (
    TupleValue,
    Value,
)
from yota_ast.frontend.library.type_questions import (
    Args,
    Kwargs,
    TypeQuestions,
)
from yota_ast.ir.abstract_values import (
    BOOL,
)
from yota_ast.ir.atoms import Atom, Const, Var

COMPENSATES: Final = sys.version_info >= (3, 12)
"""Whether `sum` of Python's floats keeps what each addition loses."""


_MAY_BE_FLOATS: Final = ("float", "real")


class Reductions(TypeQuestions):
    """Reductions of known items."""

    def builtin_sum(self, args: Args, kwargs: Kwargs) -> Value | None:
        """sum(xs): added one after the other, as Python does."""
        named = dict(kwargs)
        start = args[1] if len(args) > 1 else named.get("start", Const(0))
        items = self.virtual_items(args[0])
        if items is None:
            return None
        floats = [v for v in (start, *items) if self.fact(v).kind in _MAY_BE_FLOATS]
        if COMPENSATES and len(floats) > 2 and self.are_numbers((start, *items)):
            given = [self.atom(TupleValue(items))]
            given += [] if start == Const(0) else [self.atom(start)]
            return self.apply(sum, given)
        total = start
        for item in items:
            total = self.operate(operator.add, total, item)
        return total

    def are_numbers(self, values: Iterable[Value]) -> bool:
        """Whether values are numbers, or may be."""
        kinds = (*_MAY_BE_FLOATS, "int", "bool", "scalar")
        return all(
            isinstance(v, (Var, Const)) and self.fact(v).kind in kinds for v in values
        )

    def virtual_items(self, value: Value) -> tuple[Value, ...] | None:
        """The items of what exists in the lowering alone."""
        of_class = isinstance(value, Const) and isinstance(value.value, enum.EnumMeta)
        if isinstance(value, (Var, Const)) and not of_class:
            return None
        return self.items_of(value)

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
        known = [self.known_value(v) for v in items]
        named = dict(kwargs)
        if all(k is not None for k in known) and not named and known:
            return Const(fn(k.value for k in known if k is not None))
        if "key" in named:
            return None  # see ordering.py
        if not items:  # without a default Python raises, where it stands
            return named.get("default")
        if len(items) == 1:
            return items[0]
        if len(args) == 1 or any(not isinstance(v, (Var, Const)) for v in items):
            atoms = [self.atom(v) for v in items]
            return self.apply(fn, atoms)
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
            test = self.truth(item)
            if test is decisive and not atoms:
                return Const(decisive)
            if test is decisive or not isinstance(test, bool):
                atoms.append(Const(test) if isinstance(test, bool) else test)
        if not atoms:
            return Const(not decisive)
        built = self.atom(TupleValue(tuple(atoms)))
        return self.apply(any if decisive else all, (built,), fact=BOOL)

    def builtin_reduce(self, args: Args, kwargs: Kwargs) -> Value | None:
        """functools.reduce(f, xs[, start])."""
        known = self.items_of(self.run_through(args[1]))
        if known is None and self.fixed is None:
            model = (
                function_models.reduced
                if len(args) == 2
                else function_models.reduced_from
            )
            return self.call(Const(model, model.__name__), args)
        items = list(self.known_items(args[1], self.node))
        if len(args) == 3:
            items.insert(0, args[2])
        if not items:
            self.refuse_call(
                "`reduce` has no items and no initial value",
                "Give `reduce` an initial value.",
            )
        total = items[0]
        for item in items[1:]:
            total = self.call(args[0], (total, item))
        return total
