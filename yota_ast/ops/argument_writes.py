"""Functions that change the memory of an argument.

>>> writes(np.copyto), writes(np.add.at), writes(np.sort)
((0,), (0,), ())
>>> result_parameters(np.median)
(2, ('out', 'overwrite_input', 'keepdims'))
"""

from __future__ import annotations

import inspect
from typing import Any, Final

import numpy as np

from yota_ast.ops.registry import info, named, state

_NAMES: Final = ("out", "output")
"""What NumPy and scipy.ndimage call the array that a result is written into."""


def writes(fn: object) -> tuple[int, ...]:
    """The positions of the arguments that a call of a function writes into."""
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, np.ufunc) and getattr(fn, "__name__", "") == "at":
        return (0,)
    return info(fn).writes


def result_parameters(fn: Any) -> tuple[int, tuple[str, ...]] | None:
    """Where a function takes the array that it writes its result into, and the names of
    that parameter and of those behind it; None where it takes it by name alone."""
    stated = info(fn).result_at
    if stated >= 0:
        return stated, ("out",)
    home = getattr(fn, "__module__", None) or ""
    if home.partition(".")[0] not in ("numpy", "scipy") and not _is_of_ufunc(fn):
        return None
    try:
        parameters = inspect.signature(fn).parameters
    except (TypeError, ValueError):
        return None
    wanted = ("copy",) if fn is np.nan_to_num else _NAMES
    later = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
    names = [name for name, p in parameters.items() if p.kind not in later]
    at = next((k for k, name in enumerate(names) if name in wanted), None)
    return None if at is None else (at, tuple(names[at:]))


def takes_result(fn: object) -> bool:
    """Whether a function can be told by `out=` where to write its result.

    >>> takes_result(np.add), takes_result(np.where), takes_result(np.cumsum)
    (True, False, True)
    """
    if isinstance(fn, np.ufunc):
        return True
    found = result_parameters(fn)
    return found is not None and "out" in found[1]


def _is_of_ufunc(fn: object) -> bool:
    """Whether a function is np.add.reduce or one like it."""
    return isinstance(getattr(fn, "__self__", None), np.ufunc)


state(
    *named("numpy", "copyto put place putmask fill_diagonal put_along_axis"),
    *named("numpy.random", "shuffle"),
    *named(
        "numpy.ndarray",
        "byteswap fill itemset partition put resize setfield setflags sort",
    ),
    writes=(0,),
)

# C functions, which have signatures from NumPy 2.4 on.
state(*named("numpy", "dot concatenate"), result_at=2)
