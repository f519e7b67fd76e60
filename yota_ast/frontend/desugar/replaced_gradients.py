"""`replace_grad(x, fn)` -> an op that holds `fn` as a function of the tape.

What `fn` makes of the adjoint stands in the reverse sweep alone: see
`adjoint/replaced_adjoints.py`. There it may print, but not draw or write.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.calls.solved_functions import Own
from yota_ast.frontend.calls.solver_calls import SolverCalls
from yota_ast.frontend.components import Component
from yota_ast.frontend.heap.lowered_values import Closure, Value
from yota_ast.frontend.library.builtin_functions import Handler
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import FLOAT, Fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import Apply
from yota_ast.runtime import replace_grad

_SIGNATURE: Final = inspect.signature(replace_grad)


def _replaced(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """The operand, through the op that has another adjoint."""
    position, operations = Position.of(lowering), Operations.of(lowering)
    try:
        given = _SIGNATURE.bind(*args, **dict(kwargs)).arguments
    except TypeError as error:
        position.refuse_call(f"the arguments do not fit: {error}", "Correct the call.")
    x: Value = given["x"]
    fact = operations.fact(x)
    if not fact.is_numeric:
        position.refuse_call(
            f"`replace_grad` is given a {fact.kind}",
            "Give it an array or a number: each part of a container by itself.",
        )
    if not isinstance(x, Var):
        return x
    closed = _function(lowering, given["fn"], fact)
    return operations.apply(replace_grad, [x, closed], fact=fact)


def _function(lowering: Component, fn: Value, fact: Fact) -> Var:
    """The op that makes a function of the tape of a function of adjoints."""
    own = Own(("d",), (_adjoint(fact),))
    title = _title(fn)

    def body(args: Sequence[Var]) -> Value:
        return Language.of(lowering).call(fn, args)

    calls = SolverCalls.of(lowering)
    function, held = calls.function_of(body, own, title, "`replace_grad`", pure=False)
    if any(isinstance(op, Apply) and op.fn is replace_grad for op in function.block):
        Position.of(lowering).refuse_call(
            f"`{title}`, given to `replace_grad`, calls `replace_grad` itself",
            "Return an adjoint, and nothing else.",
        )
    return calls.closed(function, held, own)


def _title(fn: Value) -> str:
    """What messages call a function."""
    name = fn.name if isinstance(fn, Closure) else ""
    if isinstance(fn, Const):
        name = getattr(fn.value, "__name__", "")
    return "lambda" if not name or "<" in name else name


def _adjoint(fact: Fact) -> Fact:
    """What is known of an adjoint of the same shape."""
    if fact.is_python:
        return FLOAT
    if fact.dtype is not None and fact.dtype.kind != "f":
        return replace(fact, dtype=np.dtype(np.float64))
    return fact


REPLACED: Final[dict[Any, Handler]] = {replace_grad: _replaced}
