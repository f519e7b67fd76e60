"""map, zip, enumerate, range of known items -> their items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, provides, uses
from yota_ast.frontend.expressions.items_and_truth import ItemsAndTruth
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.heap.lowered_values import (
    Lazy,
    TupleValue,
    Value,
)
from yota_ast.frontend.library.type_questions import (
    Args,
)
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Const, Var

FALSE: Final = Const(False)


class LazyIterables(Component):
    """Iterables that are run through at once."""

    language = uses(Language)
    position = uses(Position)
    operations = uses(Operations)
    assumptions = uses(ValueAssumptions)
    known_items = uses(KnownItems)

    @provides(ItemsAndTruth.lazy_items)
    def lazy_items(self, lazy: Lazy) -> tuple[Value, ...] | None:
        """The items of range, zip, enumerate and the like, where known."""
        if lazy.fn is range:
            known = [self.assumptions.known_value(a) for a in lazy.args]
            if any(k is None for k in known):
                return None
            bounds: list[Any] = [k.value for k in known if k is not None]
            if bounds[2:] == [0]:  # which raises
                return None
            return tuple(Const(i) for i in range(*bounds))
        if lazy.fn in (map, filter):
            return self.mapped(lazy)
        parts = lazy.args[: None if lazy.fn is not enumerate else 1]
        found = [self.language.items_of(arg) for arg in parts]
        if any(c is not None and not all(map(self.is_plain_value, c)) for c in found):
            # Functions and strings cannot be run over by the text.
            found = [
                c or self.known_items.rows_of(a) or self.known_items.items_of_table(a)
                for c, a in zip(found, parts, strict=True)
            ]
        columns = [c for c in found if c is not None]
        if len(columns) < len(parts):
            return None
        if lazy.fn is enumerate:
            return self.enumerated(lazy, columns[0])
        if lazy.fn is reversed:
            return columns[0][::-1]
        if lazy.fn is zip:
            if dict(lazy.kwargs).get("strict", FALSE) != FALSE:
                self.check_lengths(columns)
            return tuple(TupleValue(row) for row in zip(*columns, strict=False))
        return None

    def items_shown(self, value: Value) -> tuple[Value, ...] | None:
        """The items of range, zip or enumerate, as many as the example has."""
        if not isinstance(value, Lazy):
            return self.known_items.items_apart(value)
        if value.fn is range:
            ends = [self.number_shown(a) for a in value.args]
            known = [end for end in ends if end is not None]
            if len(known) < len(ends) or known[2:] == [0]:
                return None
            return tuple(Const(i) for i in range(*known))
        if value.fn not in (enumerate, zip, reversed):
            return None
        count = 1 if value.fn is enumerate else None
        columns = [self.items_shown(part) for part in value.args[:count]]
        parts = tuple(TupleValue(c) for c in columns if c is not None)
        if len(parts) < len(columns):
            return None
        rest = value.args[len(parts) :]
        found: tuple[Value, ...] | None = self.lazy_items(
            replace(value, args=(*parts, *rest))
        )
        return found

    def number_shown(self, value: Value) -> int | None:
        """A whole number that is known, or a length of the example."""
        known = self.assumptions.as_given(value)
        if isinstance(known, Const):
            return known.value if isinstance(known.value, int) else None
        dim = value.fact.length if isinstance(value, Var) else None
        return None if dim is None else self.assumptions.length_shown(dim)

    def check_lengths(self, columns: Sequence[Args]) -> None:
        """Refuse zip(..., strict=True) of what is of several lengths."""
        if len({len(column) for column in columns}) > 1:
            self.position.refuse_call(
                "`zip` with `strict` is given arguments of different lengths",
                "Give it arguments of one length.",
            )

    def is_plain_value(self, value: Value) -> bool:
        """Whether a value is a number, or made of numbers."""
        if isinstance(value, TupleValue):
            return all(map(self.is_plain_value, value.items))
        return self.operations.fact(value).is_numeric

    def enumerated(self, lazy: Lazy, items: Args) -> tuple[Value, ...] | None:
        """enumerate(xs, start)."""
        first = dict(lazy.kwargs).get("start", Const(0))
        start = self.assumptions.known_value(
            lazy.args[1] if len(lazy.args) > 1 else first
        )
        if start is None or not isinstance(start.value, int):
            return None
        return tuple(
            TupleValue((Const(start.value + k), item)) for k, item in enumerate(items)
        )

    def mapped(self, lazy: Lazy) -> tuple[Value, ...] | None:
        """map(f, xs), filter(f, xs): run through at once."""
        function, *iterables = lazy.args
        columns = [self.language.items_of(a) for a in iterables]
        if any(c is None for c in columns):
            return None
        rows = list(zip(*(c for c in columns if c is not None), strict=False))
        if lazy.fn is map:
            return tuple(self.language.call(function, row) for row in rows)
        kept = []
        for (item,) in rows:
            none = isinstance(function, Const) and function.value is None
            test = self.language.truth(
                item if none else self.language.call(function, (item,))
            )
            if not isinstance(test, bool):
                return None
            if test:
                kept.append(item)
        return tuple(kept)
