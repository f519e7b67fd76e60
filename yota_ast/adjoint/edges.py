"""Functions that end where their slope is infinite -> adjoints with slope 0 there.

At the edge of its domain a function of what can be differentiated at all stands still:
`np.sqrt(u)` where `u` is 0 is differentiable only where 0 is the least value of `u`, so
that the slope is 0 in the end, though the chain rule says 0 times infinity, or infinite
parts that cancel. The usual text keeps the infinite slope, for `np.sqrt(x)` at 0 has
it; a text for a point where that ends in nan says `bounded(d / (2 * y), d)`.

What such a text gives holds where nothing hangs on the slopes: in `np.sqrt(x)**2` it
does, for 0 times infinity is 1. So a text is also made that marks them: they are
`MARK`, whatever the cotangent, and point away from the edge. Along any way that the
function goes on, no operand leaves its domain; so marks cannot cancel, and a gradient
without one is of something in which all such operands stand still. A weight of 0, that
is, a cotangent that the arguments asked for have no part in, takes its mark away. The
text is run with a seed so small (`FAINT`) that nothing but a mark is large.

What stands still may be too fast: `x**3` is for `u**(1/3)`, and `x**1.5` for
`np.sqrt(u)`. The slope of such a power lets marks through where it is 0, and so do
those of a product of factors that move together, `x * x * x`.

>>> is_steep(math.sqrt), is_steep(np.exp), is_steep(operator.truediv)
(True, False, False)
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from ..build import Builder
from ..libraries import public_path
from ..runtime import bounded, expand, unbroadcast, ungetitem, unsum, unused
from ..tape import Apply, Atom, Const, Var
from .instantiate import Value

_Source: TypeAlias = tuple[()] | tuple[str] | tuple[str, int]
Slopes = Literal["still", "marked"]
"""What infinite slopes at the edges of domains become: 0, or marks."""

MARK: Final = 2.0**110
"""A slope that shows however little an operand depends on the arguments."""
_MARK_OF_ROOT: Final = 2.0**80  # where to stand still like x**2 is enough, or x**3
_CUBIC: Final = 2.0**-95  # the slope of x**3: hides a mark of a root, and no other
_THROUGH: Final = 2.0**60  # above marks that a slope of x**3 has let through
_MARK_OF_HALF: Final = 2.0**12  # of float16
FAINT: Final = 2.0**-60
"""A cotangent by which gradients are less than `SHOWN`, and no weight becomes 0."""
SHOWN: Final = 2.0**-10
"""From here on it is a mark."""

_POWERS: Final = (operator.pow, np.power, np.float_power, math.pow, pow)
_STEEP: Final[frozenset[Callable[..., object]]] = frozenset([
    np.sqrt, np.log, np.log2, np.log10, np.log1p, np.arcsin, np.arccos, np.arccosh,
    np.arctanh, math.sqrt, math.log, math.log2, math.log10, math.log1p, math.asin,
    math.acos, math.acosh, math.atanh, math.lgamma, *_POWERS,
])  # fmt: skip
_ROOTS: Final = (
    np.sqrt, np.arcsin, np.arccos, np.arccosh, math.sqrt, math.asin, math.acos,
    math.acosh,
)  # fmt: skip
_MANY: Final = 64  # factors: what is of more is one factor
_PRODUCTS: Final = (operator.mul, np.multiply)
_SUMS: Final = (operator.add, operator.sub, operator.neg, np.add, np.subtract)
_STEEP_IN_SCIPY: Final = frozenset(
    """gammaln loggamma betaln xlogy xlog1py entr rel_entr kl_div logit ndtri erfinv
    erfcinv ellipk ellipkm1""".split()
)
_MIDDLES: Final[dict[Callable[..., object], float]] = dict.fromkeys(
    (np.arcsin, np.arccos, np.arctanh, math.asin, math.acos, math.atanh), 0.0
)
_MIDDLES_IN_SCIPY: Final = {
    "logit": 0.5, "ndtri": 0.5, "erfinv": 0.0, "erfcinv": 1.0, "ellipk": 0.0,
}  # fmt: skip
"""Of domains that end above: what is within."""


def is_steep(fn: Callable[..., object]) -> bool:
    """Whether the slope of a function may be infinite where the function ends."""
    return fn in _STEEP or _name_in_scipy(fn) in _STEEP_IN_SCIPY


def _is_vertical(fn: Callable[..., object]) -> bool:
    """Whether the slope of a function may be infinite where it does not end."""
    vertical = (np.cbrt, getattr(math, "cbrt", None))  # 3.11
    return fn in vertical or _name_in_scipy(fn) == "cbrt"


def _name_in_scipy(fn: Callable[..., object]) -> str:
    path = public_path(fn)
    return "" if path is None else path[1]


@dataclass(frozen=True, slots=True)
class Edges:
    """How adjoints are made at the edges of domains.

    fixed: the variables known to be the same whatever the arguments asked for.
    asked: the parameters asked for, of which none depends on another.
    """

    slopes: Slopes
    fixed: set[str]
    asked: frozenset[str]

    def adjoint(
        self, builder: Builder, made: Mapping[str, Apply], op: Apply, d: Value, dy: Atom
    ) -> Value:
        """The adjoint `d` of an operand of an elementwise op, with another slope where
        nothing but the slope is infinite; a power that is infinite itself, as `x**-1`
        is, does not end there.

        made: the ops of the forward sweep by their variables.
        """
        if isinstance(d, tuple):
            return d
        # In float16 what is faint is 0.
        small = op.out.fact.dtype == np.float16
        fixed = not small and self._is_fixed(dy, made, builder.made)
        if is_steep(op.fn) or (fixed and _is_vertical(op.fn)):
            ends: list[Atom] = [op.out] if op.fn in _POWERS else []
            if self.slopes == "still":
                return builder.apply(bounded, d, dy, *ends)
            d = builder.apply(unused, d, op.out)
            d = _moving(builder, op, d, dy)
            if op.out.fact.is_complex:
                return d  # it does not end there: nothing says that marks do not cancel
            mark = _mark(builder, op, dy if fixed else None)
            return builder.apply(bounded, d, dy, *(ends or [Const(0.0)]), mark)
        if op.fn in _SUMS:
            return d
        if op.fn in _PRODUCTS and self.slopes == "marked" and not small:
            if self._share(op.args[0], op.args[1], made):
                d = _moving_together(builder, made, op, d, dy)
        marks = [_born(builder, op)] if self.slopes == "marked" else []
        return builder.apply(unused, d, op.out, *marks)

    def _is_fixed(self, atom: Atom, *made: Mapping[str, Apply]) -> bool:
        """Whether a value is the same whatever the arguments asked for."""
        seen: set[str] = set()
        left = [atom]
        while left:
            at = left.pop()
            if isinstance(at, Const) or at.name in self.fixed or at.name in seen:
                continue
            op = next((ops[at.name] for ops in made if at.name in ops), None)
            if op is None or op.effect:
                return False
            seen.add(at.name)
            left += _read_by(op)
        self.fixed.update(seen)
        return True

    def _share(self, u: Atom, v: Atom, made: Mapping[str, Apply]) -> bool:
        """Whether two values may be made of the same."""
        ours, theirs = self._sources(u, made), self._sources(v, made)
        return any(
            not (a and b) or (a[0] == b[0] and (a == b or 1 in (len(a), len(b))))
            for a in ours
            for b in theirs
        )

    def _sources(self, atom: Atom, made: Mapping[str, Apply]) -> set[_Source]:
        """What a value is made of: (name of a parameter), (name, literal index); ()
        for what is not known."""
        found: set[_Source] = set()
        seen: set[str] = set()
        left = [atom]
        while left:
            at = left.pop()
            if isinstance(at, Const) or at.name in seen or at.name in self.fixed:
                continue
            seen.add(at.name)
            op = made.get(at.name)
            if at.name in self.asked:
                found.add((at.name,))
            elif op is None or op.effect:
                found.add(())
            elif (element := _element(op)) and element[0] in self.asked:
                found.add(element)
            else:
                left += _read_by(op)
        return found


def _element(op: Apply) -> _Source:
    """The name of an array, and the literal index that an op takes of it."""
    if op.fn is operator.getitem and isinstance(op.args[0], Var):
        index = op.args[1]
        if isinstance(index, Const) and type(index.value) is int and index.value >= 0:
            return (op.args[0].name, index.value)
    return ()


def _read_by(op: Apply) -> list[Atom]:
    """What the numbers that an op gives are made of."""
    if op.fn in (bounded, unused):
        return [op.args[0]]
    read = [*op.args, *(value for _, value in op.kwargs)]
    if op.fn in (expand, unbroadcast, ungetitem, unsum):
        del read[1]  # of it they read the shape
    return read


def _mark(builder: Builder, op: Apply, weight: Atom | None) -> Atom:
    """What the slope of an op becomes where it is infinite: it points into the domain.

    weight: where it is 0, there is no mark.
    """
    size = _MARK_OF_ROOT if _is_root(op) else MARK
    mark: Atom = Const(_MARK_OF_HALF if op.out.fact.dtype == np.float16 else size)
    middle = _MIDDLES.get(op.fn, _MIDDLES_IN_SCIPY.get(_name_in_scipy(op.fn)))
    if middle is not None:
        way = builder.apply(operator.sub, Const(middle), op.args[0])
        mark = builder.apply(np.copysign, mark, way)
    if weight is not None:
        weighs = builder.apply(operator.ne, weight, Const(0.0))
        mark = builder.apply(operator.mul, mark, weighs)
    return mark


def _is_root(op: Apply) -> bool:
    """Whether a function ends as a square root does, or with a higher power."""
    if op.fn in _POWERS:
        return _exponent(op) >= 1 / 2
    return op.fn in _ROOTS


def _exponent(op: Apply) -> float:
    """That of a power, where it is written there; 0 where not."""
    n = op.args[1]
    number = n.value if isinstance(n, Const) else None
    return float(number) if isinstance(number, (int, float)) else 0.0


def _moving(builder: Builder, op: Apply, d: Atom, dy: Atom) -> Atom:
    """The adjoint of the base of a power that is 0, and yet not still enough."""
    n = _exponent(op) if op.fn in _POWERS else 0.0
    slope = 1.0 if 1 < n < 2 else _CUBIC if n > 2 and n % 2 else 0.0
    if not slope or op.out.fact.is_complex:
        return d
    ends = builder.apply(operator.eq, op.args[0], Const(0.0))
    moves = builder.apply(operator.mul, dy, Const(slope))
    return builder.apply(operator.add, d, builder.apply(operator.mul, moves, ends))


def _moving_together(
    builder: Builder, made: Mapping[str, Apply], op: Apply, d: Atom, dy: Atom
) -> Atom:
    """The adjoint of a factor that is 0 beside another: what has the same sources may
    move like `x**3`, or faster than that."""
    u, v = op.args
    counts = Counter(_factors(u, made) + _factors(v, made))
    whole = all(n % 2 == 0 for n in counts.values())  # a square
    if whole or op.out.fact.is_complex:
        return d
    ends = builder.apply(operator.mul, _is_zero(builder, u), _is_zero(builder, v))
    size = builder.apply(np.abs, dy)
    through = builder.apply(operator.lt, size, Const(_THROUGH))  # another product
    moves = builder.apply(operator.mul, dy, Const(_CUBIC))
    moves = builder.apply(operator.add, moves, builder.apply(operator.mul, dy, through))
    return builder.apply(operator.add, d, builder.apply(operator.mul, moves, ends))


def _is_zero(builder: Builder, atom: Atom) -> Atom:
    return builder.apply(operator.eq, atom, Const(0.0))


def _factors(atom: Atom, made: Mapping[str, Apply]) -> list[str]:
    """The variables that a product is of, each as often as it is taken."""
    if isinstance(atom, Const):
        return []
    op = made.get(atom.name)
    if op is not None and op.fn in _PRODUCTS:
        return [name for a in op.args for name in _factors(a, made)]
    if op is not None and op.fn in _POWERS:
        n = _exponent(op)
        if n.is_integer() and 0 < n < _MANY:
            return _factors(op.args[0], made) * int(n)
    return [atom.name]


def _born(builder: Builder, op: Apply) -> Atom:
    """A mark where an op makes nan of numbers, as of 0 times infinity."""
    born: Atom = builder.apply(np.isnan, op.out)
    for a in op.args:
        if isinstance(a, Var) and a.fact.kind not in ("int", "bool"):
            born = builder.apply(operator.gt, born, builder.apply(np.isnan, a))
    return builder.apply(operator.mul, Const(MARK), born)
