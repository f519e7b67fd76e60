"""Functions whose adjoints, one after the other, overflow -> one adjoint that does not.

`log(1 + exp(z))`, `log1p(exp(z))`, `1 / (1 + exp(z))` and `log(sum(exp(z)))`: the slope
of the whole is at most 1, that of the parts is infinity times zero where exp(z) is
infinite. So the outer function is reversed through to z at once; what else reads
exp(z) is reversed as always.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Final

import numpy as np

from ..build import Builder
from ..rules.rule import BOOK
from ..runtime import unsum
from ..tape import Apply, Atom, Const, Var

ONE: Final = Const(1)
LARGE: Final = Const(1e30)
"""Beyond it 1 + t is t, for every float that can hold it."""
LOWEST: Final = Const(-math.inf)
MAXIMA: Final = (np.max, np.amax, np.maximum)

Makers = Mapping[str, Apply]


def at_once(
    builder: Builder, made: Makers, op: Apply, dy: Atom
) -> tuple[Var, Atom] | None:
    """The operand that an op is reversed through to, and its adjoint; None where the op
    is reversed by its rule alone. made: the ops of the forward sweep."""
    if op.fn is np.log1p:
        e = _exponential(made, op.args[0])
        return None if e is None else (_operand(e), _share(builder, e.out, dy))
    if op.fn is np.log:
        e = _one_more(made, op.args[0])
        if e is not None:
            return _operand(e), _share(builder, e.out, dy)
        return _log_of_sum(builder, made, op, dy)
    return None


def under_one_more(
    builder: Builder, made: Makers, op: Apply, dy: Atom
) -> tuple[Var, Atom] | None:
    """The same through the denominator of `u / (1 + exp(z))`."""
    if op.fn not in (operator.truediv, np.divide) or len(op.args) != 2:
        return None
    e = _one_more(made, op.args[1])
    if e is None:
        return None
    if _is_one(op.args[0]):  # the logistic function: y * (1 - y)
        less = builder.apply(operator.sub, ONE, op.out)
        slope = builder.apply(operator.mul, op.out, less)
        slope = builder.apply(operator.mul, dy, slope)
    else:
        slope = builder.apply(operator.mul, dy, op.out)
        slope = _share(builder, e.out, slope)
    slope = builder.apply(operator.neg, slope)
    return _operand(e), slope


def _operand(e: Apply) -> Var:
    z = e.args[0]
    assert isinstance(z, Var)
    return z


def _exponential(made: Makers, atom: Atom) -> Apply | None:
    """The op that made an atom, if it is `np.exp(z)` of real numbers."""
    op = made.get(atom.name) if isinstance(atom, Var) else None
    if op is None or op.fn is not np.exp or op.kwargs or len(op.args) != 1:
        return None
    known = op.out.fact
    if known.is_complex or not isinstance(op.args[0], Var):
        return None
    return op if known.dtype is not None and known.dtype.kind == "f" else None


def _one_more(made: Makers, atom: Atom) -> Apply | None:
    """The op `np.exp(z)` where an atom is `1 + np.exp(z)`."""
    op = made.get(atom.name) if isinstance(atom, Var) else None
    if op is None or op.fn not in (operator.add, np.add) or len(op.args) != 2:
        return None
    for one, other in (op.args, op.args[::-1]):
        if _is_one(one):
            return _exponential(made, other)
    return None


def _is_one(atom: Atom) -> bool:
    return atom in (Const(1), Const(1.0))


def _share(builder: Builder, e: Var, dy: Atom) -> Var:
    """`dy * e / (1 + e)`, e infinite or not."""
    t = builder.apply(np.minimum, e, LARGE, fact=e.fact)
    part = builder.apply(operator.truediv, dy, builder.apply(operator.add, ONE, t))
    return builder.apply(operator.mul, part, t)


def _log_of_sum(
    builder: Builder, made: Makers, op: Apply, dy: Atom
) -> tuple[Var, Atom] | None:
    """`log(sum(exp(z)))`: softmax, with the largest subtracted first."""
    total = op.args[0]
    summed = made.get(total.name) if isinstance(total, Var) else None
    if summed is None or summed.fn is not np.sum:
        return None
    e = _exponential(made, summed.args[0])
    if e is None or _shifted(made, _operand(e)):
        return None
    bound = BOOK.choose(summed.fn, summed.args, summed.kwargs, None)
    if bound is None or set(bound.arguments) - {"x", "axis", "keepdims"}:
        return None
    z, axis, kept = _operand(e), bound.arguments["axis"], bound.arguments["keepdims"]
    if not isinstance(axis, Const) or not isinstance(kept, Const):
        return None
    along = () if axis.value is None else (("axis", axis), ("keepdims", Const(True)))
    top = builder.apply(np.max, z, kwargs=(*along, ("initial", LOWEST)))
    t = builder.apply(np.exp, builder.apply(operator.sub, z, top))
    share = builder.apply(operator.truediv, t, builder.apply(np.sum, t, kwargs=along))
    spread = builder.apply(unsum, dy, z, kwargs=(("axis", axis), ("keepdims", kept)))
    return z, builder.apply(operator.mul, spread, share)


def _shifted(made: Makers, z: Var) -> bool:
    """Whether the largest has been subtracted already."""
    op = made.get(z.name)
    if op is None or op.fn not in (operator.sub, np.subtract):
        return False
    other = op.args[1]
    while isinstance(other, Var) and (inner := made.get(other.name)) is not None:
        if inner.fn in MAXIMA:
            return True
        other = inner.args[0] if inner.args else None  # type: ignore[assignment]
    return False
