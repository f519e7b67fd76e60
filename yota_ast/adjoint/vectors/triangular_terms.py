"""A store of a loop that adds a product of rows as long as a triangle's -> the product
of matrices that the loop adds up.

`D[:, i:] += np.outer(X[:, i], t)` adds `X @ T` in all, where row i of T is t from i on
and 0 before; and `D[:, i] += X[:, i:] @ t` adds `X @ T.T`. So it is along the other
axis, and with rows `X[i]` for columns.

In: the ops of the loop.  Out: such terms.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.adjoint.vectors.index_regions import Lanes, Number
from yota_ast.adjoint.vectors.loop_numbers import Known
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.ir.nodes import Apply, For, Store
from yota_ast.ir.store_changes import ADD, SUBTRACT

_WHOLE = Const(slice(None))


class Span(NamedTuple):
    """A slice of which one end goes on with the iterations, by so much more than their
    number, and the other is that of the axis."""

    to_end: bool
    offset: int
    atom: Atom

    @property
    def key(self) -> tuple[bool, int]:
        """What tells it from others of an axis as long."""
        return self.to_end, self.offset


class Axis(NamedTuple):
    """An axis of an array."""

    array: Var
    at: int

    @property
    def length(self) -> Dim | None:
        """Its length, if that is known by name."""
        shape = self.array.fact.shape
        return shape[self.at] if isinstance(shape, tuple) else None


@dataclass(frozen=True, slots=True)
class Term:
    """What a store adds in all: `X @ T`. made: the op that makes what it adds in one
    iteration. x: the matrix. turned: whether it is transposed. row: what the matrix T
    has in the row of an iteration, in a span. lanes, columns: the axes that its axes
    are as long as. plain: whether T is not transposed. first: whether X is the left
    factor. minus: whether it is taken off. in_lanes: whether an iteration reads one
    lane of X, else a span."""

    store: Store
    made: Apply
    x: Var
    turned: bool
    row: Var
    span: Span
    lanes: Axis
    columns: Axis
    plain: bool
    first: bool
    in_lanes: bool

    @property
    def minus(self) -> bool:
        """Whether the product is taken off."""
        return self.store.change == SUBTRACT

    @property
    def contracted(self) -> Axis:
        """The axis of X that the product sums over."""
        return Axis(self.x, int(self.first is not self.turned))


@dataclass(frozen=True, slots=True)
class Terms:
    """Looks at the stores of one loop. made: the ops of its body."""

    loop: For
    lanes: Lanes
    known: Known
    made: Mapping[str, Apply]

    def of(self, store: Store) -> Term | None:
        """Return what a store adds in all, if it is such a product."""
        op = self.made.get(getattr(store.value, "name", ""))
        if op is None or op.kwargs or store.change not in (ADD, SUBTRACT):
            return None
        if not _is_matrix(store.target) or len(op.args) != 2:
            return None
        if op.fn is np.outer:
            found = self._outer(store, op)
        elif op.fn is operator.matmul:
            found = self._product(store, op)
        else:
            return None
        return next(found, None)

    def _outer(self, store: Store, op: Apply) -> Iterator[Term]:
        """`D[:, i:] += np.outer(X[:, i], t)`."""
        parts = self._parts(store.index)
        for at, span in self._spans(store.target, parts):
            lane, row = op.args if at else op.args[::-1]
            x, taken = self._taken(lane)
            if x is None or parts[1 - at] != _WHOLE or not self._is_row(row):
                continue
            for k in (0, 1):
                if self._is_lane(taken[k]) and taken[1 - k] == _WHOLE:
                    lanes, columns = Axis(x, k), Axis(store.target, at)
                    first = at == 1
                    turned = (k == 0) is first
                    assert isinstance(row, Var)
                    yield Term(
                        store, op, x, turned, row, span, lanes, columns,
                        plain=first, first=first, in_lanes=True,
                    )  # fmt: skip

    def _product(self, store: Store, op: Apply) -> Iterator[Term]:
        """`D[:, i] += X[:, i:] @ t`."""
        parts = self._parts(store.index)
        for at in (0, 1):
            if len(parts) != 2 or not self._is_lane(parts[at]):
                continue
            if parts[1 - at] != _WHOLE:
                continue
            for k in (0, 1):
                matrix, row = op.args if k else op.args[::-1]
                x, taken = self._taken(matrix)
                if x is None or not self._is_row(row):
                    continue
                for axis, span in self._spans(x, taken):
                    if axis != k or taken[1 - k] != _WHOLE:
                        continue
                    lanes, columns = Axis(store.target, at), Axis(x, k)
                    first = at == 1
                    turned = (k == 0) is first
                    assert isinstance(row, Var)
                    yield Term(
                        store, op, x, turned, row, span, lanes, columns,
                        plain=not first, first=first, in_lanes=False,
                    )  # fmt: skip

    # ------------------------------------------------------------ indices

    def _taken(self, atom: Atom) -> tuple[Var | None, tuple[Atom, ...]]:
        """Return a matrix, and the index of what is taken of it."""
        op = self.made.get(getattr(atom, "name", ""))
        if op is None or op.fn is not operator.getitem:
            return None, ()
        x, index = op.args
        parts = self._parts(index)
        if not isinstance(x, Var) or not _is_matrix(x) or len(parts) != 2:
            return None, ()
        return x, parts

    def _is_row(self, atom: Atom) -> bool:
        return getattr(atom, "name", "") in self.made and fact_of_atom(atom).rank == 1

    def _parts(self, index: Atom) -> tuple[Atom, ...]:
        """Return the parts of an index of a matrix, those left out written."""
        parts: tuple[Atom, ...] = (index,)
        if isinstance(index, Const) and isinstance(index.value, tuple):
            parts = tuple(map(Const, index.value))
        elif isinstance(index, Var) and index.name in self.made:
            made = self.made[index.name]
            parts = made.args if made.fn is build_tuple else parts
        return (*parts, _WHOLE) if len(parts) == 1 else parts

    def _is_lane(self, atom: Atom) -> bool:
        return self.known.number(atom) == Number(self.loop.targets[0].name)

    def _spans(self, array: Var, parts: tuple[Atom, ...]) -> Iterator[tuple[int, Span]]:
        """Find the parts of an index that are such slices, and their axes."""
        for at, part in enumerate(parts if len(parts) == 2 else ()):
            span = self._span(array, at, part)
            if span is not None:
                yield at, span

    def _span(self, array: Var, at: int, atom: Atom) -> Span | None:
        op = self.made.get(getattr(atom, "name", ""))
        if op is None or op.fn is not build_slice or op.args[2] not in _STEPS:
            return None
        start, stop, _ = op.args
        number = self.loop.targets[0].name
        begins, ends = self.known.number(start), self.known.number(stop)
        if begins is not None and begins.base == number:
            to_end = stop == Const(None)
            if ends is not None:
                to_end = self.known.is_length(ends, array, at)
            natural = self.lanes.is_natural(self.lanes.low.shifted(begins.offset))
            return Span(True, begins.offset, atom) if to_end and natural else None
        if ends is not None and ends.base == number:
            natural = self.lanes.is_natural(self.lanes.low.shifted(ends.offset))
            whole = start in (Const(None), Const(0))
            return Span(False, ends.offset, atom) if whole and natural else None
        return None


_STEPS = (Const(None), Const(1))


def _is_matrix(var: Var) -> bool:
    dtype = var.fact.dtype
    return var.fact.rank == 2 and dtype is not None and dtype.kind == "f"
