"""An op -> whether computing it again costs less than keeping its result."""

from __future__ import annotations

import math
import operator

import numpy as np

from ..ops.spelling import SIGN_OF
from ..tape import BUILDERS, Apply, Var

_ALWAYS = frozenset(
    {
        operator.add, operator.sub, operator.mul, operator.neg, operator.pos,
        operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
        operator.is_, operator.is_not, operator.not_, operator.and_, operator.or_,
        operator.contains, np.transpose, np.shape, np.ndim, np.size, len, range,
        np.add, np.subtract, np.multiply, np.negative, getattr, np.isnan,
        *BUILDERS,
    }
)  # fmt: skip
_SCALARS = frozenset(
    {
        operator.truediv, operator.floordiv, operator.mod, operator.pow, abs, float,
        int, *(f for f in vars(math).values() if callable(f)),
    }
)  # fmt: skip
"""Cheap where the result is a scalar: one C call on a number."""


def is_cheap(op: Apply) -> bool:
    """Whether an op is a view, a single sum or product, or arithmetic on scalars."""
    if op.effect:
        return False
    if op.fn in _ALWAYS:
        return True
    if op.fn is operator.getitem:  # an index array copies, everything else is a view
        return all(not isinstance(a, Var) or _plain_index(a) for a in op.args[1:])
    return op.fn in _SCALARS and op.out.fact.is_scalar


def is_arithmetic(op: Apply) -> bool:
    """Whether an op is an operator: the text repeats it sooner than it names it."""
    return is_cheap(op) and (op.fn in SIGN_OF or op.fn is operator.getitem)


def _plain_index(index: Var) -> bool:
    return index.fact.kind in ("int", "other", "tuple", "str") or (
        index.fact.kind == "scalar"
    )
