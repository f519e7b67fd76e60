"""A value that is never negative -> how fast its derivative vanishes where it is 0.

`u = x * x + y * y` is 0 only where both terms are, and there its derivative is 0 too:
`abs(du)` is at most some multiple of `u**(1 - 1 / 2)`. The order of u is 2. So the
slope of `u**p` is bounded where u is 0 if `p` times the order is 1, and 0 if it is
more.

>>> from yota_ast.ir.abstract_values import FLOAT
>>> x, t = Var("x", FLOAT), Var("t", FLOAT)
>>> import operator
>>> made = {"t": Apply(t, operator.mul, (x, x))}
>>> Vanishing(Block(tuple(made.values())), lambda atom: True).of(t)
Order(order=2, even=True, positive=False)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.nonsmooth.nonzero_values import holds_one
from yota_ast.analysis.engine import Analysis, defined_in
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import Apply, Block, Store
from yota_ast.ir.store_changes import Update
from yota_ast.ops import info
from yota_ast.ops.record import Items

_MOST_FACTORS: Final = 100
_ROUNDS: Final = 10
"""How often a loop is gone round before no order is said of what it carries."""

_INNER: Final = ("matrix product", "inner product")
_FIRST: Final[tuple[Items, ...]] = ("moved", "kept", "picked", "placed", "summed")


@dataclass(frozen=True, slots=True)
class Order:
    """The order of a value; 0: unknown. even: the value is never negative. positive: it
    is never 0."""

    order: float = 0
    even: bool = False
    positive: bool = False


UNKNOWN: Final = Order()
ZERO: Final = Order(math.inf, even=True)
"""A value whose derivative is 0, and that is never negative."""

POSITIVE: Final = Order(math.inf, even=True, positive=True)


class Vanishing(Analysis[Order]):
    """The orders of the values of a block. active: whether a value varies."""

    bottom = POSITIVE

    def __init__(self, block: Block, active: Callable[[Atom], bool]) -> None:
        super().__init__(defined_in(block))
        self._active = active

    def join(self, facts: Iterable[Order]) -> Order:
        """Return the order of one of several values."""
        return _least(list(facts))

    def widened(self, fact: Order, rounds: int) -> Order:
        """Of a root of a root of a root, as a loop makes it, nothing is said."""
        return fact if rounds < _ROUNDS else replace(fact, order=0)

    def stated(self, var: Var) -> Order | None:
        """Return the order of what is no real number."""
        if var.fact.is_complex:
            return UNKNOWN
        return ZERO if var.fact.kind == "bool" or var.fact.dtype == np.bool_ else None

    def of_const(self, const: Const) -> Order:
        """Return the order of a literal."""
        return _of_number(const.value)

    def of_outside(self, var: Var) -> Order:
        """Return the order of an argument: of one that does not vary, of no slope."""
        return self._settled(var, UNKNOWN)

    def of_store(self, op: Store) -> Order:
        """Return the order of an array of which some items are written."""
        target, value = self.of(op.target), self.of(op.value)
        match op.change:
            case Update(fn=fn) if fn is operator.add:
                written = _added([target, value])
            case Update():
                written = UNKNOWN
            case _:
                written = value
        return self._settled(op.out, _least([target, written]))

    def of_apply(self, op: Apply) -> Order:
        """Return the order of the result of a call."""
        return self._settled(op.out, self._of_op(op))

    def _settled(self, var: Var, found: Order) -> Order:
        """The order of what varies, or is 0."""
        if found.positive or not self._active(var):
            return replace(found, order=math.inf)
        return found

    def maker(self, atom: object) -> Apply | None:
        """Return the op that made a value."""
        found = self.defined_by(atom.name) if isinstance(atom, Var) else None
        made = found[0] if found else None
        return made if isinstance(made, Apply) else None

    def _of_op(self, op: Apply) -> Order:
        fn, args = op.fn, op.args
        of = info(fn)
        known = _by_function(op)
        if known is not None:
            return known
        if fn is np.sum and holds_one(op, lambda name: self.maker(Var(name))):
            return POSITIVE
        product = of.arithmetic == "product"
        if of.exponent == 2 or (product and args[0] == args[1]):
            return self._of_power(args[0], 2)
        factors = self._factors(op) if product else []
        if factors and factors.count(factors[0]) == len(factors):
            return self._of_power(factors[0], len(factors))
        if of.arithmetic == "power" and isinstance(args[1], Const):
            return self._of_power(args[0], args[1].value)
        if of.arithmetic in _INNER and len(args) == 2 and args[0] == args[1]:
            return Order(2, even=True) if op.out.fact.is_scalar else UNKNOWN
        if fn is np.einsum and _is_square(op):
            return Order(2, even=True)
        parts = [self.of(a) for a in args[:3]]
        if product:
            return _product(parts[0], parts[1])
        if of.arithmetic == "quotient":
            even = parts[0].even and parts[1].even
            both = parts[0].positive and parts[1].positive
            return Order(parts[0].order, even=even, positive=both)
        if of.arithmetic == "sum":
            return _added(parts)
        if of.arithmetic == "negative":
            return Order(parts[0].order)
        if of.exponent is not None and 0 < of.exponent < 1:
            even = of.never_negative or parts[0].even
            return Order(parts[0].order * of.exponent, even, parts[0].positive)
        if fn is np.where and len(parts) == 3:
            return _least(parts[1:])
        if of.items == "picked of all":
            return _least([self.of(a) for a in args])
        if of.items in _FIRST and parts:
            summed = of.items == "summed"
            if summed and not parts[0].even:
                return UNKNOWN
            whole = of.items != "placed" and "where" not in dict(op.kwargs)
            return parts[0] if whole else replace(parts[0], positive=False)
        return UNKNOWN

    def _is_root(self, base: Atom) -> bool:
        made = self.maker(base)
        if made is None:
            return False
        known = info(made.fn)
        if known.arithmetic == "power":
            exponent = made.args[1]
            value = exponent.value if isinstance(exponent, Const) else None
            return not isinstance(value, (int, float)) or value < 1
        return known.exponent is not None and known.exponent < 1

    def _factors(self, op: Apply) -> list[Atom]:
        """What a product multiplies, taken apart."""
        found: list[Atom] = []
        for atom in op.args:
            made = self.maker(atom)
            product = made and info(made.fn).arithmetic == "product"
            if made and product and len(found) < _MOST_FACTORS:
                found += self._factors(made)
            else:
                found.append(atom)
        return found

    def _of_power(self, base: Atom, exponent: object) -> Order:
        if not isinstance(exponent, (int, float)) or exponent <= 0:
            return UNKNOWN
        inner, even = self.of(base), exponent % 2 == 0
        order = exponent * inner.order
        if exponent > 1 and not self._is_root(base):  # the square of a root is none
            order = max(order, exponent)
        return Order(order, even or inner.even, inner.positive)


def _by_function(op: Apply) -> Order | None:
    """What is known whatever the operands are."""
    of = info(op.fn)
    if of.positive:
        return POSITIVE
    if of.fill == "zeros" or of.counts or of.underflows:
        return ZERO
    if of.degree is None or _has_order(op):
        return None
    return Order(of.degree, even=True)


def _has_order(op: Apply) -> bool:
    """Whether a norm may be another than the root of a sum of squares."""
    norm = getattr(op.fn, "__name__", "") == "norm"
    return norm and (len(op.args) > 1 or "ord" in dict(op.kwargs))


def _is_square(op: Apply) -> bool:
    """Whether `np.einsum("ij,ij->i", x, x)` sums squares."""
    if len(op.args) != 3 or op.args[1] != op.args[2]:
        return False
    text = op.args[0].value if isinstance(op.args[0], Const) else None
    if not isinstance(text, str) or "." in text:
        return False
    first, _, second = text.partition("->")[0].replace(" ", "").partition(",")
    return first == second and len(set(first)) == len(first)


def _of_number(value: object) -> Order:
    if isinstance(value, (int, float)) and value >= 0:
        return Order(math.inf, even=True, positive=value > 0)
    return Order(math.inf) if isinstance(value, (int, float)) else UNKNOWN


def _least(parts: list[Order]) -> Order:
    """One of several values."""
    return Order(
        min((p.order for p in parts), default=0),
        even=all(p.even for p in parts),
        positive=all(p.positive for p in parts),
    )


def _added(parts: list[Order]) -> Order:
    """A sum, which is 0 only where all terms are if none is negative."""
    if not all(p.even for p in parts):
        return UNKNOWN
    order = min(p.order for p in parts)
    return Order(order, even=True, positive=any(p.positive for p in parts))


def _product(one: Order, other: Order) -> Order:
    """A product is 0 where one of its factors is."""
    even = one.even and other.even
    return Order(min(one.order, other.order), even, one.positive and other.positive)
