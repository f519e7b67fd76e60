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
from yota_ast.adjoint.inplace.fresh_results import is_fresh
from yota_ast.adjoint.inplace.zero_assignments import with_first_put
from yota_ast.adjoint.vectors.handed_on import HandedOn
from yota_ast.adjoint.vectors.kept_loops import are_kept
from yota_ast.adjoint.vectors.loop_ends import after_last
from yota_ast.adjoint.vectors.loop_numbers import Known
from yota_ast.adjoint.vectors.spread_arrays import (
    Axis,
    Lap,
    Own,
    Spread,
    laid_out,
    summed,
)
from yota_ast.adjoint.vectors.window_indices import (
    Counter,
    Part,
    Whole,
    WindowIndices,
)
from yota_ast.adjoint.vectors.window_regions import (
    StaysError,
    WindowRegions,
    axes_of,
    dims_of,
    own_dims,
)
from yota_ast.adjoint.vectors.window_values import Carried, WindowValues, is_real
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.block_queries import read_counts
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    Compound,
    For,
    Op,
    Simple,
    Store,
    map_blocks,
    of_ops,
    only,
    walk,
)
from yota_ast.ir.store_changes import ADD, SUBTRACT
from yota_ast.ops.algebra import KEEPING, TERMS, operated


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
    loops = _Loops(infer, names, known, assumed)
    made = loops.block(back)
    made, ends = loops.handed.put_into(made, adjoints)
    return with_first_put(made), ends


@dataclass(slots=True)
class _Loops:
    infer: Infer
    names: Names
    known: Known
    assumed: Assumptions
    handed: HandedOn = field(default_factory=HandedOn)

    def block(self, block: Block) -> Block:
        """Return a block, the outermost loops first."""
        ops: list[Op] = []
        for op in block:
            made = self._written_out(op) if isinstance(op, For) else None
            ops += [map_blocks(op, self.block)] if made is None else made
        return of_ops(block, tuple(ops))

    def _written_out(self, loop: For) -> list[Op] | None:
        builder = Builder(self.infer, self.names, loop.origin)
        nest = _Nest(self.known, builder)
        try:
            nest.begin(loop)
            nest.loop(loop)
        except StaysError:
            return None
        if not nest.last or not nest.is_worth_it() or not nest.are_apart():
            return None
        self.assumed.natural |= dict.fromkeys(nest.regions.natural)
        self.assumed.shapes = self.assumed.spread = True
        ops, kept = nest.named(loop)
        self.handed.add(kept)
        return ops


@dataclass(slots=True)
class _Nest:
    """A loop, and those within, as they are written out."""

    known: Known
    builder: Builder
    indices: WindowIndices = field(init=False)
    regions: WindowRegions = field(init=False)
    values: WindowValues = field(init=False)
    carried: Carried = field(default_factory=Carried)
    active: list[Lap] = field(default_factory=list)
    """The loops around."""
    last: dict[str, tuple[int, Apply | Store]] = field(default_factory=dict)
    """Where what they carry is added to for the last time."""
    uses: Mapping[str, int] = field(default_factory=dict)
    """How often the loops read a value."""

    def __post_init__(self) -> None:
        self.indices = WindowIndices(self.known)
        self.regions = WindowRegions(self.known, self.builder)
        self.values = WindowValues(
            self.known, self.builder, self.indices, self.regions, self.carried
        )

    def begin(self, loop: For) -> None:
        """Note the loops that there are, and what they write."""
        self.uses = read_counts(loop.body)
        for op in only(walk(Block((loop,))), For):
            counter = self._counter(op)
            self.indices.counters[counter.var.name] = counter
        for counter in self.indices.counters.values():
            if any(map(self.indices.depends, counter.range[:2])):
                raise StaysError
        for store in only(walk(loop.body), Store):
            parts = self.indices.parts(store.index, store.target.fact.rank)
            if parts is not None:
                self.values.orders.append(axes_of(parts))

    # ------------------------------------------------------------ ops

    def loop(self, loop: For) -> None:
        """Write out a loop, and those within."""
        lap = Lap(self.indices.counters[loop.targets[0].name].loop)
        self.active.append(lap)
        starts = [self._begin(carry) for carry in loop.carries]
        if len({*starts}) < len(starts):
            raise StaysError
        for op in loop.body:
            self._op(op)
        for carry, root in zip(loop.carries, starts, strict=True):
            last = carry.next.name if isinstance(carry.next, Var) else ""
            if self.carried.roots.get(last) != root:
                raise StaysError
            self.carried.roots[carry.out.name] = root
        self.active.remove(lap)
        if self.values.reads & self.last.keys():
            raise StaysError

    def _begin(self, carry: Carry) -> str:
        """Note what a loop carries; return its name before all loops."""
        init = carry.init
        if isinstance(init, Undefined):
            raise StaysError
        root = carry.inside.name
        if isinstance(init, Var):
            root = self.carried.roots.get(init.name, init.name)
        if root not in self.carried.now:
            self.carried.now[root] = init
            self.carried.begun += [init] if isinstance(init, Var) else []
        self.carried.roots[carry.inside.name] = root
        return root

    def _counter(self, loop: For) -> Counter:
        plain = loop.stop is None and loop.stack is None and loop.schedule is None
        given = self.known.range_of(loop) if plain and len(loop.targets) == 1 else None
        if given is None or self.known.ends(loop) is None:
            raise StaysError
        counter = Counter(len(self.indices.counters), loop.targets[0], given)
        last = after_last(given, self.builder, self.known.made)
        low = self.regions.least(counter)
        if not self.known.is_natural(low) or not self.regions.is_natural_number(last):
            raise StaysError
        return counter

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
        if op.fn in (build_tuple, build_slice) or self._is_number(op):
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

    def _is_number(self, op: Apply) -> bool:
        """Return whether an op is told by the numbers of the loops, or makes a range:
        it is needed in an index, or by a loop."""
        if op.fn is range:
            self.builder.ops.append(op)
            return True
        if op.out.fact.kind != "int" or not self.indices.depends(op.out):
            return False
        return operated(op.fn) in KEEPING

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
        full = found.axes == (*axes,) and self._same(found.dims, dims_of(target))
        made = self._alone(total, op.args[1], full, root)
        if made is not None and operated(op.fn) == "sum":
            return self._note(root, op.out, made)
        sum_ = replace(op, args=(self.carried.now[root], total))
        return self._note(root, op.out, sum_)

    def _same(self, one: Sequence[Dim | None], other: Sequence[Dim | None]) -> bool:
        """Return whether lengths are surely the same."""
        return all(map(self.known.are_equal, one, other))

    def _alone(self, total: Atom, value: Atom, full: bool, root: str) -> Apply | None:
        """Take back what makes a sum that is all there is: it is added to zeros of its
        type, and nothing else reads it. full: whether it has all axes of these."""
        if not full:
            return None
        made = self.builder.made.get(getattr(total, "name", ""))
        now = self.carried.now[root]
        if made is None or made != self.builder.ops[-1]:
            return None
        if not is_fresh(made) or self.uses[getattr(value, "name", "")] > 1:
            return None
        zeros = now == Const(0.0)
        if isinstance(now, Var) and now.fact.dtype == np.float64:
            maker = self.known.made.get(now.name)
            zeros = maker is not None and maker.fn is np.zeros_like and not maker.kwargs
        if not zeros or made.out.fact.dtype != np.float64:
            return None
        self.builder.ops.pop()
        return made

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
        full = full and self._same(total.dims, own_dims(parts, target))
        made = self._alone(joined, op.value, full, root) if op.change == ADD else None
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
            if there and not self._same([value.dims[own.place]], [dims[own.place]]):
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

    def are_apart(self) -> bool:
        """Return whether no two of the arrays that are carried share memory."""
        memory = [
            self.known.memory(v.name)
            for v in self.carried.begun
            if v.fact.kind == "array"
        ]
        return None not in memory and len({*memory}) == len(memory)

    def named(self, loop: For) -> tuple[list[Op], dict[str, Var]]:
        """Return the statements, the last of each sum under its name after the loop;
        and what the loop hands on as it was."""
        kept: dict[str, Var] = {}
        ops = [*self.builder.ops]
        for carry in loop.carries:
            root = self.carried.roots[carry.out.name]
            if root in self.last:
                at, op = self.last[root]
                ops[at] = replace(op, out=carry.out)
            elif isinstance(carry.init, Var):
                kept[carry.out.name] = carry.init
        return ops, kept
