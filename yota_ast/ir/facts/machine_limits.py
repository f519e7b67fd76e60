"""`np.finfo(float).eps` -> the type of the number; `np.dtype("f4")` -> which dtype.

>>> import numpy as np
>>> limits = Var("limits", fact_of_limits(np.finfo, [Const(float)]))
>>> fact_of_limits(getattr, [limits, Const("eps")])
float64
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from yota_ast.ir.abstract_values import Fact, fact_of
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.facts.types_of_floats import dtype_fact

_LIMITS: Final = (np.finfo, np.iinfo)


def fact_of_dtype(fn: Callable[..., Any], args: Sequence[Atom]) -> Fact | None:
    """What is known of a dtype that is made of a literal, or of another; None of all
    else.

    >>> fact_of_dtype(np.dtype, [Const("f4")]).element.dtype
    dtype('float32')
    """
    if fn is not np.dtype or len(args) != 1:
        return None
    dtype = _dtype_of(np.dtype, args[0])
    return dtype and dtype_fact(dtype)


def fact_of_limits(fn: Callable[..., Any], args: Sequence[Atom]) -> Fact | None:
    """What is known of the limits of a dtype, or of one of them; None of all else."""
    if fn in _LIMITS and len(args) == 1:
        dtype = _dtype_of(fn, args[0])
        return dtype and Fact("other", cls=fn, element=Fact("array", dtype))
    if fn is not getattr or len(args) != 2 or not isinstance(args[0], Var):
        return None
    known, name = args[0].fact, args[1]
    if known.cls not in _LIMITS or known.element is None or not isinstance(name, Const):
        return None
    limits: Any = known.cls
    try:
        value = getattr(limits(known.element.dtype), str(name.value), None)
    except ValueError:  # `np.iinfo` of floats, in an arm that does not run for them
        return None
    return fact_of(value) if isinstance(value, (int, np.generic)) else None


def _dtype_of(fn: Any, given: Atom) -> np.dtype | None:
    if isinstance(given, Var):
        element = given.fact.element if given.fact.cls is np.dtype else None
        return None if element is None else element.dtype
    if fn is np.dtype and not isinstance(given.value, (str, type, np.dtype)):
        return None
    try:
        made = fn(given.value)
        found: np.dtype = made if fn is np.dtype else made.dtype
    except (TypeError, ValueError):  # the function itself raises it
        return None
    return found
