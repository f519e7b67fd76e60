"""A cotangent that `np.where` lets through -> masked on the way out of the arm.

Masking the cotangent on the way into an arm is not enough: 0 times an infinite slope is
nan. So an elementwise op whose cotangent is `np.where(c, d, 0)` is reversed with d, and
the mask goes on what comes out: `np.where(c, d / (2 * y), 0)`. The op after it, if it
is elementwise too, takes the mask off again, and so there is one mask, after the last.

Where the unselected arm stands on the edge of the function's domain, on which the
function itself does not warn, the operand is sheltered as well: `np.where(c, y, 1)`.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from ..build import Builder
from ..ops import info
from ..ops.algebra import TERMS, is_quotient
from ..records import dataclass
from ..runtime import unbroadcast
from ..tape import Apply, Atom, Const, Var
from .scope import fact_of_end as fact

ZERO: Final = Const(0)
DEEP: Final = 4
"""How far products and sums are followed to what may be infinite."""


@dataclass(frozen=True, slots=True)
class Mask:
    """`np.where(condition, d, 0)`, or, where `first` is false, the other arm."""

    condition: Atom
    first: bool

    def on(self, builder: Builder, value: Atom, other: Atom = ZERO) -> Var:
        """The value where the arm is selected."""
        pair = (value, other) if self.first else (other, value)
        return builder.apply(np.where, self.condition, *pair)


def unmasked(builder: Builder, d: Atom) -> tuple[tuple[Mask, ...], Atom]:
    """The masks on a cotangent, outermost first, and what is under them."""
    masks: list[Mask] = []
    while (found := _mask(builder, d)) is not None:
        mask, d = found
        masks.append(mask)
    return tuple(masks), d


def masked(
    builder: Builder, masks: Sequence[Mask], value: Atom, other: Atom = ZERO
) -> Atom:
    """A value where all masks select it, else another."""
    for mask in reversed(masks):
        value = mask.on(builder, value, other)
    return value


def _mask(builder: Builder, d: Atom) -> tuple[Mask, Atom] | None:
    """The mask on a cotangent, and what is under it. An elementwise op undoes
    broadcasting anew, after its slope, so that it may be left out before."""
    op = builder.made.get(d.name) if isinstance(d, Var) else None
    if op is not None and op.fn is unbroadcast:
        return _mask(builder, op.args[0])
    if op is not None and op.fn is operator.getitem and op.args[1] == Const(()):
        return _mask(builder, op.args[0])  # the number of an array of no axes
    if op is None or op.fn is not np.where or len(op.args) != 3:
        return None
    if op.args[2] == ZERO:
        return Mask(op.args[0], first=True), op.args[1]
    if op.args[1] == ZERO:
        return Mask(op.args[0], first=False), op.args[2]
    return None


def times_infinite(op: Apply, made: Mapping[str, Apply]) -> bool:
    """Whether an op is a product with a factor that may be infinite where it is not
    selected, as in `(x * np.log(x))[x > 0]`."""
    product = info(op.fn).arithmetic == "product"
    return product and any(may_be_infinite(a, made) for a in op.args)


def is_pole(factor: Atom, made: Mapping[str, Apply]) -> bool:
    """Return whether a factor is a logarithm or the like, or a power below 0."""
    op = made.get(factor.name) if isinstance(factor, Var) else None
    if op is None or is_quotient(op.fn):
        return False
    return may_be_infinite(factor, made, depth=1)


def may_be_infinite(x: Atom, made: Mapping[str, Apply], depth: int = DEEP) -> bool:
    """Return whether a value may be infinite, by the ops that made it."""
    op = made.get(x.name) if isinstance(x, Var) else None
    if op is None or depth == 0:
        return False
    known = info(op.fn)
    if known.arithmetic == "power":
        exponent = op.args[1]
        value = exponent.value if isinstance(exponent, Const) else None
        return not isinstance(value, (int, float)) or value < 0
    if known.arithmetic in ("product", "negative", "same", *TERMS):
        return any(may_be_infinite(a, made, depth - 1) for a in op.args)
    return known.pole


def sheltered(builder: Builder, masks: Sequence[Mask], atom: Atom, fn: object) -> Atom:
    """An operand, or the result, of an op on the edge: away from it where masked."""
    safe = info(fn).safe
    if safe is None or not isinstance(atom, Var) or fact(atom).is_scalar:
        return atom
    return masked(builder, masks, atom, Const(safe))
