"""Rewrites of sums of which two terms are the same product: they become one.

`dA * (k * D) + dA * D * k` is `2 * dA * (k * D)`. A term is a product of the same
factors whatever their order, and whichever of them the forward sweep has multiplied.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..tape import Apply, Atom, Var
from .algebra import ADD, DIV, MUL, NEG, SUB, divides, number, tidy_number
from .rewrite import Rewriter, fact, identity

_DEEPEST = 12


@dataclass(slots=True)
class _Factors:
    """What a term is a product of: a number, values, and what it is divided by."""

    number: float = 1.0
    of: dict[tuple[bool, object], int] = field(default_factory=dict)

    def take(self, r: Rewriter, atom: Atom, depth: int = 0) -> None:
        """Multiply by an atom."""
        n = number(atom)
        op = r.made_by(atom.name) if isinstance(atom, Var) else None
        if n is not None:
            self.number *= n
        elif op is None or depth > _DEEPEST or not _is_product(op):
            self.count(atom, divides=False)
        elif op.fn is NEG:
            self.number *= -1
            self.take(r, op.args[0], depth + 1)
        else:
            self.take(r, op.args[0], depth + 1)
            if op.fn is MUL:
                self.take(r, op.args[1], depth + 1)
            else:
                self.count(op.args[1], divides=True)

    def count(self, atom: Atom, *, divides: bool) -> None:
        """Once more a factor, or a divisor."""
        factor = divides, identity(atom)
        self.of[factor] = self.of.get(factor, 0) + 1


def _factors(r: Rewriter, atom: Atom) -> _Factors:
    """What a term is a product of. Noted, for in a long sum each is held against all
    that follow; and what has made a variable stays."""
    known = r.factors.get(atom.name) if isinstance(atom, Var) else None
    if not isinstance(known, _Factors):
        known = _Factors()
        known.take(r, atom)
        if isinstance(atom, Var):
            r.factors[atom.name] = known
    return known


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
            more = r.make(MUL, tidy_number(n), term)
            return _summed(r, before, [(sign, more), *reversed(terms)])
        if before is None:
            return None
        terms.append((sign, term))
        rest = before
    return None


def _sign(op: Apply) -> int:
    return 1 if op.fn is ADD else -1


def _multiple(r: Rewriter, term: Atom, factors: _Factors) -> float:
    """What whole number times `term` the product of the factors is; 0: none."""
    if r.inner(term, MUL, DIV, NEG) is None:
        return 0
    others = _factors(r, term)
    if others.of != factors.of or not others.number:
        return 0
    n = factors.number / others.number
    return n if n.is_integer() else 0


def _summed(r: Rewriter, total: Atom | None, terms: list[tuple[int, Atom]]) -> Atom:
    """What comes before, and terms with their signs, the first of them new."""
    for k, (sign, term) in enumerate(terms):
        if total is None:
            total = term
        else:
            add = r.make if k == 0 else r.plain
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


RULES = {ADD: (together,), SUB: (together,)}
