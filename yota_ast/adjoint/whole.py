"""A value of the forward sweep -> whether it may hold whole numbers in another call.

A text that was made with floats is given arrays of bytes as well, and there `-u` is not
the number with the other sign: that of 3 is 253.

>>> from ..facts import FLOAT
>>> from ..tape import Var
>>> u, half, more = Var("u", FLOAT), Var("h", FLOAT), Var("m", FLOAT)
>>> made = {
...     "h": Apply(half, operator.truediv, (u, Const(2))),
...     "m": Apply(more, operator.add, (u, Const(2))),
... }
>>> may_be_whole(half, made.get), may_be_whole(more, made.get)
(False, True)
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from typing import Final

import numpy as np

from ..tape import Apply, Atom, Const

Makers = Callable[[str], Apply | None]
_DEEPEST: Final = 12
_ARITHMETIC: Final = frozenset({
    operator.add, operator.sub, operator.mul, operator.pow, np.add, np.subtract,
    np.multiply,
})  # fmt: skip
"""What gives floats of a float and a whole number."""
_FLOATS: Final = frozenset({
    operator.truediv, np.divide, float, np.sqrt, np.exp, np.log, np.sin, np.cos,
    np.tan, np.tanh, np.sinh, np.cosh, np.arctan, np.arcsin, np.arccos, np.arctan2,
    np.log1p, np.expm1, np.log2, np.log10, np.hypot, np.mean, np.std, np.var,
    np.linalg.norm, np.linalg.solve, np.linalg.inv, np.linalg.det,
    builtins.complex, np.float64,
})  # fmt: skip
_WHOLE_OF_MATH: Final = frozenset({
    math.floor, math.ceil, math.trunc, math.gcd, math.isqrt, math.comb, math.perm,
    math.factorial, math.prod,
})  # fmt: skip


def may_be_whole(atom: Atom, made_by: Makers, deepest: int = _DEEPEST) -> bool:
    """Whether a value may be made of arguments that hold whole numbers by what keeps
    them such."""
    if isinstance(atom, Const):
        return not isinstance(atom.value, (float, complex, np.inexact))
    op = made_by(atom.name)
    if op is None or deepest == 0:
        return True
    if op.fn in _FLOATS or _is_of_math(op.fn):
        return False
    if op.fn in _ARITHMETIC:
        return all(may_be_whole(a, made_by, deepest - 1) for a in op.args)
    if op.fn is operator.neg or op.fn is operator.getitem:
        return may_be_whole(op.args[0], made_by, deepest - 1)
    return True


def _is_of_math(fn: object) -> bool:
    """Whether a function is one of `math` that gives floats."""
    of_math = getattr(fn, "__module__", None) == "math"
    return of_math and fn not in _WHOLE_OF_MATH
