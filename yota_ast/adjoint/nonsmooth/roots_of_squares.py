"""Roots of sums of squares -> adjoints that are 0 where the root is.

`np.sqrt(x * x)` is `abs(x)`, and `np.sqrt(np.sum(x**2))` the norm: at 0 their slope is
0 by convention, though the chain rule says 0 times infinity. The root of a square is
differentiated as the absolute value that it is (`stable`); the slope of the root of a
sum of squares is that where the root is 1, where it is 0: a finite number, by which
zeros are multiplied.

A root of which this is not known keeps its slope: that of `np.sqrt(x)` is infinite at
0, and that of `np.sqrt(x) ** 2` is 1 there, which no formula of its parts tells.
"""

from __future__ import annotations

import operator
from typing import Final

from yota_ast.adjoint.nonsmooth.vanishing_slopes import Vanishing
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import Apply
from yota_ast.ops import info

_ROUNDED: Final = 1e-9


def exponent_of(op: Apply) -> float | None:
    """Return p where an op is `u**p` with 0 < p < 1."""
    known = info(op.fn)
    found: object = known.exponent
    power = known.arithmetic == "power" and len(op.args) == 2
    if power and isinstance(op.args[1], Const):
        found = op.args[1].value
    return found if isinstance(found, float) and 0 < found < 1 else None


def is_norm(within: Vanishing, op: Apply) -> bool:
    """Return whether an op is a root whose slope is bounded where it is 0, and 0 by
    convention."""
    p = exponent_of(op)
    if p is None or op.out.fact.is_complex:
        return False
    u = within.of(op.args[0])
    if u.positive or u.order == 0:
        return False
    return u.order * p > 1 + _ROUNDED or (u.even and u.order * p > 1 - _ROUNDED)


def away_from_zero(builder: Builder, atom: Atom) -> Var:
    """Add `atom + (atom == 0)`, which is 1 where the atom is 0."""
    zero = builder.apply(operator.eq, atom, Const(0))
    known = atom.fact if isinstance(atom, Var) else None
    return builder.apply(operator.add, atom, zero, fact=known)
