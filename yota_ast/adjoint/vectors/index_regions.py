"""Indices within a loop -> the parts of an array that they name, and which are apart.

In `for j in range(i, n)` the element `d[i, j]` lies outside of `d[i, :i]`, whatever j
is; and two iterations never meet in `d[:i, j]`.

>>> i, n = Number("i"), Number("n")
>>> lanes = Lanes(i, n, frozenset("in"))
>>> element, row = (One(i), Lane(0)), (One(i), Span(Number(), i))
>>> lanes.are_apart(element, row), lanes.are_apart(row, row)
(True, False)
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import zip_longest
from typing import NamedTuple


class Number(NamedTuple):
    """A whole number: a variable, by its name, and what is added to it."""

    base: str = ""
    offset: int = 0

    def is_natural(self, natural: Container[str]) -> bool:
        """Return whether it is certainly not below 0; natural: the names of what is
        not."""
        return self.offset >= 0 and (not self.base or self.base in natural)

    def shifted(self, by: int) -> Number:
        """Return the number so much greater."""
        return Number(self.base, self.offset + by)


class One(NamedTuple):
    """A place that is the same in all iterations."""

    place: Number


class Lane(NamedTuple):
    """The place that is the number of the iteration, and so much more."""

    offset: int


class Span(NamedTuple):
    """A slice that is the same in all iterations; None: to the end."""

    start: Number
    stop: Number | None


Part = One | Lane | Span
Region = tuple[Part, ...]
_WHOLE = Span(Number(), None)


class Lanes(NamedTuple):
    """The iterations of a loop: from `low` to below `high`. natural: the names of what
    is not below 0."""

    low: Number
    high: Number
    natural: frozenset[str]

    def are_apart(self, one: Region, other: Region) -> bool:
        """Return whether two parts of an array have no element in common, whichever
        iterations they belong to."""
        return any(
            self._apart(p, q) for p, q in zip_longest(one, other, fillvalue=_WHOLE)
        )

    def is_natural(self, number: Number) -> bool:
        """Return whether a number is certainly not below 0."""
        return number.is_natural(self.natural)

    def _apart(self, one: Part, other: Part) -> bool:
        (first, end), (start, stop) = self._ends(one), self._ends(other)
        ends = [n for n in (first, end, start, stop) if n is not None]
        if not all(map(self.is_natural, ends)):
            return False  # counted from the end
        before = end is not None and self._at_most(end, start)
        return before or (stop is not None and self._at_most(stop, first))

    def _ends(self, part: Part) -> tuple[Number, Number | None]:
        match part:
            case One(place):
                return place, place.shifted(1)
            case Lane(offset):
                return self.low.shifted(offset), self.high.shifted(offset)
            case Span(start, stop):
                return start, stop

    def _at_most(self, one: Number, other: Number) -> bool:
        if one.base == other.base:
            return one.offset <= other.offset
        least = not one.base and other.base in self.natural
        return least and one.offset <= other.offset


def lane_of(region: Sequence[Part]) -> tuple[int, Lane] | None:
    """Return the one axis along which iterations lie next to one another."""
    found = [(k, part) for k, part in enumerate(region) if isinstance(part, Lane)]
    return found[0] if len(found) == 1 else None
