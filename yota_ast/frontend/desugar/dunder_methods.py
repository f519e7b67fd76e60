"""`x.__len__()`, `x.__add__(y)`: the methods by which Python does what signs say.

In goes a call of one by its name, on a number, an array or a container; out comes what
the sign would give. `None` says that the call is another, or that it may give
NotImplemented: `(1).__add__(0.5)`.

>>> import operator
>>> BY_NAME["__rsub__"] == (operator.sub, True)
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from yota_ast.frontend.components import Component
from yota_ast.frontend.heap.lowered_values import NULL, Value
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.ir.atoms import Const
from yota_ast.ir.store_changes import PUT
from yota_ast.ops import info
from yota_ast.ops.spellings import NEEDED_METHODS, SPECIAL_METHODS

ALONE: Final = {method: fn for fn, method in NEEDED_METHODS.items()}
BY_NAME: Final[dict[str, tuple[Callable[..., Any], bool]]] = {
    **{names[1]: (fn, True) for fn, names in SPECIAL_METHODS.items() if names[1]},
    **{names[0]: (fn, False) for fn, names in SPECIAL_METHODS.items()},
}
"""The operator, and whether the owner is its second operand."""
_OF_ARRAYS: Final = ("array", "scalar")


def by_its_sign(
    lowering: Component, owner: Value, name: str, args: Sequence[Value]
) -> Value | None:
    """owner.__name__(...)."""
    language = Language.of(lowering)
    if name in ALONE and not args:
        fn = ALONE[name]
        return language.call(Const(fn, fn.__name__, "builtins"), (owner,))
    if name == "__setitem__" and len(args) == 2:
        language.store(owner, args[0], args[1], PUT)
        return NULL
    if name == "__getitem__" and len(args) == 1:
        return language.subscript(owner, args[0])
    if name not in BY_NAME:
        return None
    fn, turned = BY_NAME[name]
    operands = (owner, *args)
    reflected = SPECIAL_METHODS[fn][1]
    if not reflected and len(operands) == info(fn).takes[0]:
        return language.operate(fn, *operands)
    if len(args) != 1 or not _understood(*map(Operations.of(lowering).fact, operands)):
        return None
    return language.operate(fn, *(operands[::-1] if turned else operands))


def _understood(owner: Any, other: Any) -> bool:
    """Whether the method surely gives a number or an array."""
    if owner.kind in _OF_ARRAYS:
        return bool(other.is_numeric)
    return owner.kind == "float" and other.kind in ("float", "int", "bool")
