"""A program whose derivative misses something -> a `DerivativeWarning`, once.

What is made while another program is made, by a transform that is called inside, is
told with it, and each loop and argument once.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from yota_ast.codegen.compile import is_generated
from yota_ast.errors import DerivativeWarning
from yota_ast.ir.tape import Program, Told

_WAITING: Final[ContextVar[dict[Told, str] | None]] = ContextVar("told", default=None)
_MESSAGE: Final = (
    "`{name}`{of} acts in a loop of {function} through comparisons alone{where}. The "
    "derivative with respect to `{name}` is that of the steps, and has no part from "
    "the comparisons. To differentiate what the loop finds, call scipy.optimize.brentq "
    "(a root) or minimize_scalar (a minimum), which are differentiated by the implicit "
    "function theorem."
)


@contextmanager
def telling() -> Iterator[None]:
    """While something is compiled: warn of all that has been noted, at the end."""
    if _WAITING.get() is not None:
        yield
        return
    waiting: dict[Told, str] = {}
    token = _WAITING.set(waiting)
    try:
        yield
    finally:
        _WAITING.reset(token)
    for told, function in waiting.items():
        _warn(told, function)


def note(program: Program) -> None:
    """Note what is to be told of a program, within `telling`."""
    waiting = _WAITING.get()
    for told in program.told:
        generated = told.place is not None and is_generated(told.place.filename)
        if waiting is not None and not generated:  # what has been told before
            name = getattr(program.fn, "__name__", "") or program.name
            waiting.setdefault(told, name)


def message_of(told: Told, function: str) -> str:
    """Return the words of the warning."""
    of = "" if told.name == told.argument else f" of the argument `{told.argument}`"
    where = f", `{told.text}`" if told.text else ""
    return _MESSAGE.format(name=told.name, of=of, function=function, where=where)


def _warn(told: Told, function: str) -> None:
    warning = DerivativeWarning(message_of(told, function), at=told.place)
    if told.place is None:
        warnings.warn(warning, stacklevel=2)
        return
    path, line = told.place.filename, told.place.lineno
    warnings.warn_explicit(warning, DerivativeWarning, path, line)
