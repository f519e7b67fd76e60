"""`get_lapack_funcs(("potrf",), (a,))` -> the routines for the types of the arrays.

In: a call of `scipy.linalg.get_lapack_funcs` or `get_blas_funcs` in a function that is
lowered. Out: the routines as constants, which have their rules by their own names.
SciPy itself says which they are, of arrays of the same types.

>>> from scipy.linalg import get_blas_funcs, inv
>>> is_asking(get_blas_funcs), is_asking(inv)
(True, False)
"""

from __future__ import annotations

import sys
from typing import Any, Final

import numpy as np

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component
from yota_ast.frontend.expressions.items_and_truth import ItemsAndTruth
from yota_ast.frontend.heap.lowered_values import NULL, Cell, TupleValue, Value
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Const
from yota_ast.support import public_names

ASKING: Final = ("get_lapack_funcs", "get_blas_funcs")
PARAMETERS: Final = ("names", "arrays", "dtype", "ilp64")


def is_asking(fn: Any) -> bool:
    """Whether a function gives routines for the types of arrays."""
    linalg = sys.modules.get("scipy.linalg")
    return any(getattr(linalg, name, NULL) is fn for name in ASKING)


def routines_asked_for(
    lowering: Component, fn: Any, args: Args, kwargs: Kwargs
) -> Value | None:
    """The routines that such a call gives; None where it is none."""
    if not is_asking(fn):
        return None
    given = dict(zip(PARAMETERS, args, strict=False)) | dict(kwargs)
    arrays = _like(lowering, given.pop("arrays", TupleValue(())))
    known = {k: _known(lowering, v) for k, v in given.items()}
    told = {k: v.value for k, v in known.items() if v is not None}
    if arrays is None or len(told) < len(given):
        Position.of(lowering).refuse_call(
            f"which routines `{fn.__name__}` gives is not known here",
            "Call the routine by its name: scipy.linalg.lapack.dpotrf(a).",
        )
    try:
        found = fn(arrays=arrays, **told)
    except (ValueError, TypeError, RuntimeError) as error:
        Position.of(lowering).refuse_call(
            f"`{fn.__name__}` fails: {error}", "Correct the call."
        )
    if not isinstance(found, list):
        return _routine(found)
    items = dict(enumerate(map(_routine, found)))
    return Cells.of(lowering).new_cell(Cell("list", items, list))


def _routine(fn: Any) -> Const:
    return Const(fn, *public_names.spelled(fn))


def _known(lowering: Component, value: Value) -> Const | None:
    """A constant, or one of several in a list; None where one is unknown."""
    if isinstance(value, Const):
        return value
    known = ValueAssumptions.of(lowering).known_value(value)
    if known is not None:
        return known
    items = ItemsAndTruth.of(lowering).sequence_items(value)
    if items is None:
        return None
    parts = [_known(lowering, item) for item in items]
    told = [part.value for part in parts if part is not None]
    return Const(told) if len(told) == len(parts) else None


def _like(lowering: Component, arrays: Value) -> list[Any] | None:
    """Arrays of the types of those that are given; None where one is unknown."""
    items = ItemsAndTruth.of(lowering).sequence_items(arrays)
    facts = [Operations.of(lowering).fact(item) for item in items or ()]
    if items is None or any(f.kind != "array" or f.dtype is None for f in facts):
        return None
    if facts:
        ValueAssumptions.of(lowering).depend_on_types()
    return [np.empty((1, 1), f.dtype) for f in facts]
