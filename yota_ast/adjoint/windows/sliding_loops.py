"""Loops over windows that overlap -> loops over the places in a window.

    for i in range(n - 1, -1, -1):
        dw += dout[i] * x[i : i + k]
        dx[i : i + k] += dout[i] * w

    for i in range(k):
        dw[i] += np.vdot(dout, x[i : i + n])
        dx[i : i + n] += dout * w[i]

Windows are short and there are many, as in a convolution. The loops do nothing but add
to arrays that they do not read, so they may do it in any order. No window is cut off by
the end of an axis: the shapes say so. What is computed at one place is no larger than
what is read or written there. In code that is differentiated again all loops stay.

In: a reverse sweep whose adjoints add up in place.  Out: the same.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import assert_never

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.adjoint.vectors.kept_loops import are_kept
from yota_ast.adjoint.vectors.loop_numbers import Known
from yota_ast.adjoint.windows.loop_nests import LoopNest, Loops
from yota_ast.adjoint.windows.sliding_labels import (
    Label,
    WindowLabels,
    makes_products,
    slots_of,
)
from yota_ast.adjoint.windows.sliding_values import SlidingValues
from yota_ast.adjoint.windows.spread_arrays import ALL, Axis, Lap, Own, Spread
from yota_ast.adjoint.windows.window_indices import Item, Part, Sliding, Whole
from yota_ast.adjoint.windows.window_regions import StaysError, dims_of
from yota_ast.adjoint.windows.window_values import is_broadcast, is_real
from yota_ast.ir.abstract_values import INT
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    Compound,
    For,
    Simple,
    Store,
    only,
)
from yota_ast.ir.store_changes import ADD, SUBTRACT, Change
from yota_ast.ops.algebra import TERMS, operated


def with_places(
    back: Block,
    adjoints: Mapping[str, Atom],
    known: Known,
    infer: Infer,
    names: Names,
    assumed: Assumptions,
) -> tuple[Block, dict[str, Atom]]:
    """Return the reverse sweep with loops over places for those over windows, and its
    results; notes what that takes for granted."""
    if are_kept():
        return back, dict(adjoints)
    return Loops(_Nest, infer, names, known, assumed).written_out(back, adjoints)


@dataclass(frozen=True, slots=True)
class _Sum:
    """An op that adds to what loops carry. index: None where it adds to all of it."""

    op: Apply | Store
    target: Var
    index: Atom | None
    value: Atom
    change: Change

    def into(self, now: Atom, total: Atom, index: Atom | None) -> Apply | Store:
        """Return the op that adds the sum of what all iterations add."""
        op = self.op
        if index is None and self.index is None:
            assert isinstance(op, Apply)
            return replace(op, args=(now, total))
        assert isinstance(now, Var)
        at = Const(...) if index is None else index
        return Store(op.out, now, at, total, self.change, op.origin)


@dataclass(slots=True)
class _Nest(LoopNest):
    """A loop, and those within, each alone in the one around."""

    labels: WindowLabels = field(init=False)
    values: SlidingValues = field(init=False)
    ops: list[Apply | Store] = field(default_factory=list)
    """What the innermost loop does, but for indices."""
    parts: dict[int, list[Part]] = field(default_factory=dict)
    """What an op takes of an array, or writes to, by its place among them."""
    sums: dict[int, _Sum] = field(default_factory=dict)
    """The ops that add to what is carried, by their places."""

    def __post_init__(self) -> None:
        LoopNest.__post_init__(self)
        self.indices.sliding = True
        self.labels = WindowLabels(self.known, self.indices)
        within = self.builder.nested()
        self.values = SlidingValues(self.labels, self.regions, self.builder, within)

    # ------------------------------------------------------------ what there is

    def write_out(self, loop: For) -> bool:
        """Put loops over places in the place of a loop; it is worth it."""
        self.begin(loop)
        self.exchange()
        return True

    def begin(self, loop: For) -> None:
        """Read the loops, and tell the axes of what they compute."""
        self.note_counters(loop)
        self._loop(loop)
        self.labels.check()
        if not self.labels.widths or not self._are_short():
            raise StaysError
        for at in self.sums:
            slots = {*slots_of(self._axes(at))}
            if slots and len(slots) < len(self.labels.widths):
                raise StaysError

    def _loop(self, loop: For) -> None:
        starts = [self.carry(carry) for carry in loop.carries]
        if len({*starts}) < len(starts):
            raise StaysError
        within = [*only(loop.body, For)]
        for op in loop.body:
            match op:
                case For():
                    self._loop(op)
                case Apply():
                    self._apply(op, alone=not within)
                case Store() if not within:
                    self._sum(_Sum(op, op.target, op.index, op.value, op.change))
                case Simple() | Compound():
                    raise StaysError
                case _:
                    assert_never(op)
        self.close(loop, starts)

    def _apply(self, op: Apply, *, alone: bool) -> None:
        if op.effect:
            raise StaysError
        if op.fn in (build_tuple, build_slice, range) or self.is_number(op):
            return None
        if not alone:
            raise StaysError
        first = op.args[0] if op.args else None
        if isinstance(first, Var) and first.name in self.carried.roots:
            if operated(op.fn) in TERMS:
                change = ADD if operated(op.fn) == "sum" else SUBTRACT
                return self._sum(_Sum(op, first, None, op.args[1], change))
        self.labels.own[op.out.name] = self._labelled(op)
        self.ops.append(op)

    def _labelled(self, op: Apply) -> list[Label | None]:
        if op.fn is operator.getitem:
            array, index = op.args
            if isinstance(array, Var) and array.name not in self.labels.own:
                return self._taken(array, index)
            return _with_new(self.labels.of(array), index)
        if any(isinstance(a, Var) and self._is_lent(a) for a in op.args):
            raise StaysError
        if makes_products(op):
            return self.labels.of_product(op)
        if op.fn is np.sum:
            return self.labels.of_sum(op)
        if op.kwargs or not is_broadcast(op.fn) or op.form == "augmented":
            raise StaysError
        return self.labels.of_elements(op.args)

    def _taken(self, array: Var, index: Atom) -> list[Label | None]:
        parts = self.indices.parts(index, array.fact.rank)
        real = is_real(array, "fiub")
        if parts is None or not real or not self.regions.is_uncut(parts, array, index):
            raise StaysError
        root = self.carried.roots.get(array.name)
        if root is None and self._is_lent(array):
            raise StaysError
        self.parts[len(self.ops)] = parts
        return self.labels.of_parts(parts, array)

    def _is_lent(self, array: Var) -> bool:
        """Return whether an array may be one that the loops carry."""
        if array.fact.is_scalar or array.name in self.labels.own:
            return False
        memory = self.known.memory(array.name)
        carried = {self.known.memory(v.name) for v in self.carried.begun}
        return memory is None or memory in carried or array.name in self.carried.roots

    def _sum(self, added: _Sum) -> None:
        """Note what is added to what the loops carry."""
        target, value = added.target, added.value
        root, rank = self.carried.roots.get(target.name), target.fact.rank
        if root is None or rank is None or (rank and not is_real(target)):
            raise StaysError
        parts: list[Part] | None = [Whole()] * rank
        if added.index is not None:
            parts = self.indices.parts(added.index, rank)
            if parts is None or added.change not in (ADD, SUBTRACT):
                raise StaysError
            if not self.regions.is_uncut(parts, target, added.index):
                raise StaysError
        assert parts is not None
        if isinstance(value, Var) and self._is_lent(value):
            raise StaysError
        own, given = self.labels.of_parts(parts, target), self.labels.of(value)
        if len(given) > len(own):
            raise StaysError
        for one, other in zip(own[::-1], given[::-1], strict=False):
            if one is not None and other is not None:
                self.labels.unite(one, other)
        out = added.op.out
        self.labels.own[out.name], self.carried.roots[out.name] = own, root
        self.parts[len(self.ops)], self.sums[len(self.ops)] = parts, added
        self.ops.append(added.op)

    def _axes(self, at: int) -> list[Label | None]:
        return self.labels.axes(self.ops[at].out.name)

    def _are_short(self) -> bool:
        """Return whether the windows of the example are no longer than there are
        iterations, as far as that is known."""
        for part in self.labels.widths.values():
            low, high = part.counter.range[:2]
            ends = [fact_of_atom(a).length for a in (low, high)]
            sizes = [
                a.value if isinstance(a, Const) else getattr(d, "example", None)
                for a, d in zip((low, high), ends, strict=True)
            ]
            width = part.length.example
            if None not in (*sizes, width):
                if width > abs(sizes[0] - sizes[1]):  # type: ignore[operator]
                    return False
        return True

    # ------------------------------------------------------------ what becomes of it

    def exchange(self) -> None:
        """Write out what all iterations do at one place."""
        values = self.values
        for loop in sorted(self.labels.widths):
            var = self.indices_of(loop)
            values.note_slot(loop, values.within.var(INT, var.hint))
        for at in self.sums:
            values.orders.append(self._order(at))
        sizes: list[frozenset[Axis]] = [frozenset(o) for o in values.orders]
        inner: dict[str, tuple[Var, Var]] = {}
        for at, op in enumerate(self.ops):
            values.before.origin = values.within.origin = op.origin
            if at in self.sums:
                self._store(at, inner)
                continue
            assert isinstance(op, Apply)
            op = replace(op, args=(*map(self._current, op.args),))
            if at in self.parts:
                array = op.args[0]
                assert isinstance(array, Var)
                found = values.take(array, self.parts[at], self._axes(at))
                sizes.append(frozenset(found.axes))
                values.values[op.out.name] = found
                continue
            made = values.computed(op)
            values.values[op.out.name] = made
            if isinstance(made, Spread) and not _is_small(made, sizes):
                raise StaysError
        self._close(inner)

    def indices_of(self, loop: int) -> Var:
        """Return the number of a loop."""
        found = (c.var for c in self.indices.counters.values() if c.loop == loop)
        return next(found)

    def _current(self, atom: Atom) -> Atom:
        """Return what the loops only hand on as it is before them."""
        root = self.carried.roots.get(atom.name) if isinstance(atom, Var) else None
        if root is None:
            return atom
        if root in {
            self.carried.roots[added.op.out.name] for added in self.sums.values()
        }:
            raise StaysError
        return self.carried.now[root]

    def _order(self, at: int) -> list[Axis]:
        """Return the axes of the part of an array that an op adds to."""
        found: list[Axis] = []
        own, place = self._axes(at), 0
        for part in self.parts[at]:
            if isinstance(part, (Item, Sliding)):
                found.append(Lap(part.counter.loop))
            elif isinstance(part, Whole) and not [*slots_of([own[place]])]:
                found.append(Own(place))
            place += isinstance(part, (Whole, Sliding))
        return found

    def _store(self, at: int, inner: dict[str, tuple[Var, Var]]) -> None:
        """Add what all iterations add, before the loops over places or within."""
        values, own, added = self.values, self._axes(at), self.sums[at]
        laps: set[Axis] = {Lap(c.loop) for c in self.indices.counters.values()}
        value = values.of(self._current(added.value))
        total = values.total(value, self._order(at), len(own), laps)
        out = added.op.out
        root = self.carried.roots[out.name]
        atoms, _ = values.index(added.target, self.parts[at], own)
        whole = all(a == Const(ALL) for a in atoms)
        index = None if whole else values.joined(atoms)
        if not [*slots_of(own)]:
            alone = self._alone(added, total, root) if whole else None
            made = alone or added.into(self.carried.now[root], total, index)
            self.carried.now[root] = made.out
            self.last[root] = len(values.before.ops), made
            values.before.ops.append(made)
            return
        now = self.carried.now[root]
        assert isinstance(now, Var)
        first, last = inner.get(root) or (_renewed(values.within, now),) * 2
        values.within.ops.append(added.into(last, total, index))
        inner[root] = first, out

    def _alone(self, added: _Sum, total: Atom, root: str) -> Apply | None:
        """Take back what makes a sum that is all there is."""
        if added.index is not None or added.change != ADD:
            return None
        given = dims_of(added.value) if isinstance(added.value, Var) else (None,)
        full = self.same(given, dims_of(added.target))
        return self.alone(total, added.value, full, root)

    def _close(self, inner: Mapping[str, tuple[Var, Var]]) -> None:
        """Put the loops over places around what stands in the innermost."""
        values = self.values
        if not inner:
            raise StaysError
        block, ends = values.within.block(), dict(inner)
        *outer, first = sorted(self.labels.widths)
        for loop in (first, *outer[::-1]):
            width = self.labels.widths[loop].width
            around = self.builder if loop == (outer or [first])[0] else None
            builder = around or values.within.nested()
            builder.origin = self.builder.origin
            numbers = builder.apply(range, width)
            starts = {root: self._start(root, around is not None) for root in ends}
            carries = tuple(
                Carry(_renewed(builder, last), starts[root], inside, last)
                for root, (inside, last) in ends.items()
            )
            made = For(
                (values.slots[loop],), numbers, block, carries, origin=builder.origin
            )
            builder.ops.append(made)
            ends = {
                root: (start, carry.out)
                for (root, start), carry in zip(starts.items(), carries, strict=True)
            }
            block = builder.block()
        self._note(made, [*inner])

    def _start(self, root: str, outermost: bool) -> Var:
        now = self.carried.now[root]
        assert isinstance(now, Var)
        return now if outermost else _renewed(self.builder, now)

    def _note(self, made: For, roots: list[str]) -> None:
        """Note which of what the outermost loop gives is which."""
        for root, carry in zip(roots, made.carries, strict=True):
            self.carried.now[root] = carry.out
            self.last[root] = len(self.builder.ops) - 1, made


def _renewed(builder: Builder, var: Var) -> Var:
    return builder.var(var.fact, var.hint)


def _is_small(value: Spread, sizes: list[frozenset[Axis]]) -> bool:
    """Return whether a value has no more axes than what is read or written."""
    laps = value.laps
    own = len(value.axes) - len(laps)
    return any(
        laps <= size and own <= sum(isinstance(a, Own) for a in size) for size in sizes
    )


def _with_new(own: list[Label | None], index: Atom) -> list[Label | None]:
    """Return the axes of `x[:, None]`."""
    value = index.value if isinstance(index, Const) else 0
    parts = value if isinstance(value, tuple) else (value,)
    if any(p is not None and p != ALL for p in parts):
        raise StaysError
    left = iter(own)
    found = [None if p is None else next(left, None) for p in parts]
    return [*found, *left]
