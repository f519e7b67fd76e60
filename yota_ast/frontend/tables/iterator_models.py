"""What functions of `itertools` give of items whose number the text alone knows.

They are written in Python, and lowered like the user's helpers: a loop over pairs stays
two loops. `library/itertools_models.py` calls them; a pool is an array or a list.

>>> list(pairs([1, 2, 3])), list(pairs_in_any_order([1, 2]))
([(1, 2), (1, 3), (2, 3)], [(1, 2), (2, 1)])
>>> [(key, list(items)) for key, items in groups([1, 3, 4], lambda v: v % 2)]
[(1, [1, 3]), (0, [4])]
>>> accumulated([1, 3, 2], max), accumulated_from([2], max, 5)
([1, 3, 3], [5, 5])
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

Pool = Sequence[Any]
Function = Callable[..., Any]


def pairs(pool: Pool) -> Iterator[Any]:
    """`itertools.combinations` of two."""
    for i in range(len(pool)):
        for j in range(i + 1, len(pool)):
            yield pool[i], pool[j]


def triples(pool: Pool) -> Iterator[Any]:
    """`itertools.combinations` of three."""
    for i in range(len(pool)):
        for j in range(i + 1, len(pool)):
            for k in range(j + 1, len(pool)):
                yield pool[i], pool[j], pool[k]


def pairs_with_same(pool: Pool) -> Iterator[Any]:
    """`itertools.combinations_with_replacement` of two."""
    for i in range(len(pool)):
        for j in range(i, len(pool)):
            yield pool[i], pool[j]


def pairs_in_any_order(pool: Pool) -> Iterator[Any]:
    """`itertools.permutations` of two."""
    for i in range(len(pool)):
        for j in range(len(pool)):
            if i != j:
                yield pool[i], pool[j]


def product_of_two(pool: Pool, other: Pool) -> Iterator[Any]:
    """`itertools.product` of two pools."""
    for x in pool:
        for y in other:
            yield x, y


def product_of_three(pool: Pool, other: Pool, third: Pool) -> Iterator[Any]:
    """`itertools.product` of three pools."""
    for x in pool:
        for y in other:
            for z in third:
                yield x, y, z


def neighbours(pool: Pool) -> Iterator[Any]:
    """`itertools.pairwise`."""
    for k in range(len(pool) - 1):
        yield pool[k], pool[k + 1]


def enumerated(iterable: Any, start: int = 0) -> Iterator[Any]:
    """`enumerate` of what a generator yields."""
    k = start
    for x in iterable:
        yield k, x
        k += 1


def zipped(iterable: Any, pool: Pool) -> Iterator[Any]:
    """`zip` of what a generator yields, and of a pool."""
    k = 0
    for x in iterable:
        if k >= len(pool):
            break
        yield x, pool[k]
        k += 1  # noqa: SIM113  it is `enumerate` that is lowered so


def zipped_behind(pool: Pool, iterable: Any) -> Iterator[Any]:
    """`zip` of a pool, and of what a generator yields."""
    if len(pool) > 0:
        k, x = 0, pool[0]
        for y in iterable:
            yield x, y
            k += 1  # noqa: SIM113
            if k >= len(pool):
                break
            x = pool[k]


def first_of(iterable: Any, stop: int) -> Iterator[Any]:
    """`itertools.islice` of what a generator yields, from the beginning."""
    if stop > 0:
        k = 0
        for x in iterable:
            yield x
            k += 1  # noqa: SIM113
            if k == stop:
                break


def starmapped(function: Function, rows: Any) -> Iterator[Any]:
    """`itertools.starmap`."""
    for row in rows:
        yield function(*row)


def accumulated(pool: Pool, function: Function) -> list[Any]:
    """`itertools.accumulate`, all at once."""
    totals: list[Any] = []
    for x in pool:
        totals.append(function(totals[-1], x) if totals else x)
    return totals


def accumulated_from(pool: Pool, function: Function, initial: Any) -> list[Any]:
    """`itertools.accumulate` with a value to start from, all at once."""
    total = initial
    totals = [total]
    for x in pool:
        total = function(total, x)
        totals.append(total)
    return totals


def groups(pool: Pool, key: Function) -> Iterator[Any]:
    """`itertools.groupby`."""
    start = 0
    for k in range(1, len(pool) + 1):
        if k == len(pool) or key(pool[k]) != key(pool[start]):
            yield key(pool[start]), pool[start:k]
            start = k


OF_MANY: Final[dict[tuple[object, int], Any]] = {
    (itertools.combinations, 2): pairs,
    (itertools.combinations, 3): triples,
    (itertools.combinations_with_replacement, 2): pairs_with_same,
    (itertools.permutations, 2): pairs_in_any_order,
    (itertools.product, 2): product_of_two,
    (itertools.product, 3): product_of_three,
}
"""The models of a function for so many items of each combination."""
