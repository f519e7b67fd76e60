"""Parts of arrays that iterations take -> the part that all of them take together.

`x[1, 2 * i : 2 * i + 2]` of n iterations is `x[1, : 2 * n]`, of which `reshape(n, 2)`
has an axis for the loop and one for the window.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.vectors.index_regions import Number
from yota_ast.adjoint.vectors.loop_ends import after_last, least_of
from yota_ast.adjoint.vectors.loop_numbers import Known
from yota_ast.adjoint.vectors.places_there import Need
from yota_ast.adjoint.windows.spread_arrays import ALL, Axis, Lap, Own
from yota_ast.adjoint.windows.window_indices import (
    Counter,
    Item,
    Part,
    Place,
    Sliding,
    Whole,
    Window,
)
from yota_ast.ir.abstract_values import array_fact, slice_fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.axis_lengths import ZERO, Dim, is_natural, part_of
from yota_ast.ir.builder import Builder
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.rules.notation.rule import BOOK


class StaysError(Exception):
    """Loops have no form as statements on whole arrays: they stay."""


@dataclass(slots=True)
class WindowRegions:
    """Finds what the iterations of loops take together. natural: what must not be below
    0 for that. is_wide: whether one iteration has taken all of an axis. needed: the
    places that have to be there."""

    known: Known
    builder: Builder
    natural: list[Dim] = field(default_factory=list)
    is_wide: bool = False
    needed: list[Need] = field(default_factory=list)

    def is_natural_number(self, atom: Atom) -> bool:
        """Return whether a number is not below 0, as a part of a length is."""
        number = self.known.number(atom)
        if number is not None and self.known.is_natural(number):
            return True
        found = fact_of_atom(atom).length
        if is_natural(found):
            return True
        part = None if found is None or found.offset < 0 else part_of(found)
        if part is None or not is_natural(part[0]):
            return False
        if isinstance(part[1], Dim):
            self.natural.append(part[1])
        return True

    def takes_for_natural(self, atom: Atom) -> bool:
        """Return whether a number is one over the arguments, and above 0 in the
        example: it is taken for no less than 0."""
        found = fact_of_atom(atom).length
        if self.is_natural_number(atom) or found is None or not found.example:
            return False
        self.natural.append(found)
        return True

    def is_uncut(self, parts: Sequence[Part], array: Var, index: Atom) -> bool:
        """Return whether no window is cut off, and no item counted from the end."""
        for axis, part in enumerate(parts):
            if isinstance(part, Place):
                self.needed.append((array, axis, self.known.number(part.atom)))
            if isinstance(part, (Item, Sliding)):
                low = self.least(part.counter).shifted(part.offset)
                if not self.known.is_natural(low):
                    return False
        windows = [p for p in parts if isinstance(p, (Window, Sliding))]
        if not windows:
            return True
        if any(self.least(p.counter) != Number() for p in windows):
            return False
        shape = self.builder.infer(operator.getitem, (array, index), ()).shape
        spans = [p for p in parts if isinstance(p, (Window, Sliding, Whole))]
        if not isinstance(shape, tuple) or len(shape) != len(spans):
            return False
        for part, length in zip(spans, shape, strict=True):
            if isinstance(part, (Window, Sliding)) and (
                length is None or length != part.length or length.uncut is not None
            ):
                return False
        taken = BOOK.lengths_taken(operator.getitem, (array, index), ())
        self.natural += [n for n, zero in taken if n is not None and zero == ZERO]
        self.natural += [p.length for p in windows if p.length.base]
        return True

    def least(self, counter: Counter) -> Number:
        """Return the least number of a loop."""
        start, stop, step = counter.range
        found = self.known.number(start if step > 0 else stop)
        assert found is not None
        return found if step > 0 else found.shifted(1)

    def lengths(
        self, parts: Sequence[Part], array: Var
    ) -> tuple[list[Atom], list[Atom]]:
        """Return the lengths of the axes of what one iteration takes, and the shape of
        what all do, with windows apart."""
        lengths: list[Atom] = []
        shape: list[Atom] = []
        windows = any(isinstance(p, Window) for p in parts)
        for k, part in enumerate(parts):
            match part:
                case Whole():
                    self.is_wide = True
                    lengths.append(self._length(array, k) if windows else Const(None))
                    shape.append(lengths[-1])
                case Item(counter):
                    shape.append(self.count(counter) if windows else Const(None))
                case Window(counter, width):
                    lengths.append(width)
                    shape += [self.count(counter), width]
                case Place():
                    pass
                case Sliding():
                    raise StaysError
                case _:
                    assert_never(part)
        return lengths, shape

    def _length(self, array: Var, axis: int) -> Atom:
        shape = self.builder.attribute("shape", array)
        return self.builder.apply(operator.getitem, shape, Const(axis))

    def count(self, counter: Counter) -> Atom:
        """Return how often a loop runs that begins at 0."""
        if self.least(counter) != Number():
            raise StaysError
        return after_last(counter.range, self.builder, self.known.made)

    def taken(self, array: Var, parts: Sequence[Part]) -> Var:
        """Return the part of an array that all iterations take together."""
        index = self.index(array, parts)
        if index is None:
            return array
        known, shape = array.fact, array.fact.shape
        kept = [k for k, p in enumerate(parts) if not isinstance(p, Place)]
        whole = [isinstance(parts[k], Whole) for k in kept]
        dims = [
            shape[k] if is_whole and isinstance(shape, tuple) else None
            for k, is_whole in zip(kept, whole, strict=True)
        ]
        fact = array_fact(known.dtype, (*dims,))
        return self.builder.apply(operator.getitem, array, index, fact=fact)

    def index(self, array: Var, parts: Sequence[Part]) -> Atom | None:
        """Return the index that all iterations take together; None: it is all."""
        found = [self.side(p, array, k) for k, p in enumerate(parts)]
        if all(a == Const(ALL) for a in found):
            return None
        if len(found) == 1:
            return found[0]
        return self.builder.apply(build_tuple, *found, form="build")

    def side(self, part: Part, array: Var, axis: int) -> Atom:
        """Return the index of an axis that all iterations take together."""
        match part:
            case Whole():
                return Const(ALL)
            case Place(atom):
                return atom
            case Item(counter, offset):
                more = self.builder, self.known.made, offset
                low = self.least(counter).shifted(offset)
                start = (
                    Const(None) if low == Number() else least_of(counter.range, *more)
                )
                return self._slice(start, after_last(counter.range, *more), array, axis)
            case Window(counter, width):
                count = self.count(counter)
                stop = self.builder.apply(operator.mul, width, count)
                return self._slice(Const(None), stop, array, axis)
            case Sliding():
                raise StaysError
            case _:
                assert_never(part)

    def _slice(self, start: Atom, stop: Atom, array: Var, axis: int) -> Atom:
        number = self.known.number(stop)
        shape = array.fact.shape
        dim = shape[axis] if isinstance(shape, tuple) else None
        same = (
            dim is not None and fact_of_atom(stop).length == dim and dim.uncut is None
        )
        whole = number is not None and self.known.is_length(number, array, axis)
        if same or whole:
            stop = Const(None)
        if start == stop == Const(None):
            return Const(ALL)
        ends = start, stop, Const(None)
        return self.builder.apply(build_slice, *ends, form="build", fact=slice_fact())

    def windows(self, parts: Sequence[Part]) -> list[tuple[Lap, Own, Atom]]:
        """Return the two axes of each window, and its width."""
        spans = [p for p in parts if isinstance(p, (Window, Whole))]
        return [
            (Lap(p.counter.loop), Own(k), p.width)
            for k, p in enumerate(spans)
            if isinstance(p, Window)
        ]

    def sides(self, parts: Sequence[Part]) -> list[tuple[Axis, int]]:
        """Return the axes of a part of an array, windows one after another along that
        of their loop; and which axes of the array they are."""
        spans = [p for p in parts if isinstance(p, (Window, Whole))]
        found: list[tuple[Axis, int]] = []
        for k, part in enumerate(parts):
            if isinstance(part, (Item, Window)):
                found.append((Lap(part.counter.loop), k))
            elif isinstance(part, Whole):
                found.append(
                    (Own(next(n for n, p in enumerate(spans) if p is part)), k)
                )
        return found

    def side_length(self, target: Var, axis: int, part: Part) -> Atom:
        """Return how long an axis of a part of an array is."""
        match part:
            case Window(counter, width):
                return self.builder.apply(operator.mul, width, self.count(counter))
            case Item(counter):
                return self.count(counter)
            case Whole() | Place():
                return self._length(target, axis)
            case Sliding():
                raise StaysError
            case _:
                assert_never(part)


def axes_of(parts: Sequence[Part]) -> list[Axis]:
    """Return the axes of what all iterations take, windows apart."""
    found: list[Axis] = []
    own = 0
    for part in parts:
        if isinstance(part, (Item, Window)):
            found.append(Lap(part.counter.loop))
        if isinstance(part, (Whole, Window)):
            found.append(Own(own))
            own += 1
    return found


def own_dims(parts: Sequence[Part], array: Var) -> tuple[Dim | None, ...]:
    """Return what is known of the lengths of what one iteration takes."""
    dims = dims_of(array)
    return (
        *(
            part.length if isinstance(part, Window) else dims[k]
            for k, part in enumerate(parts)
            if isinstance(part, (Whole, Window))
        ),
    )


def dims_of(array: Var) -> tuple[Dim | None, ...]:
    """Return what is known of the lengths of the axes of an array."""
    shape = array.fact.shape
    if isinstance(shape, tuple):
        return shape
    return (None,) * (array.fact.rank or 0)
