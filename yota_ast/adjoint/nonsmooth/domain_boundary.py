"""Functions that are steep at the edge of their domain -> adjoints that are 0 where
what follows has left a value out.

At 0 the slope of `np.sqrt(x)` is infinite. Where a slice, `np.tril` or a product with
constants leaves out an element, its cotangent is exactly 0, and the chain rule says 0
times infinity. So the adjoint of what is sliced is made of the slice alone:
`dx[1:] = d / (2 * y[1:])`; elsewhere a quotient is 0 where its numerator is:
`quotient_or_zero(d, 2 * y)`. Only a cotangent that the operand has no part in is taken
for 0 so (see `selection`): that of y in `y**2` is 0 where y is, but `np.sqrt(x)**2` has
slope 1 there, and its gradient stays nan.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.adjoint.nonsmooth.infinite_values import read_for_numbers
from yota_ast.adjoint.nonsmooth.vanishing_slopes import Vanishing
from yota_ast.adjoint.reverse.contributions import fact_of_end as fact
from yota_ast.adjoint.reverse.rule_statements import Value
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Builder
from yota_ast.ir.facts.lengths_that_fit import are_of_one_shape
from yota_ast.ir.nodes import Apply, Block, walk
from yota_ast.ops import info
from yota_ast.ops.algebra import TERMS, is_quotient
from yota_ast.ops.record import MOVING
from yota_ast.runtime import (
    power_slope,
    product_or_zero,
    quotient_or_zero,
    unbroadcast,
    ungetitem,
    unpower,
)


def may_be_steep(op: Apply, within: Vanishing) -> bool:
    """Return whether an op may have an infinite slope: a power of an exponent below 1,
    a quotient by an array. What is surely positive is on no edge."""
    if is_quotient(op.fn):
        y = op.args[-1]
        array = isinstance(y, Var) and not y.fact.is_scalar
        return array and not within.of(y).positive
    known = info(op.fn)
    power = known.arithmetic == "power" and len(op.args) == 2
    if power and isinstance(op.args[1], Const):
        exponent = op.args[1].value
        if isinstance(exponent, (int, float)) and exponent >= 1:
            return False
    if known.safe not in (1, None):  # the domain ends elsewhere than at 0
        return True
    return known.steep and not (op.args and within.of(op.args[0]).positive)


def is_finite_at_edge(op: Apply) -> bool:
    """Return whether the value is finite where the slope is infinite."""
    if info(op.fn).arithmetic == "power" and isinstance(op.args[1], Const):
        exponent = op.args[1].value
        return isinstance(exponent, (int, float)) and exponent > 0
    return not is_quotient(op.fn) and not info(op.fn).pole


def operands_of_roots(block: Block, within: Vanishing) -> frozenset[str]:
    """Return the names of the arrays that roots, arcsines and their like are of."""
    found = set()
    for op in walk(block):
        if not isinstance(op, Apply) or not may_be_steep(op, within):
            continue
        u = op.args[0]
        if isinstance(u, Var) and not u.fact.is_scalar and is_finite_at_edge(op):
            found.add(u.name)
    return frozenset(found)


def under_root(
    builder: Builder,
    op: Apply,
    dy: Atom,
    active: Callable[[Atom], bool],
    are_apart: Callable[[Atom, Atom], bool],
) -> tuple[Var, Atom] | None:
    """Return x and its adjoint in `c * x` for constants c, of which there is a root:
    where c is 0, nothing of x is in the root, whose slope is infinite there."""
    for c, x in (op.args, op.args[::-1]):
        if not isinstance(x, Var) or not active(x) or active(c):
            continue
        if _is_number(c) or not are_apart(c, x):
            continue
        if isinstance(c, Var) and c.fact.dtype == np.bool_:
            return x, builder.apply(np.where, c, dy, Const(0))
        return x, builder.apply(product_or_zero, c, dy)
    return None


def _is_number(atom: Atom) -> bool:
    if isinstance(atom, Const):
        return not isinstance(atom.value, np.ndarray)
    return atom.fact.is_scalar


def _is_literal(atom: Atom | None) -> bool:
    """Return whether a factor is a number that is finite."""
    value = atom.value if isinstance(atom, Const) else None
    return isinstance(value, (int, float)) and math.isfinite(value)


# ---------------------------------------------------------------- slices


def slice_of(
    builder: Builder,
    op: Apply,
    dy: Atom,
    part_of: Callable[[Atom], Const | None] = lambda _: None,
) -> tuple[Atom, Atom] | None:
    """Return the index and the cotangent of the part that is read of an op's result;
    None where more is read, or its operands are not all of one shape.

    part_of: returns the index of the one part that several slices make up.
    """
    made = builder.made.get(dy.name) if isinstance(dy, Var) else None
    if made is not None and made.fn is unbroadcast:
        return slice_of(builder, op, made.args[0])
    known = op.out.fact
    operands = [a for a in op.args if isinstance(a, Var) and not a.fact.is_scalar]
    alike = len(operands) == 1 and len(op.args) == 1
    if known.kind != "array" or not (
        alike or all(are_of_one_shape(a.fact, known) for a in operands)
    ):
        return None
    if made is not None and made.fn is ungetitem and made.args[1] == op.out:
        return made.args[2], made.args[0]
    index = part_of(dy) if are_of_one_shape(fact(dy), known) else None
    return (
        None if index is None else (index, builder.apply(operator.getitem, dy, index))
    )


def part(builder: Builder, value: Value, index: Atom) -> Value:
    """Return the part of an operand that is read of the result."""
    if not isinstance(value, Var) or value.fact.is_scalar:
        return value
    return builder.apply(operator.getitem, value, index)


# ---------------------------------------------------------------- quotients


Factor: TypeAlias = tuple[Callable[..., object], Atom | None]
"""What is done with a product: it is multiplied or divided, or its sign changed."""


def parted(
    builder: Builder,
    d: Atom,
    is_selection: Callable[[Atom], bool],
    fits: Callable[[Atom], bool] = lambda _: False,
    depth: int = 12,
) -> tuple[Atom, tuple[Factor, ...]] | None:
    """Return the factor of a cotangent that is a selection, and the other factors.

    fits: whether a value has the shape of the slopes. Through a sum over axes a slope
    can go where the sum has its shape; else it may have these axes, too.
    """
    if is_selection(d):
        return d, ()
    op = builder.made.get(d.name) if isinstance(d, Var) and depth else None
    if op is None:
        return None
    ways: list[tuple[Atom, tuple[Factor, ...]]] = []
    arithmetic = info(op.fn).arithmetic
    if arithmetic == "product":
        ways = [(a, ((product_or_zero, b),)) for a, b in (op.args, op.args[::-1])]
    elif arithmetic == "quotient" or op.fn is quotient_or_zero:
        ways = [(op.args[0], ((quotient_or_zero, op.args[1]),))]
    elif op.fn is product_or_zero:
        ways = [(op.args[0], ((product_or_zero, op.args[1]),))]
    elif op.fn is operator.neg:
        ways = [(op.args[0], ((operator.neg, None),))]
    elif op.fn is unbroadcast and (
        fits(op.args[1]) or are_of_one_shape(*map(fact, op.args))
    ):
        ways = [(op.args[0], ((unbroadcast, op.args[1]),))]
    elif op.fn is unpower:
        slope = builder.apply(power_slope, *op.args[1:])
        ways = [(op.args[0], ((product_or_zero, slope),))]
    for inner, rest in ways:
        found = parted(builder, inner, is_selection, fits, depth - 1)
        if found is not None:
            return found[0], (*found[1], *rest)
    return None


def stays_infinite(
    made: Callable[[str], Apply | None],
    value: Atom,
    rest: tuple[Factor, ...],
    is_apart: Callable[[Atom], bool],
    *,
    at_zero: bool = False,
) -> bool:
    """Return whether what follows is infinite where a value is, as its logarithm, its
    square and products with it are; then so is the function, and no slope is asked for.

    rest: the slopes of what follows, each of a lower power than that by which what
    follows grows. is_apart: whether the value has no part in one. at_zero: whether that
    is so where the value is 0, as of a quotient by it.
    """
    degree = 0.0
    for fn, factor in rest:
        if factor is None or fn is unbroadcast or is_apart(factor):
            continue
        own = _degree(made, factor, value, is_apart, at_zero=at_zero)
        if own is None:
            return False
        degree += own if fn is quotient_or_zero else -own
    return degree >= 1 if at_zero else degree <= 1


def _degree(
    made: Callable[[str], Apply | None],
    atom: Atom,
    value: Atom,
    is_apart: Callable[[Atom], bool],
    depth: int = 12,
    *,
    at_zero: bool,
) -> float | None:
    """Return the power of a value by which a sum of it, a power of that, or a root
    grows; None of what may grow otherwise. In a sum that is a pole at 0, a positive
    power at infinity."""
    if atom == value:
        return 1.0
    op = made(atom.name) if isinstance(atom, Var) and depth else None
    if op is None:
        return None
    own = [a for a in read_for_numbers(op) if not is_apart(a)]
    if len(own) != 1:
        return None
    known = _degree(made, own[0], value, is_apart, depth - 1, at_zero=at_zero)
    if known is None:
        return None
    arithmetic = info(op.fn).arithmetic
    if arithmetic in TERMS:
        return known if (known < 0 if at_zero else known > 0) else None
    if arithmetic in ("product", "negative") or op.fn is unbroadcast:
        return known
    if arithmetic == "quotient":
        return known if own[0] == op.args[0] else -known
    lowered = {power_slope: 1, unpower: 1}.get(op.fn, 0)
    if arithmetic == "power" or lowered:
        base, exponent = op.args[-2:]
        value_of = exponent.value if isinstance(exponent, Const) else None
        if own[0] != base or not isinstance(value_of, (int, float)):
            return None
        return known * (value_of - lowered)
    return known / 2 if op.fn is np.sqrt else None


@dataclass(frozen=True, slots=True)
class Guard:
    """Lets quotients and products of a cotangent be 0 where that is.

    d: the cotangent. mask: where it may be other than 0; None: where it is not 0.
    infinite: whether a factor may be infinite. rest: factors that the cotangent has
    beside d. steep: whether the op is steep itself. found: returns where a value that
    is made of d may be other than 0, if it has not the shape of d.
    """

    d: Atom
    mask: Atom | None
    infinite: Callable[[Atom], bool] = lambda factor: isinstance(factor, Var)
    rest: tuple[Factor, ...] = ()
    steep: bool = True
    found: Callable[[Atom], Atom | None] | None = None

    def times_rest(self, builder: Builder, value: Value) -> Value:
        """Return an adjoint that is made of d with the factors left out before. Each is
        left out where what stands before it is 0, be it d or a factor: another may be
        infinite there."""
        for fn, factor in self.rest:
            assert not isinstance(value, tuple)
            args = (value,) if factor is None else (value, factor)
            plain = fn is product_or_zero and _is_literal(factor)
            value = builder.apply(operator.mul if plain else fn, *args)
        return value

    def on(self, builder: Builder, start: int) -> None:
        """Guard what has been added to the ops since `start`."""
        tainted = {self.d.name} if isinstance(self.d, Var) else set()
        added, builder.ops[start:] = builder.ops[start:], []
        for op in added:
            if isinstance(op, Apply) and _reads(op, tainted):
                guarded = self._guarded(builder, op, tainted)
                if guarded is op and self._is_open(op, tainted):
                    guarded = self._masked(builder, op)
                op = guarded
                builder.made[op.out.name] = op
                tainted.add(op.out.name)
            builder.ops.append(op)

    def _is_open(self, op: Apply, tainted: set[str]) -> bool:
        """Return whether an op may make a nan of a cotangent of 0."""
        known = info(op.fn)
        if self.steep or known.selects or known.items in MOVING:
            return False
        return any(
            self.infinite(a)
            for a in read_for_numbers(op)
            if not isinstance(a, Var) or a.name not in tainted
        )

    def _masked(self, builder: Builder, op: Apply) -> Apply:
        """The result of an op where it may be other than 0, and 0 elsewhere."""
        raw = replace(op, out=builder.var(op.out.fact))
        builder.made[raw.out.name] = raw
        start = len(builder.ops)
        mask = self._mask_of(raw.out)
        if mask is None:
            del builder.made[raw.out.name]
            return op
        builder.ops.insert(start, raw)
        args = (mask, raw.out, Const(0))
        return Apply(op.out, np.where, args, origin=op.origin)

    def _mask_of(self, value: Atom) -> Atom | None:
        if self.found is None or value == self.d:
            return self.mask
        return self.found(value)

    def _guarded(self, builder: Builder, op: Apply, tainted: set[str]) -> Apply:
        first = op.args[0]
        ahead = isinstance(first, Var) and first.name in tainted
        arithmetic = info(op.fn).arithmetic
        if arithmetic == "quotient" and ahead and self._is_steep(op.args[1]):
            return self._quotient(builder, op, *op.args)
        if arithmetic == "product":
            d, slope = op.args if ahead else op.args[::-1]
            if self.infinite(slope):
                return self._product(builder, op, d, slope)
        if op.fn is unpower and ahead:
            return self._power(builder, op)
        return op

    def _is_steep(self, y: Atom) -> bool:
        """Return whether a quotient by y may be infinite."""
        return self.steep or (isinstance(y, Var) and not y.fact.is_scalar)

    def _power(self, builder: Builder, op: Apply) -> Apply:
        d, u, v = op.args
        n = v.value if isinstance(v, Const) else None
        if isinstance(n, float) and 0 < n < 1:
            rest = Const(float(f"{1 - n:.15g}"))
            d = builder.apply(operator.mul, v, d)
            power = builder.apply(operator.pow, u, rest)
            return self._quotient(builder, op, d, power)
        if op.out.fact.is_python:
            return self._product(
                builder, op, d, builder.apply(unpower, Const(1.0), u, v)
            )
        return self._product(builder, op, d, builder.apply(power_slope, u, v))

    def _quotient(self, builder: Builder, op: Apply, d: Atom, y: Atom) -> Apply:
        mask = None if self.mask is None else self._mask_of(d)
        if mask is None:
            return replace(op, fn=quotient_or_zero, args=(d, y), form="call")
        y = builder.apply(np.where, mask, y, Const(1))
        return replace(op, fn=operator.truediv, args=(d, y), form="operator")

    def _product(self, builder: Builder, op: Apply, d: Atom, slope: Atom) -> Apply:
        mask = None if self.mask is None else self._mask_of(d)
        if mask is None:
            return replace(op, fn=product_or_zero, args=(d, slope), form="call")
        slope = builder.apply(np.where, mask, slope, Const(0))
        return replace(op, fn=operator.mul, args=(d, slope), form="operator")


def _reads(op: Apply, names: set[str]) -> bool:
    return any(isinstance(a, Var) and a.name in names for a in op.args)
