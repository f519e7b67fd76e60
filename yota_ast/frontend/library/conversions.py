"""What a method such as __float__ gives -> what the builtin that calls it makes of it.

`float(x)` is a plain float, `len(x)` an int and `k in x` a bool, whatever the class of
x gives of those kinds; of another kind Python takes none, and raises.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from yota_ast.frontend.components import Component
from yota_ast.frontend.expressions.folding import type_of
from yota_ast.frontend.heap.lowered_values import Value
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
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


def converted(lowering: Component, fn: Any, owner: Value, result: Value) -> Value:
    """What a builtin makes of the value that a method of an object gives it."""
    if fn not in TAKEN or Blocks.of(lowering).ended:
        return result
    fact: Fact = Operations.of(lowering).fact(result)
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
    return Language.of(lowering).call(converter, (result,))


def truth_as_bool(lowering: Component, result: Value) -> Value:
    """The bool that `in` makes of what __contains__ gives."""
    language = Language.of(lowering)
    test = language.truth(result)
    if isinstance(test, bool):
        return Const(test)
    if type_of(Operations.of(lowering).fact(test)) is bool:
        return test
    return language.call(Const(bool, "bool", "builtins"), (test,))


def _refused(
    lowering: Component, fn: Any, owner: Value, error: type[Exception], text: str
) -> Value:
    """A value that Python does not take: in a `try` that is no mistake."""
    position = Position.of(lowering)
    if not position.tries:
        cls = ObjectChoice.of(lowering).class_of(owner) or object
        position.refuse_call(
            f"`{method_of(fn)}` of {cls.__name__} returns a value that "
            f"`{fn.__name__}` does not accept",
            f"Return a plain {_made(fn).__name__}.",
        )
    return Operations.of(lowering).failing(error, text)


def _made(fn: Any) -> type:
    """Of which class the builtin's value is."""
    cls: type = int if fn is len else fn
    return cls
