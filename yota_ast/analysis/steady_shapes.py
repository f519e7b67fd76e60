"""What a loop hands on, before and after an iteration -> the lengths that stay.

>>> from yota_ast.ir.abstract_values import array_fact
>>> n, m = Dim("x.shape[0]", 0, 3), Dim("A.shape[0]", 0, 3)
>>> x, y = array_fact("f8", (n,)), array_fact("f8", (m,))
>>> steady(x, y) == [(n, m)], steady(x, x)
(True, [])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from yota_ast.ir.abstract_values import Fact, Shape, anonymous
from yota_ast.ir.axis_lengths import Dim

Names = tuple[str | None, ...]
"""Of each axis of what a loop hands on, a name for those as long as it."""


def steady(before: Fact, after: Fact) -> list[tuple[Dim, Dim]]:
    """The lengths of an array that a loop hands on which differ in name alone: in the
    example they are equal, and not 1, and so they are in every iteration where they are
    when the function begins."""
    p, q = before.shape, after.shape
    if before.kind != "array" or after.kind != "array" or p == q:
        return []
    if not isinstance(p, tuple) or not isinstance(q, tuple) or len(p) != len(q):
        return []
    return [
        (a, b)
        for a, b in zip(p, q, strict=True)
        if a is not None and b is not None and a != b
        if a.size is not None and a.size == b.size != 1 and not (a.is_cut or b.is_cut)
    ]


def steadied(before: Fact, after: Fact) -> Shape:
    """The shape of what an iteration hands on, its lengths called as before it where
    they differ in name alone: each axis by that of the same place, for one name may
    stand for two.

    >>> from yota_ast.ir.abstract_values import array_fact
    >>> n, m = Dim("P.shape[0]", 0, 3), Dim("P.shape[1]", 0, 3)
    >>> a = Dim("A.shape[0]", 0, 3)
    >>> steadied(array_fact("f8", (n, m)), array_fact("f8", (a, a))) == (n, m)
    True
    """
    p, q = before.shape, after.shape
    if not isinstance(p, tuple) or not isinstance(q, tuple):
        return q
    lengths = steady(before, after)
    return tuple(a if (a, b) in lengths else b for a, b in zip(p, q, strict=True))


def alike(handed_on: Iterable[tuple[Fact, Names, Fact, Fact]]) -> list[Names]:
    """Which axes of what a loop hands on are as long as each other in every iteration.

    Each is given by what is known of it in all iterations, the names of its axes so
    far, and by what is known of it before the loop and after an iteration. Axes whose
    length changes are first taken for alike where they are as long before the loop;
    then only those that are as long after an iteration as well.

    >>> from yota_ast.ir.abstract_values import array_fact
    >>> n = Dim("x.shape[0]", 0, 5)
    >>> new, old = array_fact("f8", (None,)), array_fact("f8", (n,))
    >>> ends = [array_fact("f8", (n.shifted(by),)) for by in (-1, -1, 0)]
    >>> first = alike((new, (), old, end) for end in ends)
    >>> first
    [('0:0',), ('0:0',), ('0:0',)]
    >>> alike((new, names, old, end) for names, end in zip(first, ends))
    [('0:0',), ('0:0',), ('2:0',)]
    """
    given = list(handed_on)
    axes = [
        (k, axis, names[axis] if names else None, before, after)
        for k, (known, names, one, other) in enumerate(given)
        for axis, before, after in _changing(known, one, other)
    ]
    is_first = any(name is None for _, _, name, _, _ in axes)
    found: dict[object, str] = {}
    result: list[list[str | None]] = [
        [None] * len(known.shape) if isinstance(known.shape, tuple) else []
        for known, _, _, _ in given
    ]
    for k, axis, name, before, after in axes:
        own = f"{k}:{axis}"
        key = before if is_first else (name, before, after or own)
        result[k][axis] = found.setdefault(key, own)
    return [tuple(names) if any(names) else () for names in result]


def _changing(
    known: Fact, before: Fact, after: Fact
) -> Iterator[tuple[int, Dim, Dim | None]]:
    """The axes whose length is known before the loop, but not in all iterations."""
    shape, p, q = anonymous(known).shape, before.shape, after.shape
    if not (isinstance(shape, tuple) and isinstance(p, tuple) and len(p) == len(shape)):
        return
    ends = q if isinstance(q, tuple) and len(q) == len(p) else (None,) * len(p)
    for axis, (length, one, other) in enumerate(zip(shape, p, ends, strict=True)):
        if length is None and one is not None:
            yield axis, one, other
