"""`checkpoint(range(n), slots=30)` -> the range, which tells a loop what to keep.

Where no loop runs over it, it is the range alone.
"""

from __future__ import annotations

import inspect
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.frontend.components import Component
from yota_ast.frontend.heap.lowered_values import Lazy, Value
from yota_ast.frontend.library.builtin_functions import Handler
from yota_ast.frontend.library.type_questions import Args, Kwargs
from yota_ast.frontend.state.position import Position
from yota_ast.ir.atoms import Const
from yota_ast.runtime import checkpoint
from yota_ast.syntax.loop_schedules import Schedule

_SIGNATURE: Final = inspect.signature(checkpoint)


def schedule_of(lowering: Component, iterable: Value) -> Schedule | None:
    """Which iterations of a loop over something the reverse sweep is to find saved."""
    if not isinstance(iterable, Lazy):
        return None
    if any(schedule_of(lowering, a) for a in iterable.args):
        Position.of(lowering).refuse(
            "`checkpoint` stands within what the loop runs over",
            "Loop over it: for k in checkpoint(range(n)).",
        )
    return iterable.schedule


def _scheduled(lowering: Component, args: Args, kwargs: Kwargs) -> Value | None:
    """The range, with the schedule."""
    position = Position.of(lowering)
    try:
        given = dict(_SIGNATURE.bind(*args, **dict(kwargs)).arguments)
    except TypeError as error:
        position.refuse_call(f"the arguments do not fit: {error}", "Correct the call.")
    steps = given.pop("steps")
    if not isinstance(steps, Lazy) or steps.fn is not range:
        position.refuse_call(
            "`checkpoint` is not given a range here",
            "Write the range in the call: checkpoint(range(n)).",
        )
    counts = {name: _count(lowering, name, value) for name, value in given.items()}
    try:
        checkpoint(range(0), **counts)
    except ValueError as error:
        position.refuse_call(str(error).partition(": ")[2], "Correct the call.")
    return replace(steps, schedule=Schedule(**counts))


def _count(lowering: Component, name: str, value: Value) -> int | None:
    if isinstance(value, Const) and (value.value is None or type(value.value) is int):
        count: int | None = value.value
        return count
    Position.of(lowering).refuse_call(
        f"`{name}=` of `checkpoint` is computed by the function",
        f"Write a number, or a name of the module: {name}=30.",
    )


CHECKPOINTS: Final[dict[Any, Handler]] = {checkpoint: _scheduled}
