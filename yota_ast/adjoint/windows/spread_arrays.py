"""What iterations compute, in arrays that have an axis for each loop around.

The window `x[2 * i : 2 * i + 2]` of iteration i is a row of `x.reshape(n, 2)`: its
axes are `Lap(0)`, that of the loop, and `Own(0)`, that of the window. A loop's axis may
stand anywhere, and an axis may be missing: the value is the same all along it.

>>> merged([[Own(0), Lap(0), Own(2)], [Lap(0), Own(1), Own(2)]])
[Own(place=0), Lap(loop=0), Own(place=1), Own(place=2)]
>>> merged([[Lap(0), Own(0)], [Own(0), Lap(0)]]) is None
True
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.ir.atoms import Atom, Const
from yota_ast.ir.axis_lengths import UNIT, Dim
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import Apply


@dataclass(frozen=True, slots=True)
class Lap:
    """The axis along which the iterations of a loop lie next to one another."""

    loop: int


@dataclass(frozen=True, slots=True)
class Own:
    """An axis of what one iteration computes."""

    place: int


Axis = Lap | Own
ALL = slice(None)


@dataclass(frozen=True, slots=True)
class Spread:
    """The values of all iterations. rank: how many axes each of them has; axes: those
    of the array, the others of a value have length 1. lengths: of its own axes, where
    they have a name."""

    atom: Atom
    axes: tuple[Axis, ...] = ()
    rank: int = 0
    lengths: tuple[Atom, ...] = ()
    dims: tuple[Dim | None, ...] = ()

    @property
    def laps(self) -> frozenset[Axis]:
        """The loops that tell the values apart."""
        return frozenset(a for a in self.axes if isinstance(a, Lap))

    def of_rank(self, rank: int) -> Spread:
        """Return the values with axes of length 1 in front."""
        more = rank - self.rank
        axes = (*(_moved(a, more) for a in self.axes),)
        dims = (*[None] * more, *self.dims)
        return replace(self, axes=axes, rank=rank, lengths=(), dims=dims)


def _moved(axis: Axis, by: int) -> Axis:
    return Own(axis.place + by) if isinstance(axis, Own) else axis


def merged(orders: Sequence[Sequence[Axis]]) -> list[Axis] | None:
    """Return all axes in an order that each of some orders keeps; None: there is
    none."""
    places = {a.place for order in orders for a in order if isinstance(a, Own)}
    own = [*map(Own, sorted(places))]
    left = [list(order) for order in (*orders, own) if order]
    found: list[Axis] = []
    while left:
        heads = [o[0] for o in left if not any(o[0] in p[1:] for p in left)]
        if not heads:
            return None
        found.append(heads[0])
        left = [[a for a in o if a != heads[0]] for o in left]
        left = [o for o in left if o]
    return found


def laid_out(
    value: Spread, order: Sequence[Axis], builder: Builder, *, lead: bool = False
) -> Atom:
    """Return the array with its axes at their places of an order, and axes of length 1
    between them; lead: and before them, which a sum does without."""
    parts = [ALL if a in value.axes else None for a in order]
    while parts and parts[0] is None and not lead:
        parts.pop(0)
    if None not in parts:
        return value.atom
    index = Const((*parts,) if len(parts) > 1 else parts[0])
    return builder.apply(operator.getitem, value.atom, index)


def elementwise(
    op: Apply,
    values: Sequence[Spread],
    builder: Builder,
    orders: Sequence[Sequence[Axis]],
    same: Callable[[Dim | None, Dim | None], bool],
) -> Spread | None:
    """Return what a function makes of the elements of values; None: their axes have no
    common order. orders: those that it had better have; same: whether two lengths are
    one."""
    rank = max(v.rank for v in values)
    values = [v.of_rank(rank) for v in values]
    given = [v.axes for v in values]
    there = {a for axes in given for a in axes}
    wanted = ([a for a in order if a in there] for order in orders)
    order = merged(given)
    for better in wanted:
        found = merged([*given, better])
        if found is not None:
            order = found
            break
    if order is None:
        return None
    atoms = [laid_out(v, order, builder) for v in values]
    made = builder.apply(
        op.fn, *atoms, kwargs=op.kwargs, form=op.form, spelling=op.spelling
    )
    return Spread(made, (*order,), rank, dims=_common(values, same))


def _common(
    values: Sequence[Spread], same: Callable[[Dim | None, Dim | None], bool]
) -> tuple[Dim | None, ...]:
    """Return the lengths of the axes of what is made of values of one rank."""
    found: list[Dim | None] = []
    for place in range(values[0].rank):
        dims = [v.dims[place] for v in values if Own(place) in v.axes]
        dims = [d for d in dims if d != UNIT]
        known = dims[0] if dims else None
        found.append(known if all(same(known, d) for d in dims) else None)
    return (*found,)


def summed_places(op: Apply, rank: int) -> tuple[int, ...] | None:
    """Return the axes that `np.sum` sums; None: they are not told."""
    named = dict(op.kwargs)
    axis = named.pop("axis", op.args[1] if len(op.args) > 1 else Const(None))
    if named or len(op.args) > 2 or not isinstance(axis, Const):
        return None
    if axis.value is None:
        return (*range(rank),)
    given = axis.value if isinstance(axis.value, tuple) else (axis.value,)
    places = tuple(k % rank for k in given if type(k) is int)
    return places if len(places) == len(given) else None


def summed(
    value: Spread, places: Sequence[int], builder: Builder, laps: Sequence[Lap] = ()
) -> Spread:
    """Return the sums over own axes, and over those of loops."""
    gone = {*map(Own, places), *laps}
    at = [k for k, axis in enumerate(value.axes) if axis in gone]
    left = [k for k in range(value.rank) if k not in places]
    numbers: dict[Axis, Axis] = {Own(old): Own(new) for new, old in enumerate(left)}
    axes = (*(numbers.get(a, a) for a in value.axes if a not in gone),)
    atom = value.atom
    if at:
        axis = Const(at[0] if len(at) == 1 else (*at,))
        kwargs = () if len(at) == len(value.axes) else (("axis", axis),)
        atom = builder.apply(np.sum, atom, kwargs=kwargs)
    return Spread(atom, axes, len(left), dims=(*(value.dims[k] for k in left),))


def with_new_axes(value: Spread, index: Const) -> Spread | None:
    """Return `value[:, None]`, which gives own axes other places; None of any other
    index."""
    parts = index.value if isinstance(index.value, tuple) else (index.value,)
    if any(p is not None and p != ALL for p in parts):
        return None
    kept = [k for k, p in enumerate(parts) if p is not None]
    new = len(parts) - len(kept)
    if len(kept) > value.rank:
        return None
    kept += [k + new for k in range(len(kept), value.rank)]
    axes = (*(Own(kept[a.place]) if isinstance(a, Own) else a for a in value.axes),)
    dims: list[Dim | None] = [None] * (value.rank + new)
    for old, place in enumerate(kept):
        dims[place] = value.dims[old]
    return Spread(value.atom, axes, value.rank + new, dims=(*dims,))
