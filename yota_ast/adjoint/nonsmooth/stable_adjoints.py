"""Functions whose adjoints, one after the other, overflow -> one adjoint that does not.

`log(1 + exp(z))`, `log1p(exp(z))`, `1 / (1 + exp(z))` and `log(sum(exp(z)))`: the slope
of the whole is at most 1, that of the parts is infinity times zero where exp(z) is
infinite. So the outer function is differentiated through to z at once, backwards and
forwards; what else reads exp(z) is differentiated as always. The slopes that stand
here, `t / (1 + t)` with `t = np.minimum(exp(z), 1e30)`, are such functions again, for
they are differentiated in their turn.

So is `np.sqrt(z * z)`, which is abs(z): its slope at 0 is 0, that of its parts 0 times
infinity.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.analysis.dtypes import floats_in_any_call
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import Apply
from yota_ast.ops import info
from yota_ast.rules.notation.rule import BOOK, may_be_complex
from yota_ast.runtime import unsum

ONE: Final = Const(1)
LARGE: Final = Const(1e30)
"""Beyond it 1 + t is t, for every float that can hold it."""
LOWEST: Final = Const(-math.inf)
PYTHONS: Final = Const(float, "float", "builtins")

Makers = Mapping[str, Apply]


@dataclass(frozen=True, slots=True)
class Whole:
    """An op as a function of an operand further back, with a slope that is finite.

    z: that operand. slope: of each element; summed: of a sum, the options of the sum.
    bends: whether two straight parts meet where z is 0.
    """

    z: Var
    slope: Callable[[Builder], Atom]
    summed: tuple[tuple[str, Atom], ...] | None = None
    bends: bool = False

    def adjoint(self, builder: Builder, dy: Atom) -> Atom:
        """Return what a cotangent of the result adds to that of z."""
        if self.summed is not None:
            slope = self.slope(builder)
            dy = builder.apply(unsum, dy, self.z, kwargs=self.summed)
            return builder.apply(operator.mul, dy, slope)
        return builder.apply(operator.mul, dy, self.slope(builder))

    def tangent(self, builder: Builder, dz: Atom) -> Atom:
        """Return the tangent of the result for that of z."""
        d = builder.apply(operator.mul, dz, self.slope(builder))
        if self.summed is None:
            return d
        return builder.apply(np.sum, d, kwargs=self.summed)


def at_once(made: Makers, op: Apply) -> Whole | None:
    """Return the op as a function of an operand further back; None where it is
    differentiated by its rule alone. made: the ops of the forward sweep."""
    if op.fn is np.log1p:
        e = _exponential(made, op.args[0])
        return None if e is None else _softplus(e)
    if op.fn is np.log:
        e = _one_more(made, op.args[0])
        return _log_of_sum(made, op) if e is None else _softplus(e)
    if info(op.fn).arithmetic == "quotient":
        return _share_of_one(made, op)
    if op.fn is np.minimum:
        return _bounded(made, op)
    return _root_of_square(made, op)


def under_one_more(made: Makers, op: Apply) -> Whole | None:
    """Return the same through the denominator of `u / (1 + exp(z))`."""
    if info(op.fn).arithmetic != "quotient" or len(op.args) != 2:
        return None
    e = _one_more(made, op.args[1])
    if e is None:
        return None

    def logistic(builder: Builder) -> Atom:  # y * (1 - y)
        less = builder.apply(operator.sub, ONE, op.out)
        slope = builder.apply(operator.mul, op.out, less)
        return builder.apply(operator.neg, slope)

    def divided(builder: Builder) -> Atom:
        slope = builder.apply(operator.mul, op.out, _share(builder, e.out))
        return builder.apply(operator.neg, slope)

    return Whole(_operand(e), logistic if _is_one(op.args[0]) else divided)


def _softplus(e: Apply) -> Whole:
    """log(1 + exp(z))."""
    return Whole(_operand(e), lambda builder: _share(builder, e.out))


def _share_of_one(made: Makers, op: Apply) -> Whole | None:
    """`t / (1 + t)` where t is exp(z), bounded or not: s * (1 - s)."""
    top, below = op.args
    addition = made.get(below.name) if isinstance(below, Var) else None
    if addition is None or addition.fn not in (operator.add, np.add):
        return None
    e = _bounded_exponential(made, top)
    others = [a for a in addition.args if not _is_one(a)]
    if e is None or len(others) != 1 or len(addition.args) != 2:
        return None
    if others[0] != top and _bounded_exponential(made, others[0]) is not e:
        return None

    def logistic(builder: Builder) -> Atom:
        less = builder.apply(operator.sub, ONE, op.out)
        return builder.apply(operator.mul, op.out, less)

    return Whole(_operand(e), logistic)


def _bounded(made: Makers, op: Apply) -> Whole | None:
    """`minimum(exp(z), bound)`, with a number for bound: 0 where that is less."""
    e = _bounded_exponential(made, op.out)
    if e is None:
        return None

    def slope(builder: Builder) -> Atom:
        bound = op.args[1] if op.args[0] == e.out else op.args[0]
        below = builder.apply(operator.lt, e.out, bound)
        return builder.apply(np.where, below, op.out, Const(0.0))

    return Whole(_operand(e), slope)


def _bounded_exponential(made: Makers, atom: Atom) -> Apply | None:
    """The op `np.exp(z)` that made an atom, or the smaller of it and a number."""
    op = made.get(atom.name) if isinstance(atom, Var) else None
    if op is not None and op.fn is np.minimum and len(op.args) == 2 and not op.kwargs:
        for e, bound in (op.args, op.args[::-1]):
            if bound == LARGE:
                return _exponential(made, e)
    return _exponential(made, atom)


def _operand(e: Apply) -> Var:
    z = e.args[0]
    assert isinstance(z, Var)
    return z


def _exponential(made: Makers, atom: Atom) -> Apply | None:
    """The op that made an atom, if it is `np.exp(z)` of real numbers."""
    op = made.get(atom.name) if isinstance(atom, Var) else None
    if op is None or op.fn is not np.exp or op.kwargs or len(op.args) != 1:
        return None
    if may_be_complex(op.out.fact) or not isinstance(op.args[0], Var):
        return None
    return op


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


def _share(builder: Builder, e: Var) -> Var:
    """`e / (1 + e)`, e infinite or not."""
    t = builder.apply(np.minimum, e, LARGE, fact=e.fact)
    return builder.apply(operator.truediv, t, builder.apply(operator.add, ONE, t))


def _log_of_sum(made: Makers, op: Apply) -> Whole | None:
    """`log(sum(exp(z)))`: softmax, with the largest subtracted first."""
    total = op.args[0]
    summed = made.get(total.name) if isinstance(total, Var) else None
    if summed is None or summed.fn is not np.sum:
        return None
    e = _exponential(made, summed.args[0])
    if e is None or _shifted(made, _operand(e)):
        return None
    bound = BOOK.choose(summed.fn, summed.args, summed.kwargs, summed.origin.location)
    if bound is None or set(bound.arguments) - {"x", "axis", "keepdims"}:
        return None
    z, axis, kept = _operand(e), bound.arguments["axis"], bound.arguments["keepdims"]
    if not isinstance(axis, Const) or not isinstance(kept, Const):
        return None
    along = () if axis.value is None else (("axis", axis), ("keepdims", Const(True)))

    def softmax(builder: Builder) -> Atom:
        held = builder.apply(np.asarray, z, PYTHONS) if _is_whole(made, z) else z
        top = builder.apply(np.max, held, kwargs=(*along, ("initial", LOWEST)))
        t = builder.apply(np.exp, builder.apply(operator.sub, held, top))
        return builder.apply(
            operator.truediv, t, builder.apply(np.sum, t, kwargs=along)
        )

    return Whole(z, softmax, (("axis", axis), ("keepdims", kept)))


def _is_whole(made: Makers, z: Var) -> bool:
    """Whether a value may hold whole numbers, which have none that is infinite. An
    argument that holds floats in the example does in every call."""
    known = z.fact.dtype
    if z.name not in made and known is not None:
        return known.kind in "biu"
    usual = known is None or known.kind in "biu" or known == np.float64
    return usual and not floats_in_any_call(made).of(z)


def _root_of_square(made: Makers, op: Apply) -> Whole | None:
    """`np.sqrt(z * z)` of an array of floats: abs(z)."""
    if op.kwargs or op.out.fact.is_python or _exponent(op) != 1 / 2:
        return None
    square = made.get(op.args[0].name) if isinstance(op.args[0], Var) else None
    z = None if square is None or square.kwargs else _base(square)
    if not isinstance(z, Var) or z.fact.kind not in ("array", "scalar"):
        return None
    if z.fact.dtype is None or z.fact.dtype.kind != "f":
        return None
    return Whole(z, lambda builder: builder.apply(np.sign, z), bends=True)


def _exponent(op: Apply) -> object:
    """The exponent of a power, as far as it is written down."""
    known = info(op.fn)
    if known.arithmetic != "power":
        return known.exponent
    value = op.args[1].value if isinstance(op.args[1], Const) else None
    return value if isinstance(value, (int, float)) else None


def _base(op: Apply) -> Atom | None:
    """What an op is the square of."""
    known = info(op.fn)
    if known.exponent == 2:
        return op.args[0]
    if known.arithmetic == "product" and op.args[0] == op.args[1]:
        return op.args[0]
    square = known.arithmetic == "power" and op.args[1] in (Const(2), Const(2.0))
    return op.args[0] if square else None


def _shifted(made: Makers, z: Var) -> bool:
    """Whether the largest has been subtracted already."""
    op = made.get(z.name)
    if op is None or info(op.fn).arithmetic != "difference":
        return False
    other = op.args[1]
    while isinstance(other, Var) and (inner := made.get(other.name)) is not None:
        if info(inner.fn).largest:
            return True
        other = inner.args[0] if inner.args else None  # type: ignore[assignment]
    return False
