"""Questions about types of numbers, and about the namespace of an array -> values.

In: what a call is given, of which the types are known.  Out: what NumPy says of them.

>>> sorted(fn.__name__ for fn in DTYPES if fn.__name__.startswith("is"))
['isdtype', 'issubdtype']
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from yota_ast.frontend.components import Component
from yota_ast.frontend.expressions.folding import is_type, type_of
from yota_ast.frontend.expressions.known_in_arm import may_be_here
from yota_ast.frontend.heap.lowered_values import Cell, TupleValue, Value, literal
from yota_ast.frontend.library.builtin_functions import Handler
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.operations import Operations
from yota_ast.ir.atoms import Const
from yota_ast.ir.facts.types_of_floats import told_of_types


def _is_type(const: Const) -> bool:
    """Whether a constant is a type of numbers, or a string that names one."""
    named = isinstance(const.value, str) and literal(const)
    return named or is_type(const.value)


def _of_types(fn: Callable[..., Any]) -> Handler:
    def handler(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
        """np.issubdtype(x.dtype, np.floating), where the types are known."""
        told = None if kwargs else told_of_types(fn, args)
        if told is not None:
            return Const(told)
        if kwargs or not all(isinstance(a, Const) and _is_type(a) for a in args):
            return None
        try:
            return Const(fn(*(a.value for a in args if isinstance(a, Const))))
        except TypeError:  # the text raises it when it runs
            return None

    return handler


def _is_dtype(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """np.isdtype(x.dtype, "real floating"), where both are known."""
    if len(args) != 2 or kwargs:
        return None
    dtype, kinds = args
    parts = kinds.items if isinstance(kinds, TupleValue) else (kinds,)
    told = [told_of_types(np.isdtype, (dtype, p)) for p in parts]
    if None not in told:
        return Const(any(told))
    known: tuple[Any, ...] = tuple(p.value for p in parts if isinstance(p, Const))
    if not isinstance(dtype, Const) or len(known) < len(parts):
        return None
    asked: Any = dtype.value
    try:
        return Const(any(np.isdtype(asked, kind) for kind in known))
    except (TypeError, ValueError):  # the text raises it when it runs
        return None


def _array_namespace(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """x.__array_namespace__() of an array of NumPy."""
    fact = Operations.of(lowering).fact(args[0])
    return Const(np, "np", "numpy") if type_of(fact) is np.ndarray else None


def _namespace_info(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """np.__array_namespace_info__(), which holds nothing that varies."""
    return Const(
        np.__array_namespace_info__(), "np.__array_namespace_info__()", "numpy"
    )


def _dtypes_of_namespace(
    lowering: Component, args: Args, kwargs: Kwargs
) -> Value | None:
    """np.__array_namespace_info__().dtypes(kind="real floating")."""
    known = [a.value for _, a in kwargs if isinstance(a, Const)]
    if len(args) != 1 or len(known) < len(kwargs):
        return None
    given = dict(zip((name for name, _ in kwargs), known, strict=True))
    ask: Any = np.__array_namespace_info__().dtypes
    try:
        found = ask(**given)
    except (TypeError, ValueError):  # the text raises it when it runs
        return None
    items = {name: Const(np.dtype(dtype)) for name, dtype in found.items()}
    return Cells.of(lowering).new_cell(Cell("dict", items, dict))


def _of_each(handler: Handler) -> Handler:
    def of_each(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
        """The answer, where it is the same for all that a branch may have chosen."""
        ways = [may_be_here(lowering, a) for a in args]
        given = itertools.product(*ways)
        found = [handler(lowering, each, kwargs) for each in given]
        same = isinstance(found[0], Const) and found.count(found[0]) == len(found)
        return found[0] if same or len(found) == 1 else None

    return of_each


DTYPES: Final[dict[Any, Handler]] = {
    np.issubdtype: _of_each(_of_types(np.issubdtype)),
    np.isdtype: _of_each(_is_dtype),
    np.ndarray.__array_namespace__: _array_namespace,
    np.__array_namespace_info__: _namespace_info,
    np.__array_namespace_info__.dtypes: _dtypes_of_namespace,
    np.can_cast: _of_types(np.can_cast),
    np.promote_types: _of_types(np.promote_types),
    np.result_type: _of_types(np.result_type),
    np.dtype: _of_each(_of_types(np.dtype)),
}
"""What is done in place of a call of a function."""
