"""A call of what np.vectorize or Numba makes of a function: the function for each
element."""

from __future__ import annotations

import inspect
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from yota_ast.frontend.calls.inlining import Inlining
from yota_ast.frontend.components import Component
from yota_ast.frontend.heap.lowered_values import Value
from yota_ast.frontend.source.numba_functions import (
    for_each_element,
    python_of,
    superseded,
    writes_its_result,
)
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Const

Named = Sequence[tuple[str, Value]]


def called_for_each(
    lowering: Component, fn: Any, args: Sequence[Value], kwargs: Named
) -> Value | None:
    """The value of the call; None where it is no such function, or one with a rule."""
    is_primitive, language = lowering.settings.is_primitive, Language.of(lowering)
    if writes_its_result(fn) and not is_primitive(fn):
        Position.of(lowering).refuse_call(
            f"`{fn.__name__}`, under `numba.guvectorize`, writes into an argument",
            "Call a function that returns its result, in a loop over the rows.",
        )
    compiled = for_each_element(fn)
    if compiled is not None and not is_primitive(fn):
        return _called_in_python(lowering, compiled, args, kwargs)
    if not isinstance(fn, np.vectorize) or is_primitive(fn.pyfunc):
        return None
    if fn.excluded or fn.signature is not None:
        return None
    inner = Const(fn.pyfunc, fn.pyfunc.__name__, fn.pyfunc.__module__)
    made = _vectorized(lowering, inner, fn.otypes)
    return None if made is None else language.call(made, args, kwargs)


def python_of_call(
    lowering: Component, fn: Any, args: Sequence[Value], kwargs: Named
) -> types.FunctionType | None:
    """The function under `numba.njit` that is called with some arguments; None of
    anything else, and of types that change them."""

    def are_whole(name: str) -> bool:
        names = inspect.signature(fn).parameters
        given = dict(zip(names, args, strict=False)) | dict(kwargs)
        known = Operations.of(lowering).fact
        return name in given and known(given[name]).kind == "int"

    return python_of(fn, are_whole)


def _called_in_python(
    lowering: Component, compiled: Any, args: Sequence[Value], kwargs: Named
) -> Value:
    """A call of a function under numba.vectorize; of numbers it is the function."""
    changed = superseded(compiled)
    if changed is not None:
        Position.of(lowering).refuse(*changed)
    fn = compiled.py_func
    Inlining.of(lowering).compiled.add(fn.__code__)
    inner: Value | None = Const(fn, fn.__name__, fn.__module__)
    if not all(Operations.of(lowering).fact(a).is_scalar for a in args):
        inner = _vectorized(lowering, Const(fn, fn.__name__, fn.__module__))
    assert inner is not None
    return Language.of(lowering).call(inner, args, kwargs)


def _vectorized(
    lowering: Component, inner: Value, otypes: Sequence[Any] | None = None
) -> Value | None:
    vectorize = Const(np.vectorize, "np.vectorize", "numpy")
    chars = None if otypes is None else "".join(np.dtype(t).char for t in otypes)
    if chars not in (None, "d", "D"):
        return None
    return Language.of(lowering).call(vectorize, (inner,), (("otypes", Const(chars)),))
