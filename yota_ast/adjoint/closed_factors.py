"""The adjoint of a matrix by that of its Cholesky factor, where this is made of terms
that a formula is known for.

What is solved with the factor L of K, and the logarithms of its diagonal, are functions
of K alone. Where dL is `np.diag(c / np.diag(L)) - np.outer(a, b)` with `L.T @ a = b`,
what reaches K as a whole is `c * inv(K) - np.outer(a, a)`: no product with L is needed,
nor two more with its inverse. The triangle that has been read gets both halves.

In: an adjoint of a factor, and the rewriter with the ops of both sweeps.  Out: that of
the matrix; None where another term reaches the factor. Murray (2016), Differentiation
of the Cholesky decomposition, equations 9 and 10, with a symmetric matrix in Phi.
"""

from __future__ import annotations

import math
import operator
import sys
from collections import Counter

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.rewrites.rewrite_engine import Rewriter, fact
from yota_ast.adjoint.rewrites.rewrite_patterns import operands
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import Apply
from yota_ast.ops import info
from yota_ast.ops.algebra import TERMS, operated
from yota_ast.runtime import uncho_factor, uncho_solve, undiag, undiagonal, unlower

Scale = tuple[Atom, ...]
"""The numbers that a term is multiplied by, `Const(-1)` for a sign."""


def of_factor(r: Rewriter, op: Apply) -> Atom | None:
    """Return the adjoint of a matrix in `L = np.linalg.cholesky(K)`, and its like."""
    d, y, told = operands(op).values()
    if not isinstance(told, Const):
        return None
    lower = bool(told.value) is not (op.fn is unlower)  # that is told of `upper`
    known = fact(y)
    if known.rank != 2 or fact(d).rank != 2 or known.dtype != np.float64:
        return None
    found = _Factor(r, y, lower, alone=op.fn is uncho_factor)
    if not found.add(d, ()):
        return None
    whole = found.whole(by_factors=op.fn is not unlower)
    if whole is None:
        return None
    part = r.apply(np.tril if lower else np.triu, whole)
    half = r.apply(operator.truediv, r.apply(np.diag, whole), Const(2))
    return r.apply(operator.sub, part, r.apply(np.diag, half))


def of_multiple(r: Rewriter, op: Apply) -> Atom | None:
    """Return `c * solve(L.T, z)` for `solve(L.T, c * z)`, L the factor of a matrix:
    what reaches the matrix is made of the same solution."""
    left = r.maker_of(op.args[0])
    turned = _transposed(left) if left is not None else None
    factor = r.maker_of(turned) if turned is not None else None
    if factor is None or factor.fn is not np.linalg.cholesky or op.kwargs:
        return None
    by, value = _scaled(r, op.args[1], ())
    if not by or fact(value).kind != "array":
        return None
    value = r.apply(np.linalg.solve, op.args[0], value)
    for number in by:
        value = r.apply(operator.mul, number, value)
    return value


@dataclass(slots=True)
class _Factor:
    """The terms that reach a factor y. lower: its triangle. alone: whether what stands
    outside of that counts. inverses: the factors of the inverse of the matrix. outers:
    those of `np.outer(a, b)`, or of `a @ b.T`; pairs: the same of what reaches the
    matrix as such a product and that of b and a."""

    r: Rewriter
    y: Atom
    lower: bool
    alone: bool
    inverses: list[Scale] = field(default_factory=list)
    outers: list[tuple[Scale, Atom, Atom]] = field(default_factory=list)
    pairs: list[tuple[Scale, Atom, Atom]] = field(default_factory=list)

    def add(
        self, d: Atom, by: Scale, *, turned: bool = False, cut: bool = False
    ) -> bool:
        """Add the terms of an adjoint; say whether all are known. by: the numbers that
        it is multiplied by. turned: whether it is transposed; cut: to its triangle."""
        by, d = _scaled(self.r, d, by)
        op = self.r.maker_of(d)
        if op is None:
            return False
        arithmetic = operated(op.fn)
        if arithmetic in TERMS:
            second = by if arithmetic == "sum" else (*by, Const(-1))
            one = self.add(op.args[0], by, turned=turned, cut=cut)
            return one and self.add(op.args[1], second, turned=turned, cut=cut)
        if op.fn is (np.tril if self.lower is not turned else np.triu):
            alone = len(op.args) == 1
            return alone and self.add(op.args[0], by, turned=turned, cut=True)
        if (of := _transposed(op)) is not None:
            return self.add(of, by, turned=not turned, cut=cut)
        return self._of_diagonal(op, by) or self._of_product(op, by, turned, cut)

    def _of_diagonal(self, op: Apply, by: Scale) -> bool:
        """Add `c / np.diag(y)` on the diagonal."""
        whole = op.fn is np.diag or (
            op.fn in (undiag, undiagonal) and len(op.args) == 2
        )
        if not whole or fact(op.args[0]).rank != 1:
            return False
        by, q = _scaled(self.r, op.args[0], by)
        over = self.r.maker_of(q)
        if over is None or operated(over.fn) != "quotient":
            return False
        c, t = over.args
        of = self.r.maker_of(t)
        if of is None or of.fn not in (np.diag, np.diagonal) or of.args != (self.y,):
            return False
        if not fact(c).is_scalar:
            return False
        self.inverses.append((*by, c))
        return True

    def _of_product(self, op: Apply, by: Scale, turned: bool, cut: bool) -> bool:
        """Add a product of vectors, or the sum of both that `cho_solve` adds."""
        found = _outer(self.r, op)
        if found is not None and (cut or not self.alone):
            a, b = found[::-1] if turned is self.lower else found
            (by, a), (more, b) = _scaled(self.r, a, by), _scaled(self.r, b, ())
            self.outers.append(((*by, *more), a, b))
            return True
        both = self.r.maker_of(op.args[0]) if op.fn is operator.getitem else None
        if both is None or both.fn is not uncho_solve or op.args[1] != Const(0):
            return False
        a, factor, b = both.args
        if not self._is_factor(factor) or turned or _rank(a, b) is None:
            return False
        self.pairs.append(((*by, Const(-1)), a, b))
        return True

    def _is_factor(self, factor: Atom) -> bool:
        """Return whether a pair is the factor and its triangle."""
        op, pair = self.r.maker_of(factor), self._pair()
        if op is None or op.fn is not build_tuple:
            return pair is not None and pair == factor
        y, lower = op.args
        told = self.r.maker_of(lower)
        if told is not None and told.fn is operator.getitem and pair is not None:
            return y == self.y and told.args == (pair, Const(1))
        return (y, lower) == (self.y, Const(self.lower))

    def _pair(self) -> Atom | None:
        """Return the pair that the factor is the first item of."""
        of = self.r.maker_of(self.y)
        return of.args[0] if of is not None and of.fn is operator.getitem else None

    # ------------------------------------------------------------ the matrix

    def whole(self, *, by_factors: bool) -> Atom | None:
        """Return the sum of both halves of what reaches the matrix. by_factors: whether
        its inverse is that of `cho_solve`."""
        left = list(self.outers)
        found: list[tuple[Scale, Atom, Atom]] = []
        while left:
            by, a, b = left.pop(0)
            if (back := self._turned_back(a)) is None:
                return None
            factors, u, solution = back
            if u == b:  # the vectors that the matrix gives b
                a = self._solved(solution, b) if factors else a
                found.append(((*by, *factors), a, a))
                continue
            other = next((o for o in left if self._is_turned(by, a, b, *o)), None)
            if other is None:
                return None
            left.remove(other)
            self.pairs.append((by, a, other[1]))
        for by, a, b in self.pairs:
            times = self._ratio(a, b)
            if times is not None:
                found.append(((*by, *times, Const(2)), b, b))
            else:
                found += [(by, a, b), (by, b, a)]
        terms = [(by, self._inverse(by_factors)) for by in self.inverses]
        return self._sum([*terms, *((by, self._outer(a, b)) for by, a, b in found)])

    def _is_turned(
        self, by: Scale, a: Atom, b: Atom, other: Scale, c: Atom, e: Atom
    ) -> bool:
        """Return whether of two products each is the other one transposed, with `y.T`
        on the left and its inverse on the right."""
        one, two = self._turned_back(a), self._turned_back(c)
        if one is None or two is None or _number(by) != _number(other):
            return False
        return (one[0], one[1], two[0], two[1]) == ((), e, (), b)

    def _turned_back(self, a: Atom) -> tuple[Scale, Atom, Apply] | None:
        """Return u of `a` with `L.T @ a = u`, what it is multiplied by, and the op."""
        op = self.r.maker_of(a)
        if op is None or len(op.args) < 2 or not info(op.fn).solves:
            return None
        left = self.r.maker_of(op.args[0])
        turned = left is not None and _transposed(left) == self.y
        if not turned and op.args[0] != self.y:
            return None
        if op.fn is not np.linalg.solve:
            names = ("trans", "lower", "unit_diagonal")
            given = {**dict(zip(names, op.args[2:], strict=False)), **dict(op.kwargs)}
            settings = [given.get(name, Const(0)) for name in names]
            if not all(isinstance(v, Const) for v in settings):
                return None
            trans, lower, unit = (v.value for v in settings if isinstance(v, Const))
            if unit or bool(lower) is (turned is self.lower):  # the other triangle
                return None
            turned = turned is not (trans in (1, "T"))
        if turned is not self.lower:
            return None
        return (*_scaled(self.r, op.args[1], ()), op)

    def _solved(self, op: Apply, b: Atom) -> Atom:
        """Return the solution of the same system for another right side."""
        return self.r.apply(op.fn, op.args[0], b, *op.args[2:], kwargs=op.kwargs)

    def _ratio(self, a: Atom, b: Atom) -> Scale | None:
        """Return the numbers by which a is b multiplied, where that is seen."""
        times, a = _scaled(self.r, a, ())
        if a == b:
            return times
        one, two = self.r.maker_of(a), self.r.maker_of(b)
        if one is None or two is None or one.fn is not two.fn or len(one.args) < 2:
            return None
        alike = one.args[:1] + one.args[2:] == two.args[:1] + two.args[2:]
        if not (alike and one.kwargs == two.kwargs and info(one.fn).solves):
            return None
        more = self._ratio(one.args[1], two.args[1])
        return None if more is None else (*times, *more)

    def _outer(self, a: Atom, b: Atom) -> Atom:
        if _rank(a, b) == 1:
            return self.r.apply(np.outer, a, b)
        return self.r.apply(operator.matmul, a, self.r.attribute("T", b))

    def _inverse(self, by_factors: bool) -> Atom:
        r = self.r
        if by_factors:
            factor = self._pair()
            if factor is None:
                factor = r.apply(build_tuple, self.y, Const(self.lower))
            unit = r.apply(np.eye, r.apply(len, self.y))
            return r.apply(sys.modules["scipy.linalg"].cho_solve, factor, unit)
        inverse = r.apply(np.linalg.inv, self.y)
        turned = r.attribute("T", inverse)
        both = (turned, inverse) if self.lower else (inverse, turned)
        return r.apply(operator.matmul, *both)

    def _sum(self, terms: list[tuple[Scale, Atom]]) -> Atom | None:
        """Return the sum of matrices, those added first that have no sign."""
        counted = Counter((_number(by), matrix) for by, matrix in terms)
        parts = [
            ((number * count, scale), matrix)
            for ((number, scale), matrix), count in counted.items()
        ]
        total: Atom | None = None
        for (number, scale), matrix in sorted(parts, key=lambda p: p[0][0] < 0):
            size = number if total is None else abs(number)
            factors = [*scale, *([Const(size)] if size != 1 else [])]
            value = matrix
            for factor in factors:
                value = self.r.apply(operator.mul, factor, value)
            if total is None:
                total = value
                continue
            fn = operator.add if number > 0 else operator.sub
            total = self.r.apply(fn, total, value)
        return total


def _number(by: Scale) -> tuple[float, Scale]:
    """Return the number that literals come to, and the other factors in order."""
    numbers = [a.value for a in by if isinstance(a, Const)]
    others = sorted((a for a in by if isinstance(a, Var)), key=lambda v: v.name)
    return float(math.prod(numbers)), tuple(others)  # type: ignore[arg-type]


def _scaled(r: Rewriter, atom: Atom, by: Scale) -> tuple[Scale, Atom]:
    """Return an atom without the numbers that it is multiplied by."""
    while (op := r.maker_of(atom)) is not None:
        arithmetic = operated(op.fn)
        if arithmetic == "negative":
            by, atom = (*by, Const(-1)), op.args[0]
        elif arithmetic == "product" and _is_number(op.args[0]):
            by, atom = (*by, op.args[0]), op.args[1]
        elif arithmetic == "product" and _is_number(op.args[1]):
            by, atom = (*by, op.args[1]), op.args[0]
        else:
            break
    return by, atom


def _is_number(atom: Atom) -> bool:
    if isinstance(atom, Const):
        return isinstance(atom.value, (int, float))
    return fact(atom).is_scalar and not fact(atom).is_complex


def _rank(a: Atom, b: Atom) -> int | None:
    """Return how many axes two values of one shape have."""
    known = fact(a).rank, fact(b).rank
    return next((rank for rank in known if rank in (1, 2)), None)


def _transposed(op: Apply) -> Atom | None:
    """Return the matrix that an op transposes."""
    return op.args[0] if op.fn is np.transpose and len(op.args) == 1 else None


def _outer(r: Rewriter, op: Apply) -> tuple[Atom, Atom] | None:
    """Return a and b of `np.outer(a, b)`, or of `a @ b.T` of matrices."""
    if op.fn is np.outer and all(fact(a).rank == 1 for a in op.args):
        return op.args[0], op.args[1]
    right = r.maker_of(op.args[1]) if op.fn is operator.matmul else None
    turned = _transposed(right) if right is not None else None
    if turned is None or fact(op.args[0]).rank != 2 or fact(turned).rank != 2:
        return None
    return op.args[0], turned
