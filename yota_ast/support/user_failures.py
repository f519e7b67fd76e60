r"""An exception of the user's own code -> an error that shows where it was raised.

The place is the innermost that is neither in a library nor in this package.

>>> try:
...     exec(compile("x = 1\ny = x / 0\n", "model.py", "exec"))
... except ZeroDivisionError as error:
...     print(failure(error, "cannot import model"))
model.py:2:5: cannot import model: ZeroDivisionError: division by zero
"""

from __future__ import annotations

import linecache
import traceback

from yota_ast.errors import Location, YotaError
from yota_ast.support.file_owners import is_users


def failure(error: BaseException, what: str, remedy: str = "") -> YotaError:
    """The error that says what has failed, why, and where in the user's code."""
    lines = _message(error).strip().splitlines()
    kind = type(error).__name__
    why = f"{kind}: {lines[0]}" if lines else kind
    return YotaError(f"{what}: {why}", at=place_of(error), remedy=remedy)


def _message(error: BaseException) -> str:
    return error.msg if isinstance(error, SyntaxError) else str(error)


def place_of(error: BaseException) -> Location | None:
    """Where an exception was raised, as far as the user's code tells."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        text = linecache.getline(error.filename, error.lineno) or error.text or ""
        column = max((error.offset or 1) - 1, 0)
        return Location(error.filename, error.lineno, column, None, text.rstrip("\n"))
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__)
        if is_users(frame.filename) and frame.lineno
    ]  # fmt: skip
    if not frames:
        return None
    last = frames[-1]
    text = linecache.getline(last.filename, last.lineno or 0).rstrip("\n")
    one_line = last.end_lineno == last.lineno
    return Location(
        last.filename, last.lineno or 0, last.colno or 0,
        last.end_colno if one_line else None, text,
    )  # fmt: skip
