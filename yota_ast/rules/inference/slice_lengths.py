"""The length of an axis, and the ends of a slice -> the length that the slice leaves.

A slice whose ends are written leaves what they say; one whose ends are variables leaves
the difference of its ends, if the axis is surely as long as its stop:

>>> from yota_ast.ir.axis_lengths import axis_dim
>>> n, k = axis_dim("x.shape[0]", 5), Dim("k", 0, 3)
>>> str(length_of_slice(n, slice(1, -1))), str(sliced(n, ZERO, n.shifted(-1)))
('x.shape[0] - 2', 'x.shape[0] - 1')

Otherwise its length has a name, and is the difference of its ends where the axis is
long enough, as in the example:

>>> part = length_of_names(n, (2, k.shifted(1), None))
>>> str(part), str(part.uncut.length), [*map(str, part.uncut.naturals)]
('@x.shape[0][2:k + 1:]', 'k - 1', ['k + 1', '(x.shape[0] - k) - 1'])
"""

from __future__ import annotations

from yota_ast.ir.axis_lengths import (
    ZERO,
    Dim,
    End,
    Term,
    Uncut,
    alone,
    is_natural,
    least_outside,
    literal_dim,
    part,
    total,
    up_to,
)
from yota_ast.rules.inference.dims import taken_for_natural

Ends = tuple[End, End, End]


def length_of_slice(axis: Dim, written: slice) -> Dim | None:
    """Return the length that a slice leaves whose ends are written."""
    ends = (written.start, written.stop, written.step)
    if not all(v is None or isinstance(v, int) for v in ends):
        return None
    if not axis.base:
        return literal_dim(len(range(axis.offset)[written]))
    if ends == (None, None, -1):
        return axis
    if written.step not in (None, 1):
        return _strided(axis, written)
    start, stop = written.start or 0, written.stop
    if start < 0:
        if stop is not None and stop >= 0:
            return None
        return up_to(axis, -start).shifted(stop or 0)
    if stop is not None and stop >= 0:
        return up_to(axis, stop).shifted(-start)
    return axis.shifted((stop or 0) - start)


def _strided(axis: Dim, written: slice) -> Dim | None:
    """Return how many every second item are, say, from one on to the end, or to one
    that is counted from the end.

    >>> axis = Dim("n", 0, 9)
    >>> str(_strided(axis, slice(1, -1, 2))), str(_strided(axis, slice(None, None, 2)))
    ('((n - 1) // 2)', '((n + 1) // 2)')
    """
    start, stop, step = written.start or 0, written.stop, written.step
    if start < 0 or step < 1 or (stop is not None and stop >= 0):
        return None
    if axis.uncut is not None:
        return None
    return part(axis.shifted((stop or 0) - start + step - 1), step)


def length_of_names(axis: Dim, ends: Ends) -> Dim:
    """Return the length that a slice leaves whose ends are variables: it has a name,
    that of all such slices."""
    uncut = None
    if ends[2] in (None, 1):
        length = sliced(axis, ends[0], ends[1])
        if length is not None:
            return length
        uncut = _uncut(axis, ends[0], ends[1])
    start, stop, step = ("" if e is None else str(e) for e in ends)
    return Dim(f"@{axis}[{start}:{stop}:{step}]", uncut=uncut)


def sliced(axis: Dim, start: End, stop: End) -> Dim | None:
    """Return the length of `x[start:stop]`; None where it may be cut off by the axis.

    A stop that is below 0 counts from the end. Where that cannot be excluded, and the
    length is not below 0 in the example, the text checks that it is not.
    """
    first, last, counted = _numbers(axis, start, stop)
    if first is None or last is None:
        return None
    length, terms = total([(last, 1), (first, -1)]), list[Term]()
    within = total([(axis, 1), (last, -1)])
    if length is None or not (is_natural(first, terms) and is_natural(within, terms)):
        return None
    naturals = [*map(alone, terms), *(n for n in counted if not is_natural(n))]
    if last != axis and not is_natural(last):
        naturals.append(length)
    return length if all(map(taken_for_natural, naturals)) else None


def _uncut(axis: Dim, start: End, stop: End) -> Uncut | None:
    """Return what `x[start:stop]` leaves of an axis that cuts nothing off, where start
    and stop are not below 0, and stop is not more than the length of the axis, as in
    the example."""
    whole = axis.uncut or Uncut(axis)
    first, last, counted = _numbers(whole.length, start, stop)
    if first is None or last is None:
        return None
    length = total([(last, 1), (first, -1)])
    within = total([(whole.length, 1), (last, -1)])
    if length is None:
        return None
    naturals = list(whole.naturals)
    for number in (first, last, within, *counted):
        if not is_natural(number):
            least = least_outside(number)
            if least is None:
                return None
            naturals.append(least)
    return Uncut(length, (*dict.fromkeys(naturals),), axis.base)


def _numbers(
    axis: Dim, start: End, stop: End
) -> tuple[Dim | None, Dim | None, list[Dim]]:
    """Return the ends of a slice as numbers, and what is not below 0 for that."""
    counted: list[Dim] = []
    first = ZERO if start is None else _number(start, axis, counted)
    last = axis if stop is None else _number(stop, axis, counted)
    return first, last, counted


def _number(end: int | Dim, axis: Dim, counted: list[Dim]) -> Dim | None:
    """Return an end of a slice; one that is below 0, as `-k` is where k is above 0,
    counts from the end of the axis."""
    if isinstance(end, int):
        return literal_dim(end) if end >= 0 else axis.shifted(end)
    distance = total([(end, -1)])
    if distance is None or distance.offset < 0 or not distance.base:
        return end
    if any(often < 0 for _, often in distance.terms):
        return end
    counted.append(distance.shifted(-1))
    return total([(axis, 1), (end, 1)])
