"""Cells and globals that hold other data at each call -> parameters of generated code.

>>> def line(slope):
...     return lambda x: slope * x
>>> f = line(2.0)
>>> names = outside_names(f.__code__)
>>> names, content_of(f, names), written_names(f.__code__)
(('slope',), (2.0,), frozenset())
>>> signature = with_captured(inspect.signature(f), ["slope"])
>>> signature, captured_in(signature)
(<Signature (x, *, slope)>, ('slope',))
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterator, Sequence
from types import CodeType, FunctionType
from typing import Final

_WRITES: Final = frozenset(
    ("STORE_DEREF", "DELETE_DEREF", "STORE_GLOBAL", "DELETE_GLOBAL")
)
NOTHING: Final = object()


class Captured(inspect.Parameter):
    """A parameter of generated code that stands for an outside name."""


def captured_in(signature: inspect.Signature | None) -> tuple[str, ...]:
    """Return the parameters that stand for outside names."""
    slots = () if signature is None else signature.parameters.values()
    return tuple(p.name for p in slots if isinstance(p, Captured))


def with_captured(
    signature: inspect.Signature, names: Sequence[str]
) -> inspect.Signature:
    """Return a signature with parameters for outside names, given by name."""
    slots = [*signature.parameters.values()]
    last = [p for p in slots if p.kind is p.VAR_KEYWORD]
    ahead = slots[: len(slots) - len(last)]
    added = [Captured(name, Captured.KEYWORD_ONLY) for name in names]
    return signature.replace(parameters=[*ahead, *added, *last])


def outside_names(code: CodeType) -> tuple[str, ...]:
    """Return the names of the cells, then those that code looks up in its module."""
    own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
    read = dict.fromkeys(name for op, name in _named(code) if op == "LOAD_GLOBAL")
    return (*code.co_freevars, *(name for name in read if name not in own))


def content_of(f: FunctionType, names: Sequence[str]) -> tuple[object, ...] | None:
    """Return what the outside names of a function stand for, `NOTHING` for nothing in
    its module; None where a cell is empty."""
    cells, module = f.__closure__ or (), f.__globals__
    try:
        held = [cell.cell_contents for cell in cells]
    except ValueError:
        return None
    return (*held, *(module.get(name, NOTHING) for name in names[len(held) :]))


def written_names(code: CodeType) -> frozenset[str]:
    """Return the outside names that code may write, and functions inside it."""
    return frozenset(name for op, name in _named(code) if op in _WRITES)


def _named(code: CodeType) -> Iterator[tuple[str, str]]:
    for each in dis.get_instructions(code):
        yield each.opname, str(each.argval)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _named(constant)
