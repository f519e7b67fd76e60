"""A value that is never negative -> how fast its derivative vanishes where it is 0.

`u = x * x + y * y` is 0 only where both terms are, and there its derivative is 0 too:
`abs(du)` is at most some multiple of `u**(1 - 1 / 2)`. The order of u is 2. So the
slope of `u**p` is bounded where u is 0 if `p` times the order is 1, and 0 if it is
more.

>>> from ..facts import FLOAT
>>> x, t = Var("x", FLOAT), Var("t", FLOAT)
>>> made = {"t": Apply(t, operator.mul, (x, x))}
>>> Vanishing(Block(tuple(made.values())), lambda atom: True).of(t)
Order(order=2, even=True, positive=False)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Final

import numpy as np

from ..ops import info
from ..records import dataclass, field
from ..tape import (
    Apply,
    Atom,
    Block,
    Const,
    For,
    If,
    Store,
    Try,
    Var,
    While,
    build_list,
    build_tuple,
    walk,
)

_DEEPEST: Final = 100
_ROUNDS: Final = 4
"""How often a loop is gone round before nothing is said of what it carries."""

_SIZES: Final = (
    abs, np.absolute, np.fabs, math.fabs, np.hypot, math.hypot, np.std,
)  # fmt: skip
"""Never negative, and steeper nowhere than by a constant."""
_POSITIVE: Final = (np.exp, math.exp, np.cosh, math.cosh)
_LENGTHS: Final = (len, np.size)
_INNER: Final = ("matrix product", "inner product")
_FIRST: Final = (
    np.sum, np.mean, np.max, np.amax, np.min, np.amin, np.trace, np.diagonal, np.diag,
    operator.getitem, np.reshape, np.ravel, np.transpose, np.expand_dims, np.squeeze,
    np.broadcast_to, np.copy, np.array, np.asarray, np.triu, np.tril, np.take,
    np.swapaxes, np.moveaxis, np.atleast_1d, np.cumsum, np.real, np.flip, np.roll,
    np.repeat, np.tile, np.concatenate, np.stack, sum, float, np.float64,
    np.ndarray.astype, np.ndarray.copy, np.ndarray.flatten, np.ndarray.reshape,
    operator.pos,
)  # fmt: skip
"""Functions of which the result is made of items of the first operand, or of sums."""
_ALL: Final = (
    np.maximum, np.minimum, np.fmax, np.fmin, max, min, build_list, build_tuple,
)  # fmt: skip
_ZEROS: Final = (np.zeros, np.zeros_like)


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

_KNOWN: Final[dict[Callable[..., object], Order]] = {
    **dict.fromkeys(_SIZES, Order(1, even=True)),
    **dict.fromkeys(_POSITIVE, Order(math.inf, even=True, positive=True)),
    **dict.fromkeys((*_ZEROS, *_LENGTHS), ZERO),
    np.var: Order(2, even=True),
}


@dataclass(slots=True)
class Vanishing:
    """The orders of the values of a block. active: whether a value varies."""

    block: Block
    active: Callable[[Atom], bool]
    _made: dict[str, Apply] | None = None
    _ends: dict[str, tuple[tuple[object, ...], bool]] = field(default_factory=dict)
    """What joins and stores are made of, and whether that is added."""
    _known: dict[str, Order] = field(default_factory=dict)
    _assumed: dict[str, Order] = field(default_factory=dict)

    def of(self, atom: object, depth: int = _DEEPEST) -> Order:
        """Return the order of a value."""
        if isinstance(atom, Const):
            return _of_number(atom.value)
        if not isinstance(atom, Var) or atom.fact.is_complex or depth == 0:
            return UNKNOWN
        if self._made is None:
            self._note()
        if atom.name in self._assumed:
            return self._assumed[atom.name]
        known = self._known.get(atom.name)
        if known is None:
            known = self._found(atom, depth - 1)
            if known.positive:
                known = Order(math.inf, known.even, positive=True)
            if not self._assumed:
                self._known[atom.name] = known
        return known

    def maker(self, atom: object) -> Apply | None:
        """Return the op that made a value."""
        if self._made is None:
            self._note()
        assert self._made is not None
        return self._made.get(atom.name) if isinstance(atom, Var) else None

    def _note(self) -> None:
        self._made = {}
        for op in walk(self.block):
            if isinstance(op, Apply):
                self._made[op.out.name] = op
            elif isinstance(op, Store):
                plain = op.augment in ("", "view", "+", "append", "+at")
                added = op.augment in ("+", "+at")
                if plain:
                    self._ends[op.out.name] = (op.target, op.value), added
            elif isinstance(op, (If, Try)):
                for m in op.merges:
                    self._ends[m.out.name] = (m.then, m.orelse), False
            elif isinstance(op, (For, While)):
                for c in op.carries:
                    self._ends[c.out.name] = (c.init, c.next), False
                    self._ends[c.inside.name] = (c.init, c.next), False

    def _found(self, var: Var, depth: int) -> Order:
        made, ends = self.maker(var), self._ends.get(var.name)
        found = UNKNOWN
        if made is not None:
            found = self._of_op(made, depth)
        elif ends is not None:
            found = self._of_ends(var, *ends, depth)
        if var.fact.kind == "bool" or var.fact.dtype == np.bool_:
            return ZERO
        if found.order < math.inf and not self.active(var):
            return Order(math.inf, found.even, found.positive)
        return found

    def _of_ends(
        self, var: Var, ends: tuple[object, ...], added: bool, depth: int
    ) -> Order:
        """Of what is carried it is assumed, and then seen to stay so."""
        assumed = Order(math.inf, even=True)
        for _ in range(_ROUNDS):
            self._assumed[var.name] = assumed
            parts = [self.of(e, depth) for e in ends]
            del self._assumed[var.name]
            found = _added(parts) if added else _least(parts)
            if found in (assumed, UNKNOWN):
                return found
            assumed = found
        return UNKNOWN

    def _of_op(self, op: Apply, depth: int) -> Order:
        fn, args = op.fn, op.args
        known = _KNOWN.get(fn)
        if known is not None:
            return known
        of = info(fn)
        product = of.arithmetic == "product"
        if of.exponent == 2 or (product and args[0] == args[1]):
            return self._of_power(args[0], 2, depth)
        factors = self._factors(op) if product else []
        if factors and factors.count(factors[0]) == len(factors):
            return self._of_power(factors[0], len(factors), depth)
        if of.arithmetic == "power" and isinstance(args[1], Const):
            return self._of_power(args[0], args[1].value, depth)
        if of.arithmetic in _INNER and len(args) == 2 and args[0] == args[1]:
            return Order(2, even=True) if op.out.fact.is_scalar else UNKNOWN
        if fn is np.einsum and _is_square(op):
            return Order(2, even=True)
        if fn is np.linalg.norm and len(args) == 1 and "ord" not in dict(op.kwargs):
            return Order(1, even=True)
        parts = [self.of(a, depth) for a in args[:3]]
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
        if fn in _ALL:
            return _least([self.of(a, depth) for a in args])
        if fn in _FIRST and parts:
            summed = fn in (np.sum, np.mean, np.trace, np.cumsum, sum)
            return parts[0] if parts[0].even or not summed else UNKNOWN
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
            if made and product and len(found) < _DEEPEST:
                found += self._factors(made)
            else:
                found.append(atom)
        return found

    def _of_power(self, base: Atom, exponent: object, depth: int) -> Order:
        if not isinstance(exponent, (int, float)) or exponent <= 0:
            return UNKNOWN
        inner, even = self.of(base, depth), exponent % 2 == 0
        order = exponent * inner.order
        if exponent > 1 and not self._is_root(base):  # the square of a root is none
            order = max(order, exponent)
        return Order(order, even or inner.even, inner.positive)


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
