"""A case and a mode -> "" where it is right, or the message by which it is refused."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from typing import Final

from yota_ast.errors import InternalError, YotaError
from yota_ast.syntax.names import GENERATED

from .case import Case
from .facts import elsewhere, general
from .orders import forward, nested, reverse, second

MODES: Final[dict[str, Callable[[Case], None]]] = {
    "reverse": reverse,
    "forward": forward,
    "second": second,
    "nested": nested,
    "general": general,
    "elsewhere": elsewhere,
}


def outcome(case: Case, mode: str) -> str:
    """What becomes of a case; AssertionError where it is wrong."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            MODES[mode](case)
    except InternalError:
        raise
    except YotaError as error:
        remedy = [error.remedy] if error.remedy else []
        return "\n".join([f"{type(error).__name__}: {error.reason}", *remedy])
    except (ValueError, TypeError, IndexError) as error:
        if not _is_of_generated_code(error):
            raise
        return f"{type(error).__name__}: {error}"
    return ""


def _is_of_generated_code(error: Exception) -> bool:
    """Whether generated code refuses what it is given: by a message of its own, or by
    one of NumPy or Python, which the list shows as it is."""
    frames = traceback.extract_tb(error.__traceback__)
    return any(frame.filename.startswith(GENERATED) for frame in frames)
