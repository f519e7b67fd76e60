"""A gradient and arguments -> what it keeps between its forward and reverse sweeps.

Bytes of the arrays and numbers that the sweeps hold when the reverse begins, without
the arguments and without what the function itself holds when it returns.
"""

import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from yota_ast.syntax.saved_names import before_write


def saved_names(text: str) -> list[str]:
    """What a gradient's text keeps: what it appends to lists, and what it copies."""
    forward = text[: text.index("    # reverse\n")]
    appended = re.findall(r"saved\w*\.append\((.*)\)\n", forward)
    copied = re.findall(rf"^ +(\w+{before_write('')}) = ", forward, flags=re.MULTILINE)
    return [*appended, *(c for c in copied if not any(c in a for a in appended))]


def held(values: list[Any]) -> int:
    """The bytes of the arrays and floats in some values, each array once."""
    memory: dict[int, int] = {}
    numbers = 0
    queue = list(values)
    while queue:
        value = queue.pop()
        if isinstance(value, list | tuple):
            queue += value
        elif isinstance(value, np.ndarray) and value.ndim:
            base = value
            while isinstance(base.base, np.ndarray):
                base = base.base
            memory[id(base)] = base.nbytes
        elif isinstance(value, float | np.floating | np.ndarray):
            numbers += 8
    return sum(memory.values()) + numbers


def at_line(
    fn: Callable[..., Any], args: tuple[Any, ...], first: int, look: Callable[..., None]
) -> None:
    """Run fn; have `look` see its locals when it first comes to a line from `first`."""
    code = fn.__code__

    def tracer(frame: Any, event: str, _: Any) -> Any:
        if frame.f_code is not code:
            return None
        if event == "line" and frame.f_lineno >= first and not seen:
            seen.append(True)
            look(frame.f_locals)
        return tracer

    seen: list[bool] = []
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        fn(*args)
    finally:
        sys.settrace(before)


def lasting(fn: Callable[..., Any], args: tuple[Any, ...]) -> list[Any]:
    """The locals of a function when it returns."""
    code, found = fn.__code__, []

    def tracer(frame: Any, event: str, _: Any) -> Any:
        if frame.f_code is not code:
            return None
        if event == "return":
            found.extend(frame.f_locals.values())
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        fn(*args)
    finally:
        sys.settrace(before)
    return found


def kept(gradient: Any, fn: Callable[..., Any], args: tuple[Any, ...]) -> int:
    """The bytes that a gradient keeps beyond what the function itself holds."""
    lines = gradient.source.splitlines()
    first = lines.index("    # reverse") + 1
    found: list[int] = []
    inputs = {id(a) for a in args}

    def look(local: dict[str, Any]) -> None:
        known = ("seed", "val")  # the cotangent, and the value that is returned
        mine = [v for k, v in local.items() if id(v) not in inputs and k not in known]
        found.append(held(mine))

    at_line(gradient.fn, args, first, look)
    own = [v for v in lasting(fn, args) if id(v) not in inputs]
    return found[0] - held(own)
