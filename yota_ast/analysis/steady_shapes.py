"""What a loop hands on, before and after an iteration -> the lengths that stay.

>>> from yota_ast.ir.abstract_values import array_fact
>>> n, m = Dim("x.shape[0]", 0, 3), Dim("A.shape[0]", 0, 3)
>>> x, y = array_fact("f8", (n,)), array_fact("f8", (m,))
>>> steady(x, y) == [(n, m)], steady(x, x)
(True, [])
"""

from __future__ import annotations

from yota_ast.ir.abstract_values import Fact, Shape
from yota_ast.ir.axis_lengths import Dim


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
