"""Functions that end where their slope is infinite -> adjoints with slope 0 there.

At the edge of its domain a function of what can be differentiated at all stands still:
`np.sqrt(u)` where `u` is 0 is differentiable only where 0 is the least value of `u`, so
that the slope is 0 in the end, though the chain rule says 0 times infinity, or infinite
parts that cancel. The usual text keeps the infinite slope, for `np.sqrt(x)` at 0 has
it; a text for a point where that ends in nan says `bounded(d / (2 * y), d)`.

>>> is_steep(math.sqrt), is_steep(np.exp), is_steep(operator.truediv)
(True, False, False)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Final

import numpy as np

from ..build import Builder
from ..libraries import public_path
from ..runtime import bounded, unused
from ..tape import Apply, Atom
from .instantiate import Value

_POWERS: Final = (operator.pow, np.power, np.float_power, math.pow, pow)
_STEEP: Final[frozenset[Callable[..., object]]] = frozenset([
    np.sqrt, np.log, np.log2, np.log10, np.log1p, np.arcsin, np.arccos, np.arccosh,
    np.arctanh, math.sqrt, math.log, math.log2, math.log10, math.log1p, math.asin,
    math.acos, math.acosh, math.atanh, math.lgamma, *_POWERS,
])  # fmt: skip
_SUMS: Final = (operator.add, operator.sub, operator.neg, np.add, np.subtract)
_STEEP_IN_SCIPY: Final = frozenset(
    """gammaln loggamma betaln xlogy xlog1py entr rel_entr kl_div logit ndtri erfinv
    erfcinv ellipk ellipkm1""".split()
)


def is_steep(fn: Callable[..., object]) -> bool:
    """Whether the slope of a function may be infinite where the function ends."""
    if fn in _STEEP:
        return True
    path = public_path(fn)
    return path is not None and path[1] in _STEEP_IN_SCIPY


def within_bounds(builder: Builder, op: Apply, d: Value, dy: Atom) -> Value:
    """The adjoint `d` of an operand of an elementwise op, 0 where nothing but the slope
    is infinite; a power that is infinite itself, as `x**-1` is, does not end there."""
    if isinstance(d, tuple):
        return d
    if is_steep(op.fn):
        return builder.apply(bounded, d, dy, *([op.out] if op.fn in _POWERS else []))
    return d if op.fn in _SUMS else builder.apply(unused, d, op.out)
