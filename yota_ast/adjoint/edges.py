"""Functions that end where their slope is infinite -> adjoints with slope 0 there.

At the edge of its domain a function of what can be differentiated at all stands still:
`np.sqrt(u)` where `u` is 0 is differentiable only where 0 is the least value of `u`, so
that the slope is 0 in the end, though the chain rule says 0 times infinity, or infinite
parts that cancel. The usual text keeps the infinite slope, for `np.sqrt(x)` at 0 has
it; a text for a point where that ends in nan says `bounded(d / (2 * y), d)`.

What such a text gives is not told for what it is: `np.sqrt(x)**2` has slope 1 at 0.
`yota_ast.nearby` compares it with what the text gives at points nearby.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from ..build import Builder
from ..ops import info
from ..ops.spelling import spelled
from ..runtime import bounded, unused
from ..tape import Apply, Atom
from .instantiate import Value

_POWERS: Final = (*spelled("pow"), np.float_power, math.pow, pow)
_SUMS: Final = spelled("add sub neg")


def at_edges(builder: Builder, op: Apply, d: Value, dy: Atom) -> Value:
    """The adjoint `d` of an operand of an elementwise op, with slope 0 where nothing
    but the slope is infinite; a power that is infinite itself, as `x**-1` is, does not
    end there."""
    if isinstance(d, tuple) or op.fn in _SUMS:
        return d
    if info(op.fn).steep:
        ends: list[Atom] = [op.out] if op.fn in _POWERS else []
        return builder.apply(bounded, d, dy, *ends)
    return builder.apply(unused, d, op.out)
