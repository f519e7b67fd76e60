"""What Numba makes of a function -> the function, which says the same in Python.

Numba is not imported. A function that is compiled for given types turns its arguments
into these, `int64(int64)` a float into a whole number: it is followed where all of them
are floats of 64 bits, or arrays of such.
"""

from __future__ import annotations

import inspect
import re
import types
from typing import Any, Final

_HOME: Final = "numba."
_PLAIN: Final = re.compile(
    r"none|bool|float64|array\(float64, \d+d, [ACF]\)|UniTuple\(float64 x \d+\)"
)
"""The types that leave floats as they are, in Numba's words."""


def python_of(fn: Any) -> types.FunctionType | None:
    """The function under `numba.njit`; None of anything else.

    >>> python_of(abs) is None
    True
    """
    if not type(fn).__module__.startswith(_HOME):
        return None
    inner = getattr(fn, "py_func", None)
    if not isinstance(inner, types.FunctionType) or _reads_values(inner):
        return None
    if getattr(fn, "_can_compile", False):  # anew for the types that it is given
        return inner
    made = getattr(fn, "nopython_signatures", ())
    if not made or not all(_keeps_floats(signature) for signature in made):
        return None
    return inner


def is_parallel_range(fn: object) -> bool:
    """Whether a function is `numba.prange`, in Python a range."""
    return getattr(fn, "__name__", "") == "prange" and (
        getattr(fn, "__module__", "").startswith(_HOME)
    )


def _reads_values(fn: types.FunctionType) -> bool:
    """Whether a function reads globals or cells that are no functions, classes or
    modules: Numba keeps those as they were when it compiled, and the text would read
    them anew."""
    around = inspect.getclosurevars(fn)
    found = (*around.globals.values(), *around.nonlocals.values())
    return any(
        v is not None and not callable(v) and not isinstance(v, types.ModuleType)
        for v in found
    )


def _keeps_floats(signature: Any) -> bool:
    return all(
        _PLAIN.fullmatch(str(kind)) for kind in (*signature.args, signature.return_type)
    )
