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
from collections.abc import Sequence
from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.adjoint.reverse.contributions import fact_of_end as fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder
from yota_ast.ops import info
from yota_ast.runtime import unbroadcast

ZERO: Final = Const(0)


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


def sheltered(builder: Builder, masks: Sequence[Mask], atom: Atom, fn: object) -> Atom:
    """An operand, or the result, of an op on the edge: away from it where masked."""
    safe = info(fn).safe
    if safe is None or not isinstance(atom, Var) or fact(atom).is_scalar:
        return atom
    return masked(builder, masks, atom, Const(safe))
