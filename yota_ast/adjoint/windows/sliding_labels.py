"""What the iterations of loops over windows compute -> which axes are those of windows.

    dw += dout[i] * x[i : i + k]
    dx[i : i + k] += dout[i] * w

The axis of `x[i : i + k]` is that of the windows of i, and so are, of what it meets
element by element or is summed with, that of `dw`, and that of `w`. Every other axis is
`Free`.

In: the ops of the innermost loop, one after another.  Out: the axes of each value.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.adjoint.vectors.loop_numbers import Known
from yota_ast.adjoint.windows.spread_arrays import summed_places
from yota_ast.adjoint.windows.window_indices import (
    Part,
    Sliding,
    Whole,
    Window,
    WindowIndices,
)
from yota_ast.adjoint.windows.window_regions import StaysError, dims_of
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.nodes import Apply


@dataclass(frozen=True, slots=True)
class Slot:
    """The axis of the windows of a loop: of the place within a window."""

    loop: int


@dataclass(frozen=True, slots=True)
class Free:
    """An axis that is that of no window."""

    number: int


Label = Slot | Free


@dataclass(slots=True)
class WindowLabels:
    """Follows axes from op to op. own: those of each value, None one of length 1;
    widths: what is known of the lengths of windows, by their loops."""

    known: Known
    indices: WindowIndices
    own: dict[str, list[Label | None]] = field(default_factory=dict)
    dims: list[tuple[Label, Dim | None]] = field(default_factory=list)
    widths: dict[int, Sliding] = field(default_factory=dict)
    summed: list[Label] = field(default_factory=list)
    _same: dict[Label, Label] = field(default_factory=dict)

    def label(self, label: Label) -> Label:
        """Return the axis that an axis is: that of a window if it meets one."""
        while label in self._same:
            label = self._same[label]
        return label

    def axes(self, name: str) -> list[Label | None]:
        """Return the axes of a value, by its name."""
        return [a if a is None else self.label(a) for a in self.own[name]]

    def free(self, dim: Dim | None) -> Free:
        """Return a new axis of such a length."""
        found = Free(len(self.dims))
        self.dims.append((found, dim))
        return found

    def unite(self, one: Label, other: Label) -> None:
        """Note that two axes are one."""
        one, other = self.label(one), self.label(other)
        if one == other:
            return
        if isinstance(one, Slot) and isinstance(other, Slot):
            raise StaysError
        first, last = (other, one) if isinstance(one, Slot) else (one, other)
        self._same[first] = last

    def of_parts(self, parts: Sequence[Part], array: Var) -> list[Label | None]:
        """Return the axes of what an iteration takes of an array."""
        dims, found = dims_of(array), list[Label | None]()
        for part, dim in zip(parts, dims, strict=True):
            if isinstance(part, Sliding):
                loop = part.counter.loop
                known = self.widths.setdefault(loop, part)
                if known.length != part.length:
                    raise StaysError
                found.append(Slot(loop))
            elif isinstance(part, Whole):
                found.append(self.free(dim))
            elif isinstance(part, Window):
                raise StaysError
        return found

    def of(self, atom: Atom) -> list[Label | None]:
        """Return the axes of an operand."""
        if isinstance(atom, Const):
            return []
        if atom.name not in self.own:
            rank = fact_of_atom(atom).rank
            if rank is None:
                raise StaysError
            self.own[atom.name] = [self.free(d) for d in dims_of(atom)] if rank else []
        return self.own[atom.name]

    def of_elements(self, atoms: Sequence[Atom]) -> list[Label | None]:
        """Return the axes of what is computed element by element."""
        given = [self.of(a) for a in atoms]
        rank = max(map(len, given))
        padded = [[*[None] * (rank - len(own)), *own] for own in given]
        return [self._common(column) for column in zip(*padded, strict=True)]

    def _common(self, column: Sequence[Label | None]) -> Label | None:
        labels = [a for a in column if a is not None]
        for one, other in itertools.pairwise(labels):
            self.unite(one, other)
        return labels[0] if labels else None

    def of_product(self, op: Apply) -> list[Label | None]:
        """Return the axes of a sum of products."""
        left, right = map(self.of, op.args[:2])
        sums = contracted(op, len(left), len(right))
        if sums is None or None in (*left, *right):
            raise StaysError
        for one, other in zip(*sums, strict=True):
            self._sum(left[one], right[other])
        rest = [a for k, a in enumerate(left) if k not in sums[0]]
        return rest + [a for k, a in enumerate(right) if k not in sums[1]]

    def of_sum(self, op: Apply) -> list[Label | None]:
        """Return the axes of a sum over axes."""
        own = self.of(op.args[0])
        places = summed_places(op, len(own))
        if places is None:
            raise StaysError
        self.summed += [a for k in places if (a := own[k]) is not None]
        return [a for k, a in enumerate(own) if k not in places]

    def _sum(self, *axes: Label | None) -> None:
        for axis in axes:
            assert axis is not None
            self.unite(axis, axes[0])  # type: ignore[arg-type]
            self.summed.append(axis)

    def check(self) -> None:
        """Refuse what windows cannot be exchanged in: sums within them, and axes that
        are not surely as long."""
        if any(isinstance(self.label(a), Slot) for a in self.summed):
            raise StaysError
        for label, dim in self.dims:
            slot = self.label(label)
            if isinstance(slot, Slot):
                width = self.widths.get(slot.loop)
                if width is None or not self.known.are_equal(dim, width.length):
                    raise StaysError
        for own in self.own:
            slots = [*slots_of(self.axes(own))]
            if len({*slots}) < len(slots):
                raise StaysError


def makes_products(op: Apply) -> bool:
    """Return whether an op makes sums of products of the items of two arrays."""
    products = (np.tensordot, np.outer, operator.matmul, np.dot, np.vdot)
    return op.fn in products and not op.kwargs


def slots_of(axes: Sequence[Label | None]) -> Iterator[Slot]:
    """Find the axes of windows."""
    return (a for a in axes if isinstance(a, Slot))


def contracted(
    op: Apply, left: int, right: int
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return the axes that a sum of products sums, of its two operands of such ranks;
    None: they are unknown."""
    if op.fn is np.outer:
        return ((), ()) if (left, right) == (1, 1) else None
    if op.fn is np.vdot:
        return ((*range(left),), (*range(right),)) if left == right else None
    if op.fn is np.tensordot:
        axes = op.args[2] if len(op.args) == 3 else None
        return _pairs(axes, left, right)
    return ((left - 1,), (0,)) if {left, right} <= {1, 2} else None


def _pairs(
    axes: Atom | None, left: int, right: int
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    value = axes.value if isinstance(axes, Const) else None
    if type(value) is int:
        return (*range(left - value, left),), (*range(value),)
    if type(value) is not tuple or len(value) != 2:
        return None
    sides = [(side,) if type(side) is int else side for side in value]
    if not all(type(side) is tuple for side in sides):
        return None
    one, other = ([k % n for k in s] for s, n in zip(sides, (left, right), strict=True))
    return ((*one,), (*other,)) if len(one) == len(other) else None
