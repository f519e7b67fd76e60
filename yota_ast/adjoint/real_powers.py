"""The cotangent of a size, or a part, of a number -> the same, for real numbers alone.

Python's `(-2.0) ** 0.5` is complex. Where that is seen nothing is to be done: what
follows is complex too, or raises. But `abs(z)` and `z.real` are real again, with other
slopes than those of a real number: the text raises there.
"""

from __future__ import annotations

import operator
from typing import Final

import numpy as np

from ..build import Builder
from ..facts import Fact
from ..runtime import of_real
from ..tape import Apply, Atom, Const, Var
from .signs import Makers, never_negative

_SIZES: Final = (abs, np.absolute, np.real, np.imag, np.conj, np.angle)
"""What takes complex numbers for what they are, and gives real ones."""
_ARITHMETIC: Final = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.neg,
    operator.pos, operator.pow,
)  # fmt: skip
_DEEPEST: Final = 12


def for_real_powers(builder: Builder, op: Apply, dy: Atom, made_by: Makers) -> Atom:
    """The cotangent of an op, by way of a check where its operand may be complex."""
    if op.fn not in _SIZES or not may_be_complex(op.args[0], made_by):
        return dy
    return builder.apply(of_real, dy, op.args[0], fact=_fact(dy))


def _fact(dy: Atom) -> Fact | None:
    return dy.fact if isinstance(dy, Var) else None


def may_be_complex(atom: Atom, made_by: Makers, depth: int = _DEEPEST) -> bool:
    """Whether a value may be a power of one of Python's negative numbers, or computed
    from such."""
    if not isinstance(atom, Var) or atom.fact.kind not in ("float", "real"):
        return False
    op = made_by(atom.name)
    if op is None or depth == 0 or op.fn not in _ARITHMETIC or atom.fact.is_complex:
        return False
    if op.fn is operator.pow and _is_fraction(op.args[1]):
        if not never_negative(op.args[0], made_by):
            return True
    return any(may_be_complex(a, made_by, depth - 1) for a in op.args)


def _is_fraction(exponent: Atom) -> bool:
    """Whether an exponent may be something else than a whole number."""
    if isinstance(exponent, Const):
        value = exponent.value
        return isinstance(value, float) and not value.is_integer()
    return exponent.fact.kind in ("float", "real")
