"""A public function -> the same, whose errors show the user's frames alone.

An error that leaves a public function loses the frames of this package, so that its
traceback ends where the user's code called it. The environment variable
`YOTA_AST_TRACEBACK=full` keeps them, and an `InternalError` always does.

>>> import traceback
>>> import yota_ast as ya
>>> try:
...     ya.grad(print, 1.0)
... except ya.YotaError as error:
...     [frame.name for frame in traceback.extract_tb(error.__traceback__)]
['<module>']
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Final, TypeVar, cast

from yota_ast.support.file_owners import is_ours, is_standard

F = TypeVar("F", bound=Callable[..., Any])
VARIABLE: Final = "YOTA_AST_TRACEBACK"


def public(fn: F) -> F:
    """A function of this package that users call."""

    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return fn(*args, **kwargs)
        except Exception as error:
            trim(error)
            raise  # without an expression: Python adds no entry of this frame

    # The examples of a docstring are found by the module, which these globals tell.
    return cast("F", functools.wraps(fn)(run))


def trim(error: Exception) -> None:
    """Take the frames of this package out of the traceback of an error."""
    # Modules that decorate a function load this one, and nothing that takes long.
    from yota_ast.errors import InternalError, YotaError

    if os.environ.get(VARIABLE) == "full" or isinstance(error, InternalError):
        return
    if isinstance(error, YotaError):
        error.__cause__, error.__suppress_context__ = None, True
        error.__traceback__ = _without(error.__traceback__, _is_machinery)
    elif not _is_defect(error.__traceback__):
        error.__traceback__ = _without(error.__traceback__, is_ours)


def calling_frame() -> FrameType:
    """The frame of the user's code that has called a public function."""
    frame = sys._getframe(1)
    while is_ours(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _is_machinery(filename: str) -> bool:
    """Whether a file is of this package, or of Python, by which it calls itself."""
    return is_ours(filename) or is_standard(filename)


def _is_defect(tb: TracebackType | None) -> bool:
    """Whether an error arose in this package, where no `raise` states it."""
    if tb is None:
        return False
    import opcode

    while tb.tb_next is not None:
        tb = tb.tb_next
    code = tb.tb_frame.f_code
    return (
        is_ours(code.co_filename)
        and code.co_code[tb.tb_lasti] != opcode.opmap["RAISE_VARARGS"]
    )


def _without(
    tb: TracebackType | None, hidden: Callable[[str], bool]
) -> TracebackType | None:
    """A traceback without the entries of some files."""
    kept = []
    while tb is not None:
        if not hidden(tb.tb_frame.f_code.co_filename):
            kept.append(tb)
        tb = tb.tb_next
    found = None
    for one in reversed(kept):
        found = TracebackType(found, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return found
