"""What a method such as __float__ gives -> what the builtin that calls it makes of it.

`float(x)` is a plain float, `len(x)` an int and `k in x` a bool, whatever the class of
x gives of those kinds; of another kind Python takes none, and raises.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from yota_ast.frontend.expressions.folding import type_of
from yota_ast.frontend.heap.lowered_values import Value
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const
from yota_ast.ops.spellings import method_of

TAKEN: Final[dict[Any, tuple[type, ...]]] = {
    float: (float,),
    int: (int,),
    complex: (complex,),
    len: (int, np.integer),
    bool: (bool, np.bool_),
}
"""Of which classes a builtin takes what a special method gives it."""


def converted(lowering: Any, fn: Any, owner: Value, result: Value) -> Value:
    """What a builtin makes of the value that a method of an object gives it."""
    if fn not in TAKEN or lowering.ended:
        return result
    fact: Fact = lowering.fact(result)
    given, made = type_of(fact), _made(fn)
    if given is not None and not issubclass(given, TAKEN[fn]):
        text = f"{method_of(fn)} returned non-{made.__name__}"
        return _refused(lowering, fn, owner, TypeError, text)
    known: Any = result.value if isinstance(result, Const) else 0
    if fn is len and known < 0:
        text = "__len__() should return >= 0"
        return _refused(lowering, fn, owner, ValueError, text)
    if given is made or fn is bool:  # whose value is tested, no more
        return result
    converter = Const(made, made.__name__, "builtins")
    value: Value = lowering.call(converter, (result,))
    return value


def truth_as_bool(lowering: Any, result: Value) -> Value:
    """The bool that `in` makes of what __contains__ gives."""
    test: Any = lowering.truth(result)
    if isinstance(test, bool):
        return Const(test)
    if type_of(lowering.fact(test)) is bool:
        known: Value = test
        return known
    value: Value = lowering.call(Const(bool, "bool", "builtins"), (test,))
    return value


def _refused(
    lowering: Any, fn: Any, owner: Value, error: type[Exception], text: str
) -> Value:
    """A value that Python does not take: in a `try` that is no mistake."""
    if not lowering.tries:
        cls = lowering.class_of(owner) or object
        lowering.refuse_call(
            f"`{method_of(fn)}` of {cls.__name__} returns a value that "
            f"`{fn.__name__}` does not accept",
            f"Return a plain {_made(fn).__name__}.",
        )
    failed: Value = lowering.failing(error, text)
    return failed


def _made(fn: Any) -> type:
    """Of which class the builtin's value is."""
    cls: type = int if fn is len else fn
    return cls
