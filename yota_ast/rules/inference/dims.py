"""Shapes of operands -> the shape of a result, with symbolic lengths.

>>> from yota_ast.ir.axis_lengths import Dim, UNIT
>>> n, k = Dim("x.shape[0]", 0, 4), Dim("x.shape[1]", 0, 3)
>>> broadcast([(n, k), (k,), ()]) == (n, k)
True
>>> broadcast([(n, UNIT), (k,)]) == (n, k)
True
>>> broadcast(["x.shape", (), "x.shape"])
'x.shape'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.ir.abstract_values import Shape
from yota_ast.ir.axis_lengths import (
    ZERO,
    Dim,
    Term,
    Uncut,
    is_natural,
    literal_dim,
    stopped,
    total,
)

Axis = Dim | None
Taken = tuple[Axis, Dim]
"""A length that was taken for the second, which the example shows not to be 1; or an
integer that was taken for no less than the second, `ZERO`. None: the second alone."""
_noted: ContextVar[list[Taken] | None] = ContextVar("noted", default=None)


@contextmanager
def noting() -> Iterator[list[Taken]]:
    """Note what `broadcast_axis` takes for one length.

    >>> n, k = Dim("x.shape[0]", 0, 4), Dim("y.shape[0]", 0, 4)
    >>> with noting() as found:
    ...     _ = broadcast([(n,), (k,), (k,)])
    >>> [(str(a), str(b)) for a, b in found]
    [('y.shape[0]', 'x.shape[0]'), ('y.shape[0]', 'x.shape[0]')]
    """
    found: list[Taken] = []
    token = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(token)


def note_natural(number: Dim) -> None:
    """Note an integer that is taken for one that is not below 0."""
    noted = _noted.get()
    if noted is not None:
        noted.append((number, ZERO))


def note_longer(axis: Dim) -> None:
    """Note a length that is taken not to be 1, as in the example."""
    noted = _noted.get()
    if noted is not None:
        noted.append((None, axis))


def taken_for_natural(number: Dim) -> bool:
    """Say whether an integer is not below 0, by the example where it has to be."""
    if is_natural(number):
        return True
    if not number.example or "@" in number.base:
        return False
    note_natural(number)
    return True


def whole(axis: Axis) -> Axis:
    """Return a length of which no end of an axis cuts anything off, by the example:
    that of `x[:2]` is 2, and that of `x[2:]` is not below 0.

    >>> str(whole(Dim("min(x.shape[0], 2)", 0, 2))), whole(Dim("x.shape[0]", -2, 0))
    ('2', None)
    """
    if axis is None or not axis.base:
        return axis
    cut = stopped(axis.base)
    if cut is not None:
        size = cut[1] + axis.offset
        if size <= 0 or axis.example != size:
            return None
        note_natural(Dim(cut[0], -cut[1]))
        return literal_dim(size)
    is_length = not axis.terms and axis.offset >= 0
    return axis if is_length or taken_for_natural(axis) else None


def joined_length(parts: Sequence[Axis]) -> Axis:
    """Return the length of parts one after another. Where the example has to tell it,
    only that of parts that make up an axis, `x[:1]` and `x[1:]`, is asked of it, and a
    number.

    >>> n = Dim("x.shape[0]", 0, 4)
    >>> joined_length([Dim("min(x.shape[0], 1)", 0, 1), n.shifted(-1)]) == n
    True
    >>> joined_length([n.shifted(-1), literal_dim(2)])
    >>> str(joined_length([Dim("min(x.shape[0], 1)", 0, 1), literal_dim(2)]))
    '3'
    """
    parts = [part for part in parts if part != ZERO]
    if len(parts) < 2:
        return parts[0] if parts else ZERO
    with noting() as found:
        wholes = [axis for axis in map(whole, parts) if axis is not None]
    length = total((axis, 1) for axis in wholes) if len(wholes) == len(parts) else None
    if found and not (length and _is_sure(length, parts)):
        return None
    noted = _noted.get()
    if noted is not None:
        noted.extend(found)
    return length


def _is_sure(length: Dim, parts: Sequence[Axis]) -> bool:
    """Whether parts make up an axis, or a number of elements."""
    if not length.base:
        return True
    cuts = [stopped(part.base) for part in parts if part is not None]
    is_axis = len(length.terms) < 2 or length.base in [c[0] for c in cuts if c]
    return is_axis and not length.offset


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

    Of two lengths that differ in name, one that the program writes, or the first: it
    runs only where they agree, or where one is 1, which `size` tells.
    """
    if a == b:
        return a
    if a is not None and a.is_unit:
        return b
    if b is not None and b.is_unit:
        return a
    if a is not None and b is not None and (met := met_uncut(a, b)) is not None:
        return _meeting(a, b, met)
    ranked = sorted(((a, b), (b, a)), key=lambda pair: _is_named(pair[0]))
    for known, other in ranked:
        if known is not None and _surely_not_one(known):
            _note(known, other)
            return known
    return None


def _meeting(a: Dim, b: Dim, met: Met) -> Dim:
    """Return the length of two slices together: one by name where neither shows that
    the other is not cut off."""
    if not met.needed:
        one, other = sorted((str(a), str(b)))
        return Dim(f"@({one} | {other})", uncut=Uncut(met.one, met.naturals))
    for number in met.naturals:
        note_natural(number)
    return met.one


@dataclass(frozen=True, slots=True)
class Met:
    """Two lengths that meet, where no slice is cut off; naturals: what is not below 0
    then. needed: a program in which they meet runs only then, unless one is 1."""

    one: Dim
    other: Dim
    naturals: tuple[Dim, ...]
    needed: bool


def met_uncut(a: Dim, b: Dim) -> Met | None:
    """Return two lengths that are one, where slices are that long which are not cut
    off."""
    one, other = a.uncut or Uncut(a), b.uncut or Uncut(b)
    return _met(one, other) if one.length == other.length else None


def _met(one: Uncut, other: Uncut) -> Met:
    """Return two lengths that meet.

    One that is cut off has not the length of another that is not, and two of one axis
    that begin at different places are not equally long either.
    """
    naturals = (*dict.fromkeys((*one.naturals, *other.naturals)),)
    is_sure = not one.naturals or not other.naturals
    of_one_axis = bool(one.axis) and one.axis == other.axis
    return Met(one.length, other.length, naturals, is_sure or of_one_axis)


def needed_uncut(
    a: Axis, b: Axis, taken: Iterable[Dim]
) -> tuple[Axis, Axis, tuple[Dim, ...]]:
    """Return two lengths that have to be one, those of slices that are not cut off
    where the program runs only then; and what is not below 0 for that.

    taken: integers of which it is known already that they are not below 0.
    """
    if a is None or b is None or a == b or not (a.uncut or b.uncut):
        return a, b, ()
    met = _met(a.uncut or Uncut(a), b.uncut or Uncut(b))
    least: dict[str, int] = {}
    for number in taken:
        least[number.base] = min(number.offset, least.get(number.base, number.offset))
    naturals = met.naturals
    known = all(d.base in least and least[d.base] <= d.offset for d in naturals)
    is_one = met.one == met.other or (_is_of_axes(met.one) and _is_of_axes(met.other))
    is_one = is_one or any(d.uncut is not None and d.uncut.listed for d in (a, b))
    if not (is_one and (met.needed or known)):
        return a, b, ()
    return met.one, met.other, naturals


def _is_of_axes(length: Dim) -> bool:
    """Say whether a length is made of those of axes, and of their parts: `n` of `x[:n]`
    may be 1, to broadcast a row, where it is 3 in the example."""

    def of_axes(term: Term) -> bool:
        if term.part is not None:
            return isinstance(term.part[1], int) and _is_of_axes(term.part[0])
        return term.least is not None

    return bool(length.terms) and all(of_axes(term) for term, _ in length.terms)


def taken_for_several(axis: Axis) -> bool:
    """Say whether an axis is not of length 1, by the example where it has to be."""
    if axis is None or not _surely_not_one(axis):
        return False
    _note(axis, None)
    return True


def _is_named(axis: Axis) -> bool:
    return axis is None or bool(axis.base)


def _note(known: Dim, other: Axis) -> None:
    noted = _noted.get()
    if noted is not None and known.base:
        noted.append((other, known))


def _surely_not_one(dim: Dim) -> bool:
    """Whether the length is not 1, by the program or by the example."""
    return dim.size is not None and dim.size != 1 and not dim.is_cut
