"""Boxes of places in an array -> whether they make up all of it, and how they stand in
a part of it.

An end of a box is counted from the front of its axis, (0, 2), or from behind, (1, -2).
An axis whose length the program does not write counts as longer than the numbers in
its slices: what is said here holds for arrays that are long enough. Boxes that begin
so far from the front and end so far from behind are within `one_box` in short arrays,
too.

>>> line = (None,)
>>> left, right = (window(slice(*ends), line) for ends in ((0, -1), (1, None)))
>>> covers([left.box], line), covers([left.box, right.box], line)
(False, True)
>>> inner = window((slice(1, -1), 0), (None, 3))
>>> inner.box
(((0, 1), (1, -1)), ((0, 0), (0, 1)))
>>> inner.within(whole((None, 3)), (None,))
(((0, 0), (1, 0)),)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import EllipsisType
from typing import TypeAlias

from yota_ast._speed.fast_dataclasses import dataclass

End: TypeAlias = tuple[int, int]
Span: TypeAlias = tuple[End, End]
"""From where to where, the end not among them."""
Box: TypeAlias = tuple[Span, ...]
Length: TypeAlias = int | None
"""Of an axis; None: the program does not write it."""

FRONT: End = (0, 0)


def last(length: Length) -> End:
    """Return the end of an axis."""
    return (1, 0) if length is None else (0, length)


def whole(lengths: Iterable[Length]) -> Box:
    """Return the box of a whole array."""
    return tuple((FRONT, last(n)) for n in lengths)


def common(one: Box, other: Box) -> Box | None:
    """Return the places that two boxes have in common; None: there are none."""
    spans = [(max(a, p), min(b, q)) for (a, b), (p, q) in zip(one, other, strict=True)]
    return tuple(spans) if all(a < b for a, b in spans) else None


def without(box: Box, other: Box) -> list[Box]:
    """Return a box without another one, as boxes."""
    if common(box, other) is None:
        return [box]
    left = list[Box]()
    for k, ((a, b), (p, q)) in enumerate(zip(box, other, strict=True)):
        for part in ((a, min(b, p)), (max(a, q), b)):
            if part[0] < part[1]:
                left.append((*box[:k], part, *box[k + 1 :]))
        box = (*box[:k], (max(a, p), min(b, q)), *box[k + 1 :])
    return left


def each_without(boxes: Iterable[Box], other: Box) -> list[Box]:
    """Return boxes without another one."""
    return [part for box in boxes for part in without(box, other)]


def covers(boxes: Iterable[Box], lengths: Sequence[Length]) -> bool:
    """Return whether boxes make up a whole array."""
    rest = [whole(lengths)]
    for box in boxes:
        rest = each_without(rest, box)
    return not rest


def one_box(boxes: Sequence[Box], lengths: Sequence[Length]) -> Box | None:
    """Return the box that boxes make up, and that holds them in short arrays, too;
    None: there is none.

    >>> line, above, below = (None,), (((0, 1), (1, -2)),), (((0, 2), (1, 0)),)
    >>> one_box([above, below], line)
    (((0, 1), (1, 0)),)
    >>> one_box([above, (((0, 5), (0, 6)),)], line)  # the last of six
    """
    spans = [span for box in boxes for span in zip(box, lengths, strict=True)]
    if not boxes or any(n is None and not _stretches(span) for span, n in spans):
        return None
    each = zip(*boxes, strict=True)
    ends = tuple((min(s[0] for s in own), max(s[1] for s in own)) for own in each)
    rest = [ends]
    for box in boxes:
        rest = each_without(rest, box)
    return None if rest else ends


def _stretches(span: Span) -> bool:
    """Return whether a span begins so far from the front and ends so far from behind,
    however long its axis is."""
    return span[0][0] == 0 and span[1][0] == 1


def are_apart(one: Box, other: Box) -> bool:
    """Return whether two boxes have nothing in common, in short arrays, too: their ends
    on an axis are counted alike.

    >>> first, rest, end = (
    ...     (((0, 0), (0, 2)),),
    ...     (((0, 2), (1, 0)),),
    ...     (((1, -2), (1, 0)),),
    ... )
    >>> are_apart(first, rest), are_apart(first, end)
    (True, False)
    """
    pairs = zip(one, other, strict=True)
    crossed = ((max(a, p), min(b, q)) for (a, b), (p, q) in pairs)
    return any(start[0] == stop[0] and start >= stop for start, stop in crossed)


def index_of(box: Box, lengths: Sequence[Length]) -> tuple[slice, ...]:
    """Return the index that names a box, without whole axes at its end.

    >>> index_of((((0, 1), (1, -1)), ((0, 0), (1, 0))), (None, None))
    (slice(1, -1, None),)
    """
    items = [
        slice(start[1] or None, None if stop == last(n) else stop[1])
        for (start, stop), n in zip(box, lengths, strict=True)
    ]
    while items and items[-1] == slice(None):
        del items[-1]
    return tuple(items)


def settled(box: Box, lengths: Sequence[Length]) -> Box:
    """Return a box with its ends from the front, along axes of known length.

    >>> settled((((1, -1), (1, 0)), ((0, 1), (1, 0))), (3, None))
    (((0, 2), (0, 3)), ((0, 1), (1, 0)))
    """
    return tuple(
        span if n is None else (_from_front(span[0], n), _from_front(span[1], n))
        for span, n in zip(box, lengths, strict=True)
    )


def _from_front(end: End, length: int) -> End:
    return end if end[0] == 0 else (0, max(length + end[1], 0))


# ---------------------------------------------------------------- parts


@dataclass(frozen=True, slots=True)
class Window:
    """The part of an array that an index names.

    box: its places. axes: the axis of the array that each axis of the part is; None:
    one of length 1 that the index adds.
    """

    box: Box
    axes: tuple[int | None, ...]

    def within(self, box: Box, lengths: Sequence[Length]) -> Box | None:
        """Return what a box of the array is in the part, of which lengths are given;
        None: it is not in the part."""
        cut = common(box, self.box)
        if cut is None:
            return None
        return tuple(
            (FRONT, (0, 1))
            if axis is None
            else (
                _inward(cut[axis][0], self.box[axis], n),
                _inward(cut[axis][1], self.box[axis], n),
            )
            for axis, n in zip(self.axes, lengths, strict=True)
        )

    def outward(self, box: Box, lengths: Sequence[Length]) -> Box:
        """Return what a box of the part is in the array."""
        spans = list(self.box)
        for axis, (start, stop), n in zip(self.axes, box, lengths, strict=True):
            if axis is not None:
                at = self.box[axis]
                spans[axis] = _outward(start, at, n), _outward(stop, at, n)
        return tuple(spans)


def _inward(place: End, span: Span, length: Length) -> End:
    """Return where a place of an axis stands in a slice of it."""
    start, stop = span
    if place == stop:
        return last(length)
    if place[0] == start[0]:
        return 0, place[1] - start[1]
    end = last(length)
    return end[0], end[1] + place[1] - stop[1]


def _outward(place: End, span: Span, length: Length) -> End:
    """Return where a place of a slice stands in the axis."""
    start, stop = span
    if place == last(length):
        return stop
    counted, by = (start, place[1]) if place[0] == 0 else (stop, place[1])
    return counted[0], counted[1] + by


def window(index: object, lengths: Sequence[Length]) -> Window | None:
    """Return the part that a literal index names; None of one that is no tuple of
    integers and of slices without a step, from front to back."""
    items = index if isinstance(index, tuple) else (index,)
    taken = sum(1 for i in items if not isinstance(i, EllipsisType) and i is not None)
    spans, axes = list[Span](), list[int | None]()
    for item in items:
        if item is None:
            axes.append(None)
            continue
        more = len(lengths) - taken if isinstance(item, EllipsisType) else 1
        parts = [slice(None)] * more if isinstance(item, EllipsisType) else [item]
        for part in parts:
            if len(spans) == len(lengths):
                return None
            span = _span(part, lengths[len(spans)])
            if span is None:
                return None
            if isinstance(part, slice):
                axes.append(len(spans))
            spans.append(span)
    axes += range(len(spans), len(lengths))
    spans += whole(lengths[len(spans) :])
    return Window(tuple(spans), tuple(axes))


def _span(item: object, length: Length) -> Span | None:
    """Return the places that one item of an index names along its axis."""
    if type(item) is int:
        at = _counted(item, length)
        return at, (at[0], at[1] + 1)
    if not isinstance(item, slice) or item.step not in (None, 1):
        return None
    start = 0 if item.start is None else item.start
    if type(start) is not int or type(item.stop) not in (int, type(None)):
        return None
    end = last(length)
    stop = end if item.stop is None else min(_counted(item.stop, length), end)
    begin = _counted(start, length)
    if begin[0] > stop[0]:  # `x[-3:4]`, of which a short array alone has something
        return None
    return min(begin, stop), stop


def _counted(place: int, length: Length) -> End:
    """Return a place of Python's counting, negative ones from behind."""
    end = (0, place) if place >= 0 else (1, place)
    return end if length is None else _from_front(end, length)
