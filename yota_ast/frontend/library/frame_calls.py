"""Calls that look at the names of the function in which they stand: refused.

The text has other names, in a module of its own, and what is read so would not count
towards the derivative.
"""

from __future__ import annotations

import builtins
import inspect
import sys
from typing import Any, Final

from yota_ast.errors import UnsupportedCall
from yota_ast.frontend.calls.opaque_calls import OpaqueCalls
from yota_ast.frontend.components import Component
from yota_ast.frontend.heap.lowered_values import Value
from yota_ast.frontend.library.builtin_functions import Handler
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.position import Position


def _refused(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    name = OpaqueCalls.of(lowering).called_name()
    raise UnsupportedCall(
        f"`{name}` reads names of variables, which differ in generated code",
        at=Position.of(lowering).location(),
        remedy="Use the variables by their names.",
    ).of_frames()


def _refused_alone(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """dir(); of an object it is a call like others."""
    return None if args else _refused(lowering, args, kwargs)


def _vars(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """vars(x), which is `x.__dict__`."""
    if not args:
        return _refused(lowering, args, kwargs)
    return Language.of(lowering).attribute(args[0], "__dict__")


FRAMES: Final[dict[Any, Handler]] = {
    eval: _refused,
    builtins.exec: _refused,
    locals: _refused,
    globals: _refused,
    vars: _vars,
    dir: _refused_alone,
    sys._getframe: _refused,
    inspect.currentframe: _refused,
    inspect.stack: _refused,
}
