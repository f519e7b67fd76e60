"""Loops over windows and items, one within another -> statements on whole arrays.

    for i in range(h - 1, -1, -1):
        for j in range(w - 1, -1, -1):
            t = x[2 * i : 2 * i + 2, 2 * j : 2 * j + 2] == out[i, j]
            dx[2 * i : 2 * i + 2, 2 * j : 2 * j + 2] += dout[i, j] * t

    windows = x[: 2 * h, : 2 * w].reshape(h, 2, w, 2)
    t = windows == out[:, np.newaxis, :, np.newaxis]
    dx[: 2 * h, : 2 * w] += (dout[:, None, :, None] * t).reshape(2 * h, 2 * w)

The loops do nothing but add to arrays that they do not read, so they may do it in any
order. No window is cut off by the end of an axis: the shapes say so. What the loops
compute is no larger than what they read or write. In code that is differentiated again
all loops stay.

In: a reverse sweep whose adjoints add up in place.  Out: the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.inplace.zero_assignments import with_first_put
from yota_ast.adjoint.vectors.kept_loops import are_kept
from yota_ast.adjoint.vectors.loop_numbers import Known
from yota_ast.adjoint.windows.loop_nests import LoopNest, Loops
from yota_ast.adjoint.windows.spread_arrays import (
    Axis,
    Lap,
    Own,
    Spread,
    laid_out,
    summed,
)
from yota_ast.adjoint.windows.window_indices import (
    Part,
    Whole,
)
from yota_ast.adjoint.windows.window_regions import (
    StaysError,
    axes_of,
    dims_of,
    own_dims,
)
from yota_ast.adjoint.windows.window_values import WindowValues, is_real
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Infer, Names
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    For,
    Op,
    Simple,
    Store,
    only,
    walk,
)
from yota_ast.ir.store_changes import ADD, SUBTRACT
from yota_ast.ops.algebra import TERMS, operated


def with_windows(
    back: Block,
    adjoints: Mapping[str, Atom],
    known: Known,
    infer: Infer,
    names: Names,
    assumed: Assumptions,
) -> tuple[Block, dict[str, Atom]]:
    """Return the reverse sweep with statements in the place of such loops, and its
    results; notes what that takes for granted."""
    if are_kept():
        return back, dict(adjoints)
    loops = Loops(_Nest, infer, names, known, assumed)
    made, ends = loops.written_out(back, adjoints)
    return with_first_put(made), ends


@dataclass(slots=True)
class _Nest(LoopNest):
    """A loop, and those within, as they are written out."""

    values: WindowValues = field(init=False)
    active: list[Lap] = field(default_factory=list)
    """The loops around."""

    def __post_init__(self) -> None:
        LoopNest.__post_init__(self)
        self.values = WindowValues(
            self.known, self.builder, self.indices, self.regions, self.carried
        )

    def write_out(self, loop: For) -> bool:
        """Write out a loop; say whether that is worth it."""
        self.begin(loop)
        self.loop(loop)
        return bool(self.last) and self.is_worth_it()

    def begin(self, loop: For) -> None:
        """Note the loops that there are, and what they write."""
        self.note_counters(loop)
        for store in only(walk(loop.body), Store):
            parts = self.indices.parts(store.index, store.target.fact.rank)
            if parts is not None:
                self.values.orders.append(axes_of(parts))

    # ------------------------------------------------------------ ops

    def loop(self, loop: For) -> None:
        """Write out a loop, and those within."""
        lap = Lap(self.indices.counters[loop.targets[0].name].loop)
        self.active.append(lap)
        starts = [self.carry(carry) for carry in loop.carries]
        if len({*starts}) < len(starts):
            raise StaysError
        for op in loop.body:
            self._op(op)
        self.close(loop, starts)
        self.active.remove(lap)
        if self.values.reads & self.last.keys():
            raise StaysError

    def _op(self, op: Op) -> None:
        match op:
            case For():
                self.loop(op)
            case Store():
                self.builder.origin = op.origin
                self._store(op)
            case Apply():
                self.builder.origin = op.origin
                self._apply(op)
            case Simple() | Compound():
                raise StaysError
            case _:
                assert_never(op)

    def _apply(self, op: Apply) -> None:
        if op.effect:
            raise StaysError
        if op.fn is range:
            self.builder.ops.append(op)
            return None
        if op.fn in (build_tuple, build_slice) or self.is_number(op):
            return None
        first = op.args[0] if op.args else None
        if isinstance(first, Var) and first.name in self.carried.roots:
            if operated(op.fn) in TERMS:
                return self._sum(op, first)
        elif op.form == "augmented":
            raise StaysError
        value = self.values.computed(op)
        if value is None:
            raise StaysError
        self.values.values[op.out.name] = value
        return None

    # ------------------------------------------------------------ sums

    def _sum(self, op: Apply, target: Var) -> None:
        """Add to all of what loops carry: `d = d + t`."""
        value = self.values.of(op.args[1])
        rank = target.fact.rank
        if value is None or rank is None:
            raise StaysError
        root = self.carried.roots[target.name]
        axes = [*map(Own, range(rank))]
        found = self._arranged(value, axes)
        total = laid_out(found, axes, self.builder)
        full = found.axes == (*axes,) and self.same(found.dims, dims_of(target))
        made = self.alone(total, op.args[1], full, root)
        if made is not None and operated(op.fn) == "sum":
            return self._note(root, op.out, made)
        sum_ = replace(op, args=(self.carried.now[root], total))
        return self._note(root, op.out, sum_)

    def _note(self, root: str, out: Var, op: Apply | Store) -> None:
        self.last[root] = len(self.builder.ops), op
        self.builder.ops.append(op)
        self.carried.now[root] = op.out
        self.carried.roots[out.name] = self.carried.roots[op.out.name] = root

    def _store(self, op: Store) -> None:
        """Add to a part of an array."""
        target, root = op.target, self.carried.roots.get(op.target.name)
        if root is None or op.change not in (ADD, SUBTRACT) or not is_real(target):
            raise StaysError
        parts = self.indices.parts(op.index, target.fact.rank)
        value = self.values.of(op.value)
        if (
            parts is None
            or value is None
            or not self.regions.is_uncut(parts, target, op.index)
        ):
            raise StaysError
        axes = axes_of(parts)
        self.regions.is_wide |= any(isinstance(p, Whole) for p in parts)
        self.values.sizes.append(frozenset(axes))
        total = self._arranged(value, axes)
        joined = self._joined(total, parts, target)
        index = self.regions.index(target, parts)
        full = index is None and total.axes == (*axes,)
        full = full and self.same(total.dims, own_dims(parts, target))
        made = self.alone(joined, op.value, full, root) if op.change == ADD else None
        if made is not None:
            self._note(root, op.out, made)
            return
        index = Const(...) if index is None else index
        now = self.carried.now[root]
        assert isinstance(now, Var)
        self._note(root, op.out, replace(op, target=now, index=index, value=joined))

    def _arranged(self, value: Spread, axes: Sequence[Axis]) -> Spread:
        """Return what all iterations add, summed over the loops that do not tell the
        places apart, in the order of some axes."""
        rank = sum(isinstance(a, Own) for a in axes)
        if value.rank > rank:
            raise StaysError
        value = value.of_rank(rank)
        others = [lap for lap in self.active if lap not in axes]
        if not all(lap in value.axes for lap in others):
            raise StaysError
        if others:
            value = summed(value, [], self.builder, others)
        at = [k for k, a in enumerate(axes) if a in value.axes]
        if [axes[k] for k in at] != [*value.axes]:
            raise StaysError
        return value

    def _joined(self, value: Spread, parts: Sequence[Part], target: Var) -> Atom:
        """Return what is added to a part of an array, windows one after another."""
        found = self.regions.windows(parts)
        if any(own in value.axes and lap not in value.axes for lap, own, _ in found):
            raise StaysError
        dims = own_dims(parts, target)
        for _, own, _ in found:
            there = own in value.axes
            if there and not self.same([value.dims[own.place]], [dims[own.place]]):
                raise StaysError
        atom = value.atom
        for lap, own, width in reversed(found):
            if lap in value.axes and own not in value.axes:
                kwargs = (("axis", Const(value.axes.index(lap))),)
                atom = self.builder.apply(np.repeat, atom, width, kwargs=kwargs)
        value = replace(value, atom=atom)
        sides = self.regions.sides(parts)
        if not any(own in value.axes for _, own, _ in found):
            return laid_out(value, [axis for axis, _ in sides], self.builder)
        lengths = [
            self.regions.side_length(target, k, parts[k])
            if axis in value.axes
            else Const(1)
            for axis, k in sides
        ]
        return self.builder.method("reshape", value.atom, *lengths)

    # ------------------------------------------------------------ the end

    def is_worth_it(self) -> bool:
        """Return whether the statements handle no more than the loops read and write,
        and each iteration but a few numbers."""
        laps = {a for axes in self.values.sizes for a in axes if isinstance(a, Lap)}
        if len(laps) < 2 and self.regions.is_wide:
            return False
        return all(map(self._is_small, self.values.values.values()))

    def _is_small(self, value: Spread) -> bool:
        own = sum(isinstance(a, Own) for a in value.axes)
        return any(
            value.laps <= size and own <= sum(isinstance(a, Own) for a in size)
            for size in self.values.sizes
        )
