"""What one iteration computes of windows that overlap -> the same for all iterations,
at one place within the windows.

At place a of the windows `x[i : i + k]` all iterations take `x[a : a + n]`, and of what
lies along the windows, as `w`, they take `w[a]`.

In: ops of which `sliding_labels.py` has told the axes.  Out: arrays whose axes are
those of loops, and of what an iteration computes but for those of windows.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.windows.sliding_labels import (
    Label,
    Slot,
    WindowLabels,
    contracted,
    makes_products,
)
from yota_ast.adjoint.windows.spread_arrays import (
    ALL,
    Axis,
    Lap,
    Own,
    Spread,
    elementwise,
    laid_out,
    summed,
    summed_places,
    with_new_axes,
)
from yota_ast.adjoint.windows.window_indices import (
    Item,
    Part,
    Place,
    Sliding,
    Whole,
    Window,
)
from yota_ast.adjoint.windows.window_regions import StaysError, WindowRegions
from yota_ast.ir.abstract_values import Fact, slice_fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.builder import Builder
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.ir.nodes import Apply
from yota_ast.ops.algebra import KEEPING, operated


@dataclass(frozen=True, slots=True)
class Products:
    """Sums of products that are made where they are stored. sums: the axes of both
    operands that are summed."""

    left: Spread
    right: Spread
    sums: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def rank(self) -> int:
        """How many axes an iteration computes."""
        return self.left.rank + self.right.rank - 2 * len(self.sums[0])


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over own axes that are made where they are stored."""

    of: Spread
    places: tuple[int, ...]

    @property
    def rank(self) -> int:
        """How many axes an iteration computes."""
        return self.of.rank - len(self.places)


Value = Spread | Products | Sums


@dataclass(slots=True)
class SlidingValues:
    """Computes values, before the loops over places or within them. slots: the numbers
    of these loops; orders: the axes of what is written."""

    labels: WindowLabels
    regions: WindowRegions
    before: Builder
    within: Builder
    slots: dict[int, Var] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    orders: list[list[Axis]] = field(default_factory=list)
    _inside: set[str] = field(default_factory=set)
    _counts: dict[int, Atom] = field(default_factory=dict)
    _spans: dict[tuple[int, int], Var] = field(default_factory=dict)

    def builder(self, *atoms: Atom) -> Builder:
        """Return where what reads some values is computed."""
        names = (a.name for a in atoms if isinstance(a, Var))
        return self.within if any(n in self._inside for n in names) else self.before

    def made(self, builder: Builder, out: Var) -> Var:
        """Note where a value is computed."""
        if builder is self.within:
            self._inside.add(out.name)
        return out

    def note_slot(self, loop: int, var: Var) -> None:
        """Note the number of a loop over places."""
        self.slots[loop] = self.made(self.within, var)

    # ------------------------------------------------------------ parts of arrays

    def index(
        self, array: Var, parts: Sequence[Part], own: Sequence[Label | None]
    ) -> tuple[list[Atom], list[Axis]]:
        """Return the index of what all iterations take, and the axes of that."""
        atoms, axes, place = list[Atom](), list[Axis](), 0
        for k, part in enumerate(parts):
            match part:
                case Item(counter) | Sliding(counter):
                    axes.append(Lap(counter.loop))
                    atoms.append(self._laps(part, array, k))
                case Place(atom):
                    atoms.append(atom)
                case Whole():
                    label = own[place]
                    if isinstance(label, Slot):
                        atoms.append(self.slots[label.loop])
                    else:
                        axes.append(Own(place))
                        atoms.append(Const(ALL))
                case Window():
                    raise StaysError
                case _:
                    assert_never(part)
            place += isinstance(part, (Whole, Sliding))
        if all(isinstance(p, Whole) for p in parts):  # `w[i]` for `w[i, :]`
            while len(atoms) > 1 and atoms[-1] == Const(ALL):
                atoms.pop()
        return atoms, axes

    def _laps(self, part: Item | Sliding, array: Var, axis: int) -> Atom:
        if isinstance(part, Item):
            return self.regions.side(part, array, axis)
        loop = part.counter.loop
        found = self._spans.get((loop, part.offset))
        if found is None:
            found = self._spans[loop, part.offset] = self._span(part)
        return found

    def _span(self, part: Sliding) -> Var:
        counter, within = part.counter, self.within
        start: Atom = self.slots[counter.loop]
        if counter.loop not in self._counts:
            self._counts[counter.loop] = self.regions.count(counter)
        if part.offset:
            start = within.apply(operator.add, start, Const(part.offset))
        stop = within.apply(operator.add, start, self._counts[counter.loop])
        ends = start, stop, Const(None)
        made = within.apply(build_slice, *ends, form="build", fact=slice_fact())
        return self.made(within, made)

    def joined(self, atoms: Sequence[Atom]) -> Atom:
        """Return an index of several parts."""
        if len(atoms) == 1:
            return atoms[0]
        if all(isinstance(a, Const) for a in atoms):
            return Const(tuple(a.value for a in atoms if isinstance(a, Const)))
        builder = self.builder(*atoms)
        known = Fact("tuple", items=tuple(map(fact_of_atom, atoms)))
        made = builder.apply(build_tuple, *atoms, form="build", fact=known)
        return self.made(builder, made)

    def take(
        self, array: Var, parts: Sequence[Part], own: Sequence[Label | None]
    ) -> Spread:
        """Return what all iterations take of an array."""
        atoms, axes = self.index(array, parts, own)
        rank = sum(isinstance(p, (Whole, Sliding)) for p in parts)
        if all(a == Const(ALL) for a in atoms):
            return _spread(array, axes, rank)
        builder = self.builder(*atoms)
        index = self.joined(atoms)
        taken = self.made(builder, builder.apply(operator.getitem, array, index))
        return _spread(taken, axes, rank)

    # ------------------------------------------------------------ values

    def of(self, atom: Atom) -> Value:
        """Return what an operand is."""
        if isinstance(atom, Var) and atom.name in self.values:
            return self.values[atom.name]
        rank = fact_of_atom(atom).rank or 0
        if not isinstance(atom, Var) or not rank:
            return Spread(atom)
        return self.take(atom, [Whole()] * rank, self.labels.axes(atom.name))

    def spread(self, atom: Atom) -> Spread:
        """Return an operand that is computed already."""
        value = self.of(atom)
        if isinstance(value, Sums):
            return self._sum(value.of, value.places)
        if not isinstance(value, Spread):
            raise StaysError
        return value

    def computed(self, op: Apply) -> Value:
        """Return what an op makes."""
        if makes_products(op):
            left, right = map(self.spread, op.args[:2])
            sums = contracted(op, left.rank, right.rank)
            assert sums is not None
            return Products(left, right, sums)
        if op.fn is np.sum:
            value = self.spread(op.args[0])
            places = summed_places(op, value.rank)
            assert places is not None
            return Sums(value, places)
        if op.fn is operator.getitem:
            index = op.args[1]
            assert isinstance(index, Const)
            found = with_new_axes(self.spread(op.args[0]), index)
            if found is None:
                raise StaysError
            return found
        values = [*map(self.spread, op.args)]
        if not any(v.axes for v in values) and operated(op.fn) not in KEEPING:
            raise StaysError  # a number may not be divided by another
        builder = self.builder(*(v.atom for v in values))
        made = elementwise(op, values, builder, self.orders, lambda *_: False)
        if made is None:
            raise StaysError
        assert isinstance(made.atom, Var)
        self.made(builder, made.atom)
        return replace(made, dims=(None,) * made.rank)

    def _sum(
        self, value: Spread, places: Sequence[int], laps: Sequence[Lap] = ()
    ) -> Spread:
        builder = self.builder(value.atom)
        before = len(builder.ops)
        value = replace(value, dims=(None,) * value.rank)
        value = summed(value, places, builder, laps)
        if len(builder.ops) > before and isinstance(value.atom, Var):
            self.made(builder, value.atom)
        return value

    # ------------------------------------------------------------ stores

    def total(
        self, value: Value, axes: Sequence[Axis], rank: int, laps: set[Axis]
    ) -> Atom:
        """Return the sum of what all iterations store; axes: those of the place, of
        which each iteration takes so many; laps: the loops around."""
        others = [lap for lap in laps if lap not in axes]
        if isinstance(value, Products):
            if value.rank != rank:
                raise StaysError
            return self._multiplied(value, axes, others)
        if isinstance(value, Sums):
            if not all(lap in value.of.axes for lap in others):
                raise StaysError
            gone = [a for a in others if isinstance(a, Lap)]
            value, others = self._sum(value.of, value.places, gone), []
        value = value.of_rank(rank)
        if not all(lap in value.axes for lap in others):
            raise StaysError
        builder = self.builder(value.atom)
        if others and len(others) == len(value.axes):
            return self._dotted(value, builder)
        if others:
            value = self._sum(value, [], [a for a in others if isinstance(a, Lap)])
        if [a for a in axes if a in value.axes] != [*value.axes]:
            raise StaysError
        laid = laid_out(value, axes, builder)
        return self.made(builder, laid) if isinstance(laid, Var) else laid

    def _dotted(self, value: Spread, builder: Builder) -> Var:
        """Return the sum of all that a value holds: of a product of two arrays of one
        shape that of their products."""
        op = builder.made.get(getattr(value.atom, "name", ""))
        if op is not None and operated(op.fn) == "product":
            ranks = {fact_of_atom(a).rank for a in op.args}
            if ranks == {len(value.axes)}:
                return self.made(builder, builder.apply(np.vdot, *op.args))
        return self.made(builder, builder.apply(np.sum, value.atom))

    def _multiplied(
        self, value: Products, axes: Sequence[Axis], others: Sequence[Axis]
    ) -> Atom:
        sides = []
        for side, places in zip((value.left, value.right), value.sums, strict=True):
            gone = [Own(k) for k in places]
            if not all(a in side.axes for a in gone):
                raise StaysError
            sides.append((side, gone))
        (left, one), (right, other) = sides
        both = [lap for lap in others if lap in left.axes and lap in right.axes]
        if len(both) < len(others) or {*left.laps} & {*right.laps} - {*both}:
            raise StaysError
        sums = [*one, *both], [*other, *both]
        rest = [_rest(left, sums[0], 0), _rest(right, sums[1], left.rank - len(one))]
        wanted = [a for a in axes if a in rest[0] + rest[1]]
        if rest[1] + rest[0] == wanted and rest[0] + rest[1] != wanted:
            left, right, sums, rest = right, left, sums[::-1], rest[::-1]
        if rest[0] + rest[1] != wanted:
            raise StaysError
        at = (
            tuple(map(left.axes.index, sums[0])),
            tuple(map(right.axes.index, sums[1])),
        )
        builder = self.builder(left.atom, right.atom)
        made = self.made(builder, product(builder, left, right, at))
        return laid_out(Spread(made, (*wanted,), 0), axes, builder)


def _spread(atom: Atom, axes: Sequence[Axis], rank: int) -> Spread:
    return Spread(atom, (*axes,), rank, dims=(None,) * rank)


def _rest(side: Spread, gone: Sequence[Axis], lead: int) -> list[Axis]:
    """Return the axes of an operand that are not summed, as those of the product."""
    left = [k for k in range(side.rank) if Own(k) not in gone]
    return [
        Own(lead + left.index(a.place)) if isinstance(a, Own) else a
        for a in side.axes
        if a not in gone
    ]


def product(
    builder: Builder,
    left: Spread,
    right: Spread,
    at: tuple[tuple[int, ...], tuple[int, ...]],
) -> Var:
    """Return the sums of products over axes of two arrays."""
    ranks = len(left.axes), len(right.axes)
    every = tuple((*range(rank),) for rank in ranks)
    if at == every:
        return builder.apply(np.vdot, left.atom, right.atom)
    if ranks[1] == 2 and at[0] == (ranks[0] - 1,):
        turned = right.atom if at[1] == (0,) else builder.attribute("T", right.atom)
        return builder.apply(operator.matmul, left.atom, turned)
    return builder.apply(np.tensordot, left.atom, right.atom, Const(at))
