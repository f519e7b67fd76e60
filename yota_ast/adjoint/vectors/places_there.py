"""The places of arrays that statements read or write -> whether all are surely there.

    for j in range(m):              dC[-1, -1] = dx.sum()
        dC[-1, -1] += dx[j]

The loop needs no `dC[-1, -1]` where m is 0, and the statement does. A place is there if
it is less than the length of its axis, by the ranges of the loops around. So is one
that the forward sweep takes whatever else it does. Statements that need another are
done only `if m > 0`.

In: such places, and a loop.  Out: what is known of them, and an `if`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.vectors.index_regions import Number
from yota_ast.adjoint.vectors.loop_ends import after_last, least_of
from yota_ast.adjoint.vectors.loop_numbers import Known, axis_length
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.block_queries import bound_by
from yota_ast.ir.builder import Builder
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    For,
    If,
    Merge,
    Op,
    Simple,
    Store,
    blocks_of,
)
from yota_ast.ir.renaming import Substitution

Range = tuple[Number, Number]


class Taken(NamedTuple):
    """A place along an axis that the forward sweep takes, the greatest of the loops
    around it. ranges: those of these loops."""

    place: Number
    length: Number
    ranges: frozenset[Range]


Need = tuple[Atom, int, Number | None]
"""An array, an axis of it, and a place; None: one that is not known."""


@dataclass(slots=True)
class Places:
    """What is known of the places of arrays in a reverse sweep."""

    known: Known
    back: Block
    _around: dict[str, frozenset[Range]] = field(default_factory=dict)
    """The ranges of the loops around each loop, by the name of its first target."""
    _taken: frozenset[Taken] | None = field(default=None)

    def are_there(self, needed: Iterable[Need], loops: Sequence[For]) -> bool:
        """Return whether places are there, whether or not some loops, the first the
        outermost, run."""
        ends = [self.known.ends(loop) for loop in loops]
        if all(pair is not None and self.known.is_below(*pair) for pair in ends):
            return True
        if not self._around:
            self._note(self.back, frozenset())
        around = self._around.get(loops[0].targets[0].name, frozenset())
        return all(
            place is not None and self._is_there(place, array, axis, around)
            for array, axis, place in needed
        )

    def _note(self, block: Block, around: frozenset[Range]) -> None:
        for op in block:
            inner = around
            if isinstance(op, For):
                self._around |= {t.name: around for t in op.targets}
                inner = around.union(self._ranges_of(op))
            for each in blocks_of(op):
                self._note(each, inner)

    def _is_there(
        self, place: Number, array: Atom, axis: int, around: frozenset[Range]
    ) -> bool:
        length = axis_length(array, axis)
        if length is None:
            return False
        return self._is_within(place, length) or self._is_taken(place, length, around)

    def _is_within(self, place: Number, length: Number) -> bool:
        """Return whether an axis so long has a place."""
        if not place.base and place.offset < 0:
            return self.known.is_natural(length.shifted(place.offset))
        equal = (pair for pair in self.known.equal if length in pair)
        lengths = {length}.union(*equal)
        return self._is_natural(place) and any(
            self.known.is_below(place, each) for each in lengths
        )

    def _is_natural(self, place: Number) -> bool:
        return self.known.is_below(Number("", -1), place)

    def _is_taken(
        self, place: Number, length: Number, around: frozenset[Range]
    ) -> bool:
        """Return whether the forward sweep takes a place that is no nearer to the end
        of the axis, in loops that run if those around do."""
        if not place.base and place.offset < 0:  # as many are before the end
            place = Number("", -1 - place.offset)
        natural = self._is_natural(place)
        return any(
            each.place == place
            or (natural and self.known.is_below(place, each.place.shifted(1)))
            for each in self._all_taken()
            if each.length == length and each.ranges <= around
        )

    def _all_taken(self) -> frozenset[Taken]:
        if self._taken is None:
            self._taken = frozenset(self._taken_in(self.known.ahead, frozenset()))
        return self._taken

    def _taken_in(self, block: Block, ranges: frozenset[Range]) -> Iterator[Taken]:
        """Find the places that a block takes whatever else it does."""
        for op in block:
            match op:
                case Store():
                    yield from self._taken_of(op.target, op.index, ranges)
                case Apply():
                    if op.fn is operator.getitem:
                        array, index = op.args
                        yield from self._taken_of(array, index, ranges)
                case For():
                    more = self._ranges_of(op)
                    if more and op.stop is None:
                        yield from self._taken_in(op.body, ranges.union(more))
                case Simple() | Compound():
                    pass
                case _:
                    assert_never(op)

    def _taken_of(
        self, array: Atom, index: Atom, ranges: frozenset[Range]
    ) -> Iterator[Taken]:
        for axis, part in enumerate(self._parts(index)):
            place, length = self.known.number(part), axis_length(array, axis)
            if place is None or length is None:
                continue
            if place.base in self.known.ranges:
                low, high = self.known.ranges[place.base]
                if self._is_natural(low.shifted(place.offset)):
                    yield Taken(high.shifted(place.offset - 1), length, ranges)
            elif not place.base and place.offset < 0:
                yield Taken(Number("", -1 - place.offset), length, ranges)
            else:
                yield Taken(place, length, ranges)

    def _parts(self, index: Atom) -> Sequence[Atom]:
        """Return the parts of an index, up to the first that takes no one axis."""
        parts: Sequence[Atom] = (index,)
        made = self.known.made.get(index.name) if isinstance(index, Var) else None
        if isinstance(index, Const) and isinstance(index.value, tuple):
            parts = [Const(v) for v in index.value]
        elif made is not None and made.fn is build_tuple:
            parts = made.args
        at = (k for k, p in enumerate(parts) if not _takes_one_axis(p))
        return parts[: next(at, len(parts))]

    def _ranges_of(self, loop: For) -> list[Range]:
        found = (self.known.ranges.get(t.name) for t in loop.targets)
        return [r for r in found if r is not None]


def _takes_one_axis(part: Atom) -> bool:
    known = fact_of_atom(part)
    return known.cls is slice or known.kind == "int"


def if_it_runs(
    loop: For, known: Known, ops: Sequence[Op], builder: Builder
) -> list[Op]:
    """Return statements that stand for a loop, done if that has an iteration."""
    given = known.range_of(loop)
    assert given is not None
    high = after_last(given, builder, known.made)
    test = builder.apply(operator.gt, high, least_of(given, builder, known.made))
    ends = {
        c.out.name: replace(c.out, name=builder.names.fresh(c.out.name))
        for c in loop.carries
    }
    then = Substitution(ends).block(Block((*ops,)))
    made = {v.name for op in then for v in bound_by(op)}
    merges = (
        Merge(c.out, ends[c.out.name], c.init)
        for c in loop.carries
        if ends[c.out.name].name in made
    )
    branch = If(test, then, Block(), (*merges,), origin=builder.origin)
    return [*builder.ops, branch]
