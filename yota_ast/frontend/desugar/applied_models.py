"""Calls of functions that call others for each item -> what is done in their place."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from yota_ast.frontend.components import Component
from yota_ast.frontend.desugar.applied_functions import (
    MADE_OBJECTS,
    OTYPES,
    VECTORIZED,
    AppliedFunctions,
    made_objects,
    vectorized,
)
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Lazy,
    Partial,
    Value,
)
from yota_ast.frontend.library.builtin_functions import Handler
from yota_ast.frontend.library.effectful_iterators import EffectfulIterators
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const
from yota_ast.ops.dtypes.python_dtypes import OF_PYTHON
from yota_ast.runtime import strided


def _vectorize(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """np.vectorize(f): what is called for every element."""
    named = dict(kwargs)
    if "excluded" in named or "signature" in named or len(args) != 1:
        return None
    if named.get("otypes", NULL) == NULL:
        return Partial(VECTORIZED, tuple(args), ())
    dtype = _type_of_results(lowering, named["otypes"])
    if dtype is None:
        return None
    return Partial(VECTORIZED, tuple(args), ((OTYPES, Const(dtype)),))


def _type_of_results(lowering: Component, otypes: Value) -> type | None:
    """The type of the one result that `otypes` of np.vectorize names: `[float]`."""
    text = isinstance(otypes, Const) and type(otypes.value) is str
    items = (otypes,) if text else Language.of(lowering).items_of(otypes) or ()
    if len(items) != 1 or not isinstance(items[0], Const):
        return None
    named: Any = items[0].value
    try:
        dtype = np.dtype(named)
    except TypeError:
        return None
    return next((t for t in (float, complex) if dtype == t), None)


def _ndenumerate(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """np.ndenumerate(x): run through where it is looped over."""
    return Lazy(np.ndenumerate, tuple(args), tuple(kwargs))


def _call_vectorized(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    with EffectfulIterators.of(lowering).changing_nothing(
        "the function given to np.vectorize changes something, and NumPy "
        "calls it twice for the first element",
        "Write a loop instead.",
    ):
        made: Value = AppliedFunctions.of(lowering).vectorized(
            args[0], args[1:], kwargs
        )
    return made


def _frompyfunc(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """np.frompyfunc(f, n, 1): what is called for every element."""
    if len(args) != 3 or kwargs or args[2] != Const(1):
        return None
    return Partial(MADE_OBJECTS, tuple(args[:1]), ())


def _call_made_objects(lowering: Component, args: Args, kwargs: Kwargs) -> Value:
    return AppliedFunctions.of(lowering).made_objects(args[0], args[1:], kwargs)


def _along_axis(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    if len(args) < 3:
        return None
    return AppliedFunctions.of(lowering).along_axis(args, kwargs)


def _piecewise(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    if len(args) < 3:
        return None
    return AppliedFunctions.of(lowering).piecewise(args, kwargs)


def _fromiter(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """np.fromiter(items, dtype): np.array of the list of items."""
    named = dict(kwargs)
    dtype = args[1] if len(args) > 1 else named.get("dtype")
    if dtype is None or len(args) > 2 or set(named) - {"dtype"}:
        return None
    items = Language.of(lowering).run_through(args[0])
    return AppliedFunctions.of(lowering).numpy_call("array", items, dtype=dtype)


def _fromfunction(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """np.fromfunction(f, shape): f of the indices."""
    language = Language.of(lowering)
    if len(args) != 2 or kwargs:
        return None
    items = language.items_of(args[1])
    if items is None:
        return None
    made = AppliedFunctions.of(lowering).numpy_call(
        "indices", args[1], dtype=Const(float, "float", "builtins")
    )
    grids = [language.subscript(made, Const(k)) for k in range(len(items))]
    return language.call(args[0], tuple(grids))


def _tolist(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """x.tolist(): Python numbers in a list."""
    x = args[0]
    fact: Fact = Operations.of(lowering).fact(x)
    kind = fact.dtype.kind if fact.dtype is not None else ""
    number = OF_PYTHON.get(kind)
    if number is None or number is complex or fact.rank not in (0, 1, 2):
        return None
    # `int(v)` has no derivative, where one is asked for.
    form = "{}.item()" if number is int else f"{number.__name__}({{}})"
    text = {
        0: form.format("x"),
        1: f"[{form.format('v')} for v in x]",
        2: f"[[{form.format('v')} for v in row] for row in x]",
    }[fact.rank]
    return AppliedFunctions.of(lowering).python(text, x=x)


def _as_strided(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """as_strided(x, shape, strides): it names elements by bytes, and so the code asks
    where those of x stand."""
    named = dict(zip(("x", "shape", "strides"), args, strict=False)) | dict(kwargs)
    plain = not set(named) - {"x", "shape", "strides", "writeable"}
    if len(args) > 3 or not plain or len(named.keys() - {"writeable"}) < 3:
        Position.of(lowering).refuse_call(
            "as_strided is given other arguments than an array, a shape and strides",
            "Write as_strided(x, shape, strides), or use sliding_window_view.",
        )
    x = named["x"]
    if Operations.of(lowering).fact(x).kind != "array":
        x = AppliedFunctions.of(lowering).numpy_call("asarray", x)
    language = Language.of(lowering)
    given = (x, language.attribute(x, "strides"), named["shape"], named["strides"])
    return language.call(Const(strided, "strided"), given)


def _ndarray(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """np.ndarray(shape, dtype): np.empty(shape, dtype), without a buffer, which it
    would share."""
    named = dict(kwargs)
    if len(args) <= 2 and not set(named) - {"shape", "dtype", "order"}:
        return AppliedFunctions.of(lowering).numpy_call("empty", *args, **named)
    if len(args) > 2 or "buffer" in named:
        Position.of(lowering).refuse_call(
            "np.ndarray shares the memory of its buffer, which is not supported",
            "Use a slice, reshape or view of the array.",
        )
    return None


APPLIED: Final[dict[Any, Handler]] = {
    np.ndarray: _ndarray,
    np.frompyfunc: _frompyfunc,
    made_objects: _call_made_objects,
    np.vectorize: _vectorize,
    vectorized: _call_vectorized,
    np.apply_along_axis: _along_axis,
    np.piecewise: _piecewise,
    np.fromiter: _fromiter,
    np.fromfunction: _fromfunction,
    np.ndarray.tolist: _tolist,
    np.ndenumerate: _ndenumerate,
    np.lib.stride_tricks.as_strided: _as_strided,
}
"""What is done in place of a call of a function."""
