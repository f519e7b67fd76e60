"""Pairs of lengths that are equal -> which shapes certainly fit.

>>> n, m, k = Dim("x.shape[0]"), Dim("y.shape[0]"), Dim("z.shape[1]")
>>> lengths = EqualLengths.of([(n, m), (k, m)])
>>> lengths.same(n, k), lengths.same(n.shifted(-1), k.shifted(-1))
(True, True)
>>> lengths.broadcast([(n,), (k, m)]), UNRELATED.broadcast([(n,), (k, m)])
(True, False)
>>> lengths.multiply((k, n), (m,)), lengths.multiply((k, n), ())
(True, False)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.axis_lengths import ZERO, Dim, alone, counted, stopped

Axes = Sequence[Dim | None]


@dataclass(frozen=True, slots=True)
class EqualLengths:
    """first: by a length the one that it is called by, and that perhaps by another."""

    first: dict[Dim, Dim] = field(default_factory=dict)

    @staticmethod
    def of(pairs: Iterable[tuple[Dim, Dim]]) -> EqualLengths:
        """The lengths, of which these pairs are equal."""
        known = EqualLengths({})
        waiting = [*pairs]
        while waiting:
            left = [pair for pair in waiting if not known._joined(pair, shifted=False)]
            if len(left) == len(waiting):
                break
            waiting = left
        for pair in waiting:
            known._joined(pair, shifted=True)
        return known

    def _joined(self, pair: tuple[Dim, Dim], *, shifted: bool) -> bool:
        """Give two lengths one name. shifted: of `n - 1` and `m - 1` too, which no `n`
        may be given a name after: each would then lead to the other."""
        one, other = map(self.named, pair)
        if one.base == other.base:
            return True
        key, name = (one, other) if other.offset or not other.base else (other, one)
        if not key.base:
            key, name = name, key
        if key.offset and not shifted:
            return False
        self.first[key] = name
        return True

    def named(self, dim: Dim) -> Dim:
        """The first of the lengths that are equal to one."""
        while True:
            if dim in self.first:
                dim = self.first[dim]
            elif dim.offset and Dim(dim.base) in self.first:
                dim = self.first[Dim(dim.base)].shifted(dim.offset)
            else:
                return dim

    def same(self, p: Dim | None, q: Dim | None) -> bool:
        """Whether two lengths are certainly equal."""
        if p is None or q is None:
            return False
        return p == q or self.named(p) == self.named(q)

    def broadcast(self, shapes: Sequence[Axes]) -> bool:
        """Whether shapes certainly broadcast."""
        for k in range(1, max(map(len, shapes), default=0) + 1):
            dims = [s[-k] for s in shapes if len(s) >= k]
            known = {self.named(d) for d in dims if d is not None and not d.is_unit}
            if None in dims or len(known) > 1:
                return False
        return True

    def multiply(self, p: Axes, q: Axes) -> bool:
        """Whether two vectors or matrices certainly have a product."""
        few = 0 < len(p) < 3 and 0 < len(q) < 3
        return few and self.same(p[-1], q[max(-2, -len(q))])


UNRELATED: Final = EqualLengths()
"""Of no two lengths is it known that they are equal."""


def are_of_one_shape(one: Fact, other: Fact) -> bool:
    """Whether all lengths of the axes of a value are known, and are those of another.

    >>> from yota_ast.ir.abstract_values import array_fact
    >>> row, vector = array_fact("f8", (Dim("n"),)), array_fact("f8", (None,))
    >>> are_of_one_shape(row, row), are_of_one_shape(vector, vector)
    (True, False)
    """
    known = isinstance(one.shape, tuple) and None not in one.shape
    return known and one.shape == other.shape


def is_one_of(length: Dim | None, axis: Dim | None) -> bool:
    """Whether a length is that of `x[:1]` or `x[-1:]`, by that of x.

    >>> from yota_ast.ir.axis_lengths import UNIT, axis_dim, up_to
    >>> axis = axis_dim("x.shape[0]")
    >>> is_one_of(up_to(axis, 1), axis), is_one_of(UNIT, axis)
    (True, False)
    """
    return length is not None and stopped(length.base) == (str(axis), 1)


def remainder_of(dim: Dim) -> tuple[Dim, int] | None:
    """Return n and k of an integer that is `n - k * (n // k)`, or less than 0 by that.

    >>> from yota_ast.ir.axis_lengths import axis_dim, part, total
    >>> n = axis_dim("n")
    >>> [str(p) for p in remainder_of(total([(n, 1), (part(n, 3), -3)]))]
    ['n', '3']
    """
    counts, offset = counted([(dim, 1)])
    for term, often in counts.items():
        whole, by = term.part or (ZERO, 0)
        if isinstance(by, int) and by and not often % by:
            rest = counted([(dim, 1), (alone(term), -often), (whole, often // by)])
            if abs(often) == by and not offset and rest == ({}, 0):
                return whole, by
    return None
