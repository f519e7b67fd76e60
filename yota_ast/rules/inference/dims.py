"""Shapes of operands -> the shape of a result, with symbolic lengths.

>>> from ...facts import Dim, UNIT
>>> n, k = Dim("x.shape[0]", 0, 4), Dim("x.shape[1]", 0, 3)
>>> broadcast([(n, k), (k,), ()]) == (n, k)
True
>>> broadcast([(n, UNIT), (k,)]) == (n, k)
True
>>> broadcast(["x.shape", (), "x.shape"])
'x.shape'
"""

from __future__ import annotations

from collections.abc import Sequence

from ...facts import Dim, Shape

Axis = Dim | None


def broadcast(shapes: Sequence[Shape]) -> Shape:
    """The shape to which NumPy broadcasts operands of these shapes."""
    shaped = [s for s in shapes if s != ()]
    if not shaped:
        return ()
    first = shaped[0]
    if isinstance(first, str) or first is None:
        return first if all(s == first for s in shaped) else None
    known = [s for s in shaped if isinstance(s, tuple)]
    if len(known) != len(shaped):
        return None
    rank = max(map(len, known))
    axes: list[Axis] = []
    for k in range(rank, 0, -1):
        present = [s[-k] for s in known if len(s) >= k]
        axis = present[0]
        for other in present[1:]:
            axis = broadcast_axis(axis, other)
        axes.append(axis)
    return tuple(axes)


def broadcast_axis(a: Axis, b: Axis) -> Axis:
    """The length of an axis that two operands share.

    Of two lengths that differ in name, the first: the program runs only where they
    agree, or where one is 1, which `size` tells.
    """
    if a == b:
        return a
    if a is not None and a.is_unit:
        return b
    if b is not None and b.is_unit:
        return a
    if a is None or b is None:
        known = b if a is None else a
        return known if known is not None and _surely_not_one(known) else None
    if _surely_not_one(a):
        return a
    return b if _surely_not_one(b) else None


def _surely_not_one(dim: Dim) -> bool:
    """Whether the length is not 1, by the program or by the example."""
    return dim.size is not None and dim.size != 1
