"""Generators that random programs loop over.

>>> list(rising([1.0, 2.0])), list(couples([1, 2, 3])), list(halving(0.3))
([1.0, 3.0], [(1, 2), (1, 3), (2, 3)], [0.3, 0.15])
>>> list(both([[1.0], [2.0]])), list(above([3.0, -1.0]))
([[2.0], [1.0], [2.0]], [3.0, -0.5, 1])
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def rising(v: Any) -> Iterator[Any]:
    """The sums of the first items."""
    total = 0.0
    for x in v:
        total += x
        yield total


def couples(v: Any) -> Iterator[Any]:
    """The pairs of items."""
    for i in range(len(v)):
        for j in range(i + 1, len(v)):
            yield v[i], v[j]


def halving(s: Any) -> Iterator[Any]:
    """A number and its halves, as long as they are large."""
    while abs(s) > 0.1:
        yield s
        s = s * 0.5


def above(v: Any) -> Iterator[Any]:
    """Positive items, and halves of others; how many there are at the end."""
    n = 0
    for x in v:
        if x > 0:
            n += 1
            yield x
        else:
            yield 0.5 * x
    yield n


def both(m: Any) -> Iterator[Any]:
    """The last item, and all of them."""
    yield m[-1]
    yield from m
