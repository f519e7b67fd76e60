"""What arithmetic costs, how it rounds, whether it gives numbers for no axes.

>>> import operator
>>> from yota_ast.ops.registry import info
>>> info(operator.add).cost, info(math.exp).cost, info(np.exp).cost
('little', 'little for numbers', 'unknown')
>>> gives_number(np.exp), gives_number(np.sum), gives_number(np.full_like)
(True, True, False)
"""

from __future__ import annotations

import math

import numpy as np

from yota_ast.ir.built_values import BUILDERS
from yota_ast.ops.registry import info, named, state
from yota_ast.ops.spellings import as_ufunc, operators

_OF_MATH = frozenset(f for f in vars(math).values() if callable(f))
"""The functions of `math`: one C call on numbers, and a number."""

state(
    *operators(
        "add sub mul neg pos lt le gt ge eq ne is_ is_not not_ and_ or_ contains"
    ),
    *named("numpy", "transpose shape ndim size add subtract multiply negative isnan"),
    *BUILDERS,
    *named("builtins", "len range getattr"),
    cost="little",
)
state(
    *operators("truediv floordiv mod pow"),
    *named("builtins", "abs float int"),
    *_OF_MATH,
    cost="little for numbers",
)
state(
    *_OF_MATH,
    *named("builtins", "float int complex len"),
    *named("numpy", "sum vdot dot inner trace mean prod max min std var median"),
    gives_number=True,
)
state(
    *named("builtins", "abs min max len round int bool"),
    *named("numpy", "abs sign minimum maximum size ndim shape argmax argmin"),
    *named("math", "floor ceil gcd"),
    bounded=True,
)

state(
    *operators("add sub mul truediv floordiv mod pow matmul neg pos abs lt le gt ge"),
    *named("builtins", "abs float int complex pow"),
    *(_OF_MATH - {math.perm}),  # of which the second may be None
    refuses_none=True,
)
state(
    *named("numpy", "equal not_equal logical_and logical_or logical_not"),
    takes_none=True,
)
state(
    *named("builtins", "abs bool chr divmod float int len ord pow repr round str"),
    pure=True,
)
state(
    *named(
        "numpy",
        "absolute add ceil conjugate copysign divide fabs floor floor_divide fmax fmin"
        " fmod heaviside maximum minimum multiply negative positive reciprocal"
        " remainder rint sign sqrt square subtract trunc",
    ),
    exact=True,
)


def is_arithmetic(fn: object) -> bool:
    """Whether a function is an operator or a ufunc, or one of `math`.

    >>> is_arithmetic(math.sin), is_arithmetic(np.sin), is_arithmetic(np.sum)
    (True, True, False)
    """
    return isinstance(as_ufunc(fn), np.ufunc) or fn in _OF_MATH


def gives_number(fn: object) -> bool:
    """Whether a function gives a number, and no array, for arrays without axes."""
    return isinstance(as_ufunc(fn), np.ufunc) or info(fn).gives_number
