"""`str(c)`, `repr(c)`, `f"{c}"` of an object made in the function -> its own method.

An object that lowering knows field by field is in no generated code, so that Python
cannot write it down there. What its class defines for that is called as it calls it.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Final

from yota_ast.frontend.components import Component
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.lowered_values import Value
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.ir.abstract_values import STR
from yota_ast.ir.atoms import Const, Var

_EMPTY: Final = Const("")


def written(lowering: Component, value: Value, names: Sequence[str]) -> Value | None:
    """What the first of some methods gives of an object; None where it has none, or is
    written by Python in the generated code."""
    kinds = ValueKinds.of(lowering)
    if not kinds.is_object(value):
        return None
    methods = (kinds.special_method(value, name) for name in names)
    method = next((m for m in methods if m is not None), None)
    return None if method is None else Language.of(lowering).call(method, (value,))


def as_printed(lowering: Component, value: Value) -> Value:
    """What `print` is to be given for a value."""
    made = written(lowering, value, ("__str__", "__repr__"))
    return value if made is None else made


def _str(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """str(s) of a string is that string; of a parameter it never changes."""
    if len(args) != 1 or kwargs:
        return None
    if isinstance(args[0], Const) and isinstance(args[0].value, inspect.Parameter):
        return Const(str(args[0].value))
    if Operations.of(lowering).fact(args[0]).kind == "str":
        return args[0]
    made = written(lowering, args[0], ("__str__", "__repr__"))
    return _text(lowering, str, args[0]) if made is None else made


def _text(lowering: Component, fn: Any, value: Value) -> Value | None:
    """str(x) and repr(x) of what the run alone knows: strings, whatever it is."""
    if not isinstance(value, Var):
        return None
    atom = Language.of(lowering).atom(value)
    return Operations.of(lowering).apply(fn, (atom,), fact=STR)


def _repr(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """repr(c)."""
    if len(args) != 1 or kwargs:
        return None
    made = written(lowering, args[0], ("__repr__",))
    return _text(lowering, repr, args[0]) if made is None else made


def _format(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """format(c, spec)."""
    if not 1 <= len(args) <= 2 or kwargs:
        return None
    language, value = Language.of(lowering), args[0]
    spec = args[1] if len(args) == 2 else _EMPTY
    kinds = ValueKinds.of(lowering)
    own = kinds.special_method(value, "__format__") if kinds.is_object(value) else None
    if own is not None:
        return language.call(own, (value, spec))
    if spec == _EMPTY:
        value = as_printed(lowering, value)
    return Operations.of(lowering).apply(
        format, (language.atom(value), language.atom(spec)), fact=STR
    )


WRITTEN: Final[dict[Any, Any]] = {str: _str, repr: _repr, format: _format}
