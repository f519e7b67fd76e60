"""Rewrites of sums: signs stand between terms, and of two terms that are the same
product comes one.

`dA * (k * D) + dA * D * k` is `2 * dA * (k * D)`. A term is a product of the same
factors whatever their order, and whichever of them the forward sweep has multiplied.
"""

from __future__ import annotations

import math
import operator

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.rewrites.algebra_rewrites import (
    ADD,
    DIV,
    MUL,
    NEG,
    SUB,
    divides,
    number,
    tidy_number,
)
from yota_ast.adjoint.rewrites.common_values import identity
from yota_ast.adjoint.rewrites.rewrite_conditions import adds_numbers, axes_at
from yota_ast.adjoint.rewrites.rewrite_engine import Fn, Rewriter, fact
from yota_ast.adjoint.rewrites.rewrite_patterns import Table, computed, signed
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import Apply
from yota_ast.syntax.names import is_weak

_DEEPEST = 12


def doubled(r: Rewriter, op: Apply) -> Atom | None:
    """a + a is 2 * a, and c + a + a is c + 2 * a."""
    a, b = op.args
    before = r.inner(a, ADD)
    if before is not None and before.args[1] == b and isinstance(b, Var):
        r.uses[b.name] = r.uses.get(b.name, 2) - 1
        return r.apply(ADD, before.args[0], r.apply(MUL, Const(2), b))
    if a != b or not isinstance(a, Var):
        return None
    r.uses[a.name] = r.uses.get(a.name, 2) - 1  # read once from now on
    return r.apply(MUL, Const(2), a)


def turned(r: Rewriter, op: Apply) -> Atom | None:
    """a + -2 * b is a - 2 * b, -2 * b + a likewise, and a - -2 * b is a + 2 * b. So is
    a + -b @ c, a - b @ c."""
    (a, b), fn = op.args, SUB if op.fn is ADD else ADD
    positive = _turned(r, b)
    if positive is None and fn is SUB and (first := _turned(r, a)) is not None:
        return r.apply(SUB, b, first)
    return None if positive is None else r.apply(fn, a, positive)


def _turned(r: Rewriter, atom: Atom) -> Atom | None:
    """A product that begins with a negative number, with its sign changed."""
    product = r.inner(atom, MUL, DIV, operator.matmul)
    if product is None:
        return None
    first, rest = product.args
    n = number(first)
    if n is not None:
        return r.plain(product.fn, tidy_number(-n), rest) if n < 0 else None
    if product.fn is operator.matmul and (last := signed(r, rest, NEG)) is not None:
        return r.plain(product.fn, first, last.args[0])
    negated = signed(r, first, NEG)
    turned = _turned(r, first) if negated is None else negated.args[0]
    return None if turned is None else r.plain(product.fn, turned, rest)


@dataclass(slots=True)
class _Factors:
    """What a term is a product of: numbers, values, and what it is divided by."""

    numbers: list[float] = field(default_factory=list)
    of: dict[tuple[bool, object], int] = field(default_factory=dict)
    depth: int = 0
    """How many products are within one another."""

    @property
    def number(self) -> float:
        """The numbers multiplied, from left to right."""
        return math.prod(self.numbers, start=1.0)

    def count(self, factor: tuple[bool, object], times: int = 1) -> None:
        """A factor, or a divisor, so many times more."""
        self.of[factor] = self.of.get(factor, 0) + times

    def take(self, other: _Factors) -> None:
        """Multiply by another product."""
        self.numbers += other.numbers
        self.depth = max(self.depth, other.depth + 1)
        if not self.of:
            self.of.update(other.of)
            return
        for factor, times in other.of.items():
            self.count(factor, times)


def _factors(r: Rewriter, atom: Atom, depth: int = 0) -> _Factors:
    """What a term is a product of, as far as `_DEEPEST` products within one another.

    Noted, for in a long sum each is held against all that follow, and most are products
    of the same powers; and what has made a variable stays.
    """
    if not isinstance(atom, Var):
        return _of_constant(atom)
    known = r.factors.get(atom.name)
    if isinstance(known, _Factors) and (not depth or depth + known.depth <= _DEEPEST):
        return known
    made = _Factors()
    op = r.made_by(atom.name)
    if op is None or not _is_product(op):
        made.count((False, atom.name))
    elif depth > _DEEPEST:
        made.count((False, atom.name))
        made.depth = _DEEPEST  # so that nobody within a product takes it for the whole
    else:
        _multiply(r, made, op.args[0], depth + 1)
        if op.fn is NEG:
            made.numbers.append(-1)
        elif op.fn is MUL:
            _multiply(r, made, op.args[1], depth + 1)
        else:
            made.count((True, identity(op.args[1])))
    if not depth or depth + made.depth <= _DEEPEST:
        r.factors[atom.name] = made
    return made


def _multiply(r: Rewriter, made: _Factors, atom: Atom, depth: int) -> None:
    """Multiply by an atom: most are no products themselves."""
    op = r.made_by(atom.name) if isinstance(atom, Var) else None
    if isinstance(atom, Var) and (op is None or not _is_product(op)):
        made.depth = max(made.depth, 1)
        made.count((False, atom.name))
    else:
        made.take(_factors(r, atom, depth))


def _of_constant(atom: Const) -> _Factors:
    made, n = _Factors(), number(atom)
    if n is None:
        made.count((False, identity(atom)))
    else:
        made.numbers.append(n)
    return made


def _is_product(op: Apply) -> bool:
    """Whether a value is a product, a quotient by a scalar, or a negative."""
    return op.fn in (MUL, NEG) or (op.fn is DIV and divides(op))


def together(r: Rewriter, op: Apply) -> Atom | None:
    """A sum, the last term of which is some multiple of another."""
    rest, last = op.args
    if r.inner(last, MUL, DIV, NEG) is None or not fact(last).is_numeric:
        return None
    factors = _factors(r, last)
    terms: list[tuple[int, Atom]] = []
    while len(terms) <= _DEEPEST:
        chain = r.inner(rest, ADD, SUB)
        before = None if chain is None else chain.args[0]
        sign, term = (1, rest) if chain is None else (_sign(chain), chain.args[1])
        n = 1 + sign * _sign(op) * _multiple(r, term, factors)
        if n not in (0, 1):
            _released(r, last)
            more = r.apply(MUL, tidy_number(n), term)
            return _summed(r, before, [(sign, more), *reversed(terms)])
        if before is None:
            return None
        terms.append((sign, term))
        rest = before
    return None


def factored(r: Rewriter, op: Apply) -> Atom | None:
    """x * a - y * a is (x - y) * a, which passes over a once, and -(x * a) + y * a is
    (y - x) * a."""
    left, right = (_term(r, a, MUL) for a in op.args)
    turned = None if left is not None or op.fn is SUB else _term(r, op.args[0], NEG)
    if turned is not None:
        left = r.inner(turned.args[0], MUL)
    if left is None or right is None:
        return None
    for k, m in ((0, 0), (1, 1), (0, 1), (1, 0)):
        a, x, y = left.args[k], left.args[1 - k], right.args[1 - m]
        if a == right.args[m] and isinstance(a, Var) and _fit(r, op, x, y, a):
            rest = r.apply(op.fn, x, y) if turned is None else r.apply(SUB, y, x)
            return r.apply(MUL, a, rest) if k == 0 else r.apply(MUL, rest, a)
    return None


def _term(r: Rewriter, atom: Atom, fn: Fn) -> Apply | None:
    """The op that made a term which the sum alone reads, an adjoint with a name too:
    the sum goes on under it."""
    op = r.maker(atom, fn)
    if op is None or is_weak(op.out.hint):
        return r.inner(atom, fn)
    return op if op.origin.reverse and r.uses.get(op.out.name, 2) < 2 else None


def _fit(r: Rewriter, op: Apply, x: Atom, y: Atom, a: Atom) -> bool:
    """Whether a sum of two factors is no larger than one of them: of vectors that stand
    for rows and columns it would be a matrix. Truth values and short integers are not
    added, for NumPy's sum of them is none of numbers."""
    if not adds_numbers(r, x, y):
        return False
    if fact(x).is_scalar and fact(y).is_scalar:
        return True
    if isinstance(a, Const):
        return False
    return any(r.assumed.same_shape(each, op.out) for each in (x, y))


def _sign(op: Apply) -> int:
    return 1 if op.fn is ADD else -1


def _multiple(r: Rewriter, term: Atom, factors: _Factors) -> float:
    """What whole number times `term` the product of the factors is; 0: none."""
    if r.inner(term, MUL, DIV, NEG) is None:
        return 0
    others = _factors(r, term)
    if others.of != factors.of:
        return 0
    divisor = others.number
    if not divisor:
        return 0
    n = factors.number / divisor
    return n if n.is_integer() else 0


def _summed(r: Rewriter, total: Atom | None, terms: list[tuple[int, Atom]]) -> Atom:
    """What comes before, and terms with their signs, the first of them new."""
    for k, (sign, term) in enumerate(terms):
        if total is None:
            total = term
        else:
            add = r.apply if k == 0 else r.plain
            total = add(ADD if sign > 0 else SUB, total, term)
    assert total is not None
    return total


def _released(r: Rewriter, atom: Atom) -> None:
    """What a term is made of is read once less."""
    op = r.inner(atom, MUL, DIV, NEG)
    for a in () if op is None else op.args:
        _released(r, a)
        if isinstance(a, Var):
            r.uses[a.name] = r.uses.get(a.name, 1) - 1


def normalised(r: Rewriter, op: Apply) -> Atom | None:
    """The adjoint of what is divided by its sum, `w = e / e.sum()`, and then multiplied
    by e: `(d / s - (d / s * w).sum()) * e` is `w * (d - (d * w).sum())`."""
    for de, e in (op.args, op.args[::-1]):
        change = r.maker(de, SUB)
        if change is None or r.beside or r.uses.get(change.out.name, 1) > 1:
            continue
        share, total = r.maker(change.args[0], DIV), change.args[1]
        spread = r.maker(total, operator.getitem)  # (d / s * w).sum(axis=1)[:, None]
        total = total if spread is None else spread.args[0]
        reduced = r.maker(total, np.sum, np.vdot)
        if share is None or reduced is None or r.uses.get(share.out.name, 1) > 2:
            continue
        d, s = share.args
        w = _weighted(r, reduced, share.out)
        made = r.maker_of(w) if w is not None else None
        if w is None or made is None or made.fn is not DIV or made.args != (e, s):
            continue
        s = s if spread is None else _spread_alike(r, s, spread)
        if not _is_sum_of(r, s, e, reduced) or fact(e).is_complex:
            continue
        if reduced.fn is np.vdot:
            mean = r.apply(np.vdot, d, w)
        else:
            product = r.apply(MUL, d, w)
            mean = r.method("sum", product, *reduced.args[1:], kwargs=reduced.kwargs)
        if spread is not None:
            mean = r.apply(operator.getitem, mean, spread.args[1])
        return r.apply(MUL, w, r.apply(SUB, d, mean))
    return None


def _spread_alike(r: Rewriter, s: Atom, spread: Apply) -> Atom:
    """What a divisor has been made of by the same index."""
    made = r.maker_of(s)
    alike = made is not None and made.fn is operator.getitem
    return made.args[0] if made and alike and made.args[1] == spread.args[1] else s


def _weighted(r: Rewriter, reduced: Apply, share: Var) -> Atom | None:
    """What a sum of products multiplies with a value."""
    product = reduced if reduced.fn is np.vdot else r.maker(reduced.args[0], MUL)
    if product is None or share not in product.args:
        return None
    left, right = product.args
    return right if left == share else left


def _is_sum_of(r: Rewriter, s: Atom, e: Atom, reduced: Apply) -> bool:
    """Whether a divisor is the sum of a value, over the axes of another sum: it is the
    same for all that this sums."""
    made = r.maker_of(s)
    if made is None or made.fn is not np.sum or r.atom(made.args[0]) != r.atom(e):
        return False
    if reduced.fn is np.vdot:
        return fact(s).is_scalar
    mine, theirs = (_settings(o, fact(e).rank) for o in (made, reduced))
    return mine is not None and mine == theirs


def _settings(op: Apply, rank: int | None) -> tuple[object, Atom] | None:
    """The axes that a sum runs over, and whether it keeps them; None: it has others."""
    given = dict(op.kwargs)
    if len(op.args) == 2:
        given["axis"] = op.args[1]
    axes = axes_at(given.pop("axis", Const(None)), rank)
    kept = given.pop("keepdims", Const(value=False))
    return None if given or axes is None or len(op.args) > 2 else (axes, kept)


FIRST_TABLE: Table = (computed(normalised, MUL),)
"""What is tried before anything else takes the parts."""
TABLE: Table = (
    computed(doubled, ADD),
    computed(turned, ADD, SUB),
    computed(together, ADD, SUB),
    computed(factored, ADD, SUB),
)
