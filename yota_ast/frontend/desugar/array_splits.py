"""`np.split(y, 2)` -> the parts as slices of y: `[y[:m], y[m:]]`.

The call stays as it is where nobody writes into y or into a part. Where somebody does,
each part has to be known as the view that it is, so that what is written in one name is
seen by the others: lowering begins again, with this call in mind.
"""

from __future__ import annotations

import operator
from typing import Final

import numpy as np

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component
from yota_ast.frontend.desugar import function_models
from yota_ast.frontend.heap.lowered_values import Cell, SliceValue, TupleValue, Value
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.ir.atoms import Const

NONE: Final = Const(None)
ALL: Final = Const(slice(None))
MOST: Final = 64
"""Into so many parts an array is cut by name."""


def parts_of(
    lowering: Component, fn: object, args: tuple[Value, ...], named: dict[str, Value]
) -> Value | None:
    """The list of the parts of an array, as views of it; None where it is not known
    how many there are, or along which axis."""
    names = ("ary", "indices_or_sections", "axis")
    given = {**dict(zip(names, args, strict=False)), **named}
    array, sections = given.get("ary"), given.get("indices_or_sections")
    if (
        array is None
        or sections is None
        or Operations.of(lowering).fact(array).kind != "array"
    ):
        return None
    axis = _axis(lowering, fn, array, given.get("axis", Const(0)))
    if axis is None:
        return None
    bounds = _bounds(lowering, fn, array, sections, axis)
    if bounds is None or len(bounds) > MOST:
        return None
    before = (ALL,) * axis if axis >= 0 else (Const(...),)
    after = (ALL,) * (-1 - axis) if axis < 0 else ()
    parts = []
    for start, stop in zip((NONE, *bounds), (*bounds, NONE), strict=True):
        part: Value = SliceValue(start, stop, NONE)
        if before or after:
            part = TupleValue((*before, part, *after))
        parts.append(Language.of(lowering).subscript(array, part))
    return Cells.of(lowering).new_cell(Cell("list", dict(enumerate(parts)), list))


def _axis(lowering: Component, fn: object, array: Value, given: Value) -> int | None:
    """The axis along which a function splits."""
    if fn in (np.vsplit, np.dsplit):
        return 0 if fn is np.vsplit else 2
    if fn is np.hsplit:
        rank = Operations.of(lowering).fact(array).rank
        return None if not rank else int(rank > 1)
    known = ValueAssumptions.of(lowering).known_value(given)
    if known is None or type(known.value) is not int:
        return None
    axis: int = known.value
    return axis


def _bounds(
    lowering: Component, fn: object, array: Value, sections: Value, axis: int
) -> tuple[Value, ...] | None:
    """Where the parts begin, but the first."""
    operations = Operations.of(lowering)
    language = Language.of(lowering)
    if operations.fact(sections).kind in ("list", "tuple"):
        items: tuple[Value, ...] | None = language.items_of(sections)
        whole = items is not None and all(
            operations.fact(i).kind == "int" for i in items
        )
        return items if whole else None
    known = ValueAssumptions.of(lowering).known_value(sections)
    if known is None or type(known.value) is not int or not 0 < known.value <= MOST:
        return None
    size = language.subscript(language.attribute(array, "shape"), Const(axis))
    if fn is np.array_split:
        bound = Const(function_models.bound_of_part, "bound_of_part")
        count = range(1, known.value)
        return tuple(language.call(bound, (size, known, Const(k))) for k in count)
    each = language.call(Const(function_models.equal_part, "equal_part"), (size, known))
    times = (
        language.operate(operator.mul, each, Const(k)) for k in range(2, known.value)
    )
    return (each, *times) if known.value > 1 else ()
