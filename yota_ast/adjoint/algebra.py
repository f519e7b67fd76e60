"""Rewrites of sums, products and quotients: what a careful person would not write.

No `* 1.0`, no `+ 0`, no `- -x`; numbers first, then scalars, then arrays, so that a
product makes one pass over memory: `(2 * seed / n) * e`.
"""

from __future__ import annotations

import operator

import numpy as np

from ..tape import Apply, Atom, Const
from .rewrite import Rewriter, fact

ADD, SUB, MUL, DIV, NEG = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.neg,
)  # fmt: skip
NUMBERS = (int, float)


def number(atom: Atom) -> float | None:
    """The value of a literal number (bools are none)."""
    if isinstance(atom, Const) and atom.text is None and type(atom.value) in NUMBERS:
        return atom.value  # type: ignore[return-value]
    return None


def _tidy_number(value: float) -> Const:
    """A literal; whole numbers of modest size as ints, as a person writes factors."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e6:
        return Const(int(value))
    return Const(value)


def is_real(atom: Atom) -> bool:
    """Whether a value is provably not complex."""
    known = fact(atom)
    if known.kind in ("float", "int", "bool", "real"):
        return True
    return known.dtype is not None and known.dtype.kind in "fiub"


def add(r: Rewriter, op: Apply) -> Atom | None:
    """a + 0, a + (-b), a + a."""
    a, b = op.args
    if number(a) == 0 and fact(b).is_numeric and _absorbs(r, a, b):
        return b
    if number(b) == 0 and _absorbs(r, b, a):
        return a
    if a == b and number(a) is None:
        return r.make(MUL, Const(2), a)
    negated = r.inner(b, NEG)
    if negated is not None:
        return r.make(SUB, a, negated.args[0])
    product = r.inner(b, MUL, DIV)
    if product is not None and (n := number(product.args[0])) is not None and n < 0:
        positive = r.make(product.fn, _tidy_number(-n), product.args[1])
        return r.make(SUB, a, positive)
    return None


def _absorbs(r: Rewriter, zero: Atom, other: Atom) -> bool:
    """A literal zero adds nothing, whatever the other's shape."""
    return isinstance(zero, Const) and fact(other).is_numeric


def sub(r: Rewriter, op: Apply) -> Atom | None:
    """a - 0, 0 - a, a - (-b)."""
    a, b = op.args
    if number(b) == 0:
        return a
    if number(a) == 0:
        return r.make(NEG, b)
    negated = r.inner(b, NEG)
    return None if negated is None else r.make(ADD, a, negated.args[0])


def neg(r: Rewriter, op: Apply) -> Atom | None:
    """-(-a), -(number * a), -(a - b)."""
    (a,) = op.args
    if (n := number(a)) is not None:
        return Const(-n)
    inner = r.inner(a, NEG, MUL, DIV, SUB)
    if inner is None:
        return None
    if inner.fn is NEG:
        return inner.args[0]
    if inner.fn is SUB:
        return r.make(SUB, inner.args[1], inner.args[0])
    if (n := number(inner.args[0])) is not None:
        return r.make(inner.fn, Const(-n), inner.args[1])
    return None


def mul(r: Rewriter, op: Apply) -> Atom | None:
    """Numbers fold and come first, signs come out, scalars come before arrays."""
    a, b = op.args
    m, n = number(a), number(b)
    if m is not None and n is not None:
        return _tidy_number(m * n)
    if n is not None:
        return r.make(MUL, b, a)
    if m is not None:
        return _times_number(r, m, a, b)
    for x, y in ((a, b), (b, a)):
        if (negated := r.inner(x, NEG)) is not None:
            left, right = (negated.args[0], y) if x is a else (y, negated.args[0])
            return r.make(NEG, r.make(MUL, left, right))
    return _number_out(r, a, b) or _scalar_first(r, a, b)


def _times_number(r: Rewriter, m: float, a: Atom, b: Atom) -> Atom | None:
    if m == 1:
        return b
    if m == -1:
        return r.make(NEG, b)
    inner = r.inner(b, NEG, MUL, DIV)
    if inner is None:
        return None
    if inner.fn is NEG:
        return r.make(MUL, _tidy_number(-m), inner.args[0])
    if (k := number(inner.args[0])) is not None:
        return r.make(inner.fn, _tidy_number(m * k), inner.args[1])
    if inner.fn is DIV and (k := number(inner.args[1])) is not None and k:
        return r.make(MUL, _tidy_number(m / k), inner.args[0])
    if inner.fn is MUL or fact(inner.args[0]).is_scalar:
        return r.make(inner.fn, r.make(MUL, a, inner.args[0]), inner.args[1])
    return None


def _number_out(r: Rewriter, a: Atom, b: Atom) -> Atom | None:
    """a * (2 * b) is 2 * a * b."""
    for x, y in ((a, b), (b, a)):
        inner = r.inner(x, MUL)
        if inner is None or (k := number(inner.args[0])) is None:
            continue
        rest = inner.args[1]
        left, right = (rest, y) if x is a else (y, rest)
        return r.make(MUL, r.make(MUL, _tidy_number(k), left), right)
    return None


def _scalar_first(r: Rewriter, a: Atom, b: Atom) -> Atom | None:
    """array * scalar is scalar * array; scalar * (scalar * array) is one pass."""
    known_a, known_b = fact(a), fact(b)
    if known_b.is_scalar and not known_a.is_scalar and known_a.shape is not None:
        return r.make(MUL, b, a)
    if known_a.is_scalar and not known_b.is_scalar:
        inner = r.inner(b, MUL, DIV)
        if inner is not None and fact(inner.args[0]).is_scalar:
            factor = r.make(MUL, a, inner.args[0])
            return r.make(inner.fn, factor, inner.args[1])
        return None
    if known_a.is_scalar and known_b.is_scalar:
        inner = r.inner(b, DIV)
        if inner is not None:
            return r.make(DIV, r.make(MUL, a, inner.args[0]), inner.args[1])
    return None


def div(r: Rewriter, op: Apply) -> Atom | None:
    """a / 1; signs come out; a scalar divisor divides the scalar factor."""
    a, b = op.args
    if number(b) == 1:
        return a
    negated = r.inner(a, NEG)
    if negated is not None:
        return r.make(NEG, r.make(DIV, negated.args[0], b))
    if fact(b).is_scalar and not fact(a).is_scalar:
        inner = r.inner(a, MUL)
        if inner is not None and fact(inner.args[0]).is_scalar:
            factor = r.make(DIV, inner.args[0], b)
            return r.make(MUL, factor, inner.args[1])
    return None


def power(r: Rewriter, op: Apply) -> Atom | None:
    """x ** 1."""
    base, exponent = op.args
    if number(exponent) == 1 and fact(base).kind not in ("int", "bool"):
        return base
    return None


def realness(r: Rewriter, op: Apply) -> Atom | None:
    """conj and real of what is real."""
    return op.args[0] if is_real(op.args[0]) else None


RULES = {
    ADD: (add,),
    SUB: (sub,),
    MUL: (mul,),
    DIV: (div,),
    NEG: (neg,),
    operator.pow: (power,),
    np.conj: (realness,),
    np.conjugate: (realness,),
    np.real: (realness,),
}
