"""An array expression -> its axes, and the expression of its element at an index.

`c * (u[2:] - u[:-2])` has one axis, of the length `len(u) - 2`; its element at `i` is
`c * (u[i + 2] - u[i])`. What has no such form is computed ahead, under a name.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.codegen.loops.draft import BOOL, INT, Draft
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.built_values import build_list, build_slice, build_tuple
from yota_ast.ir.nodes import Apply
from yota_ast.ops.registry import info
from yota_ast.runtime import unbroadcast

Index = tuple[Atom, ...]
Element = Callable[[Index], Atom]


@dataclass(frozen=True, slots=True)
class Axis:
    """The length of an axis: the abstract one if it is known, and the expression."""

    dim: Dim | None
    length: Atom

    @property
    def is_unit(self) -> bool:
        """Whether the length is 1."""
        return self.dim is not None and self.dim.is_unit


@dataclass(frozen=True, slots=True)
class Array:
    """An array expression: its axes, and its element at an index."""

    axes: tuple[Axis, ...]
    at: Element

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.axes)


def number(fact: Fact) -> Fact:
    """Return the abstract value of an element of an array."""
    return Fact("scalar", fact.dtype, ())


def is_array(atom: Atom) -> bool:
    """Say whether a value has axes."""
    fact = fact_of_atom(atom)
    return fact.kind in ("array", "real") and not fact.is_scalar


class Elements:
    """Takes array expressions apart.

    scalars: gives the expression of a number. ahead: computes an op under a name.
    """

    def __init__(
        self,
        draft: Draft,
        scalars: Callable[[Atom], Atom],
        ahead: Callable[[Apply], Var],
    ) -> None:
        self.draft = draft
        self.scalar = scalars
        self.ahead = ahead

    # ------------------------------------------------------------ arrays

    def array(self, atom: Atom) -> Array:
        """Return the axes and the element of an expression; a number has no axes."""
        if not is_array(atom):
            value = self.scalar(atom)
            return Array((), lambda _: value)
        op = self.draft.nested_op(atom)
        if op is None:
            return self.named(atom)
        if not isinstance(op, Apply):
            self.draft.refuse("an array that a condition chooses in an expression")
        return self.of_op(op)

    def name(self, atom: Atom) -> Var:
        """Return the variable of an array, which is computed ahead if it has none."""
        op = self.draft.nested_op(atom)
        if op is not None:
            if not isinstance(op, Apply):
                self.draft.refuse("an array that a condition chooses")
            return self.ahead(op)
        return self.draft.from_outside(atom) if isinstance(atom, Const) else atom

    def named(self, atom: Atom) -> Array:
        """Return an array that has a name."""
        if isinstance(atom, Const):
            atom = self.draft.from_outside(atom)
        fact = atom.fact
        if not isinstance(fact.shape, tuple):
            self.draft.refuse("an array of unknown rank: give examples")
        axes = tuple(self.axis(atom, k, dim) for k, dim in enumerate(fact.shape))
        return Array(axes, lambda index: self.draft.item(atom, index, number(fact)))

    def axis(self, owner: Var, k: int, dim: Dim | None) -> Axis:
        """Return an axis of a named array; what is 1 in the example has to be 1."""
        length = self.length(owner, k, dim)
        if dim is None or dim.is_unit or dim.example != 1:
            return Axis(dim, length)
        self.draft.test_equal(length, Const(1))
        return Axis(Dim("", 1, 1), Const(1))

    def length(self, owner: Var, axis: int, dim: Dim | None) -> Atom:
        """Return the length of an axis of a named array."""
        if dim is not None and not dim.base:
            return Const(dim.offset)
        if axis == 0:
            return self.draft.call(len, owner, fact=INT)
        shape = self.draft.call(
            np.shape, owner, fact=Fact("tuple"), form="attribute", spelling="shape"
        )
        return self.draft.item(shape, (Const(axis),), INT)

    def of_op(self, op: Apply, *, last: bool = False) -> Array:
        """Return the array that an op gives; last: it has to be made of elements."""
        known = _FORMS.get(op.fn)
        found = None
        if known is not None:
            found = known(self, op)
        elif is_elementwise(op):
            found = self.elementwise(op)
        if found is not None:
            return found
        if last:
            self.draft.refuse(f"`{getattr(op.fn, '__name__', op.fn)}`")
        return self.named(self.ahead(op))

    def elementwise(self, op: Apply) -> Array:
        """Return what an op gives that works on each element alone."""
        parts = [self.array(a) for a in op.args]
        axes = self.together(parts)
        out = number(op.out.fact)

        def at(index: Index) -> Atom:
            args = tuple(self.at(part, axes, index) for part in parts)
            made = self.draft.var(out)
            return self.draft.nest(replace(op, out=made, args=args), made)

        return Array(axes, at)

    def together(self, parts: Sequence[Array]) -> tuple[Axis, ...]:
        """Return the axes of arrays that are broadcast, and test that they fit."""
        rank = max((p.rank for p in parts), default=0)
        return tuple(
            self.common([p.axes[k - rank] for p in parts if p.rank >= rank - k])
            for k in range(rank)
        )

    def common(self, axes: Sequence[Axis]) -> Axis:
        """Return the axis that several are broadcast to."""
        wide = [axis for axis in axes if not axis.is_unit] or [axes[0]]
        first = next((axis for axis in wide if axis.dim is not None), wide[0])
        for axis in wide:
            if axis is not first and (axis.dim is None or axis.dim != first.dim):
                self.draft.test_equal(axis.length, first.length)
        return first

    def at(self, part: Array, axes: tuple[Axis, ...], index: Index) -> Atom:
        """Return the element of one of several arrays that are broadcast."""
        skipped = len(axes) - part.rank
        own = tuple(
            Const(0)
            if axis.is_unit and not axes[skipped + k].is_unit
            else index[skipped + k]
            for k, axis in enumerate(part.axes)
        )
        return part.at(own)

    # ------------------------------------------------------------ forms

    def transposed(self, op: Apply) -> Array | None:
        """Return `x.T`."""
        if len(op.args) != 1 or op.kwargs:
            return None
        inner = self.array(op.args[0])
        return Array(inner.axes[::-1], lambda index: inner.at(index[::-1]))

    def outer(self, op: Apply) -> Array | None:
        """Return `np.outer(u, v)` of vectors."""
        first, second = (self.array(a) for a in op.args[:2])
        if first.rank != 1 or second.rank != 1 or op.kwargs:
            return None
        return Array(
            first.axes + second.axes,
            lambda index: self.draft.operate(
                operator.mul, first.at(index[:1]), second.at(index[1:])
            ),
        )

    def where(self, op: Apply) -> Array | None:
        """Return `np.where(test, u, v)`."""
        if len(op.args) != 3:
            return None
        parts = [self.array(a) for a in op.args]
        axes = self.together(parts)
        fact = number(op.out.fact)

        def at(index: Index) -> Atom:
            test, then, orelse = (self.at(part, axes, index) for part in parts)
            return self.draft.choice(test, then, orelse, fact)

        return Array(axes, at)

    def copied(self, op: Apply) -> Array | None:
        """Return what has the elements of its argument."""
        return None if op.kwargs or len(op.args) != 1 else self.array(op.args[0])

    def subscript(self, op: Apply) -> Array | None:
        """Return `x[i, 1:-1]`, where each index has a simple form."""
        parts = subscripts(self.draft, op.args[1])
        if parts is None or any(map(_is_mask, parts)):
            return None
        inner = self.array(op.args[0])
        given = sum(p != Const(None) for p in parts)
        if Const(Ellipsis) in parts:
            k = parts.index(Const(Ellipsis))
            whole = [Const(slice(None))] * (inner.rank - given + 1)
            parts = [*parts[:k], *whole, *parts[k + 1 :]]
        else:
            parts = [*parts, *[Const(slice(None))] * (inner.rank - given)]
        picked = [p for p in parts if is_array(p)]
        lists = [p for p in parts if self.is_list(p)]
        if (picked or lists) and not self.are_together(parts):
            self.draft.refuse("indices by arrays that are apart")
        if lists and len(lists) + len(picked) > 1:
            self.draft.refuse("indices by several lists")
        return self.indexed(inner, parts, self.picks(picked))

    def are_together(self, parts: Sequence[Atom]) -> bool:
        """Say whether indices by arrays of integers stand side by side."""
        lists = [self.is_list(p) for p in parts]
        marks = "".join(
            "a" if listed or is_array(p) else "n" if self.is_number(p) else "s"
            for p, listed in zip(parts, lists, strict=True)
        )
        integers = all(_is_integers(p) for p in parts if is_array(p))
        return integers and "n" not in marks and "s" not in marks.strip("s")

    def is_list(self, part: Atom) -> bool:
        """Say whether an index is a list of integers; another list is refused."""
        if isinstance(part, Const) and isinstance(part.value, list):
            self.draft.refuse("a constant list as an index")
        op = self.draft.nested_op(part)
        if not isinstance(op, Apply) or op.fn is not build_list:
            return False
        if any(fact_of_atom(a).kind != "int" for a in op.args) or not op.args:
            self.draft.refuse("an index that is a list of what is no integer")
        return True

    def takes_view(self, index: Atom) -> bool:
        """Say whether an index is made of numbers and slices: it takes a view."""
        parts = subscripts(self.draft, index)
        return parts is not None and not any(
            is_array(p) or self.is_list(p) for p in parts
        )

    def is_number(self, part: Atom) -> bool:
        """Say whether an index is a number."""
        if isinstance(part, Const) and part.value is None:
            return False
        return slice_ends(self.draft, part) is None and not self.is_list(part)

    def picks(self, parts: Sequence[Atom]) -> tuple[tuple[Axis, ...], list[Array]]:
        """Return the axes that indices by arrays leave, and these arrays."""
        arrays = [self.array(p) for p in parts]
        return self.together(arrays), arrays

    def indexed(
        self,
        inner: Array,
        parts: Sequence[Atom],
        picks: tuple[tuple[Axis, ...], list[Array]],
    ) -> Array | None:
        """Return an array at the indices in brackets, one for each axis or None."""
        axes: list[Axis] = []
        ways: list[Callable[[Index], Atom]] = []
        rest, (shared, arrays), start = list(inner.axes), picks, -1
        for part in parts:
            if part == Const(None):
                axes.append(Axis(Dim("", 1, 1), Const(1)))
                continue
            axis = rest.pop(0)
            if is_array(part):
                if start < 0:
                    start = len(axes)
                    axes += shared
                ways.append(self.pick(arrays.pop(0), shared, start))
                continue
            found = self.one_index(axis, part, len(axes))
            if found is None:
                return None
            if found[0] is not None:
                axes.append(found[0])
            ways.append(found[1])
        return Array(
            tuple(axes), lambda index: inner.at(tuple(way(index) for way in ways))
        )

    def pick(
        self, array: Array, shared: tuple[Axis, ...], start: int
    ) -> Callable[[Index], Atom]:
        """Return what an array of indices picks at an index."""
        end = start + len(shared)
        return lambda index: self.at(array, shared, index[start:end])

    def rank_of_part(self, owner: Var, index: Atom) -> int:
        """Return how many axes `x[i, 1:]` has."""
        parts = subscripts(self.draft, index)
        if parts is None or owner.fact.rank is None:
            self.draft.refuse("an index that is computed")
        numbers = sum(
            p != Const(Ellipsis) and slice_ends(self.draft, p) is None for p in parts
        )
        if Const(None) in parts or any(map(is_array, parts)):
            self.draft.refuse("a store at an index that is no number or slice")
        return owner.fact.rank - numbers

    def one_index(
        self, axis: Axis, part: Atom, k: int
    ) -> tuple[Axis | None, Callable[[Index], Atom]] | None:
        """Return the axis that an index leaves, and what it is in the array indexed."""
        ends = slice_ends(self.draft, part)
        if ends is None:
            listed = self.draft.nested_op(part)
            if isinstance(listed, Apply) and listed.fn is build_list:
                return self.listed(listed, k)
            value = self.scalar(part)
            return None, lambda _: value
        if len(ends) != 3:
            return None
        if ends == (None, None, -1):
            last = self.draft.add(axis.length, -1)
            return axis, lambda index: self.draft.operate(
                operator.sub, last, index[k], fact=INT
            )
        start, stop, step = ends
        start = start or 0
        if step not in (None, 1) or start < 0 or (stop is not None and stop >= 0):
            return None
        by = start - (stop or 0)
        if not by:
            return axis, lambda index: index[k]
        dim = None if axis.dim is None else axis.dim.shifted(-by)
        left = Axis(dim, self.draft.add(axis.length, -by))
        return left, lambda index: self.draft.add(index[k], start)

    def listed(self, op: Apply, k: int) -> tuple[Axis, Callable[[Index], Atom]]:
        """Return the axis of the index `[p, q]`, and the item at a place in it."""
        items = [self.scalar(a) for a in op.args]

        def way(index: Index) -> Atom:
            found = items[-1]
            for number, item in reversed([*enumerate(items[:-1])]):
                test = self.draft.operate(
                    operator.eq, index[k], Const(number), fact=BOOL
                )
                found = self.draft.choice(test, item, found, INT)
            return found

        count = len(items)
        return Axis(Dim("", count, count), Const(count)), way

    def as_vector(self, atom: Atom) -> Array:
        """Return a vector, of one element for a number."""
        found = self.array(atom)
        if found.rank:
            return found
        return Array((Axis(Dim("", 1, 1), Const(1)),), lambda _: found.at(()))

    def differences(self, op: Apply) -> Array | None:
        """Return `np.diff(x)` along the last axis."""
        if len(op.args) != 1 or op.kwargs:
            return None
        inner = self.array(op.args[0])
        last = inner.axes[-1]
        dim = None if last.dim is None else last.dim.shifted(-1)
        axes = (*inner.axes[:-1], Axis(dim, self.draft.add(last.length, -1)))

        def at(index: Index) -> Atom:
            after = (*index[:-1], self.draft.add(index[-1], 1))
            fact = number(op.out.fact)
            both = (inner.at(after), inner.at(index))
            return self.draft.operate(operator.sub, *both, fact=fact)

        return Array(axes, at)

    def rolled(self, op: Apply) -> Array | None:
        """Return `np.roll(x, shift, axis)`."""
        named = dict(op.kwargs)
        axis = named.pop("axis", op.args[2] if len(op.args) > 2 else Const(None))
        inner = self.array(op.args[0])
        if named or len(op.args) < 2 or is_array(op.args[1]):
            return None
        at_axis = 0 if axis == Const(None) and inner.rank == 1 else _value(axis)
        if type(at_axis) is not int or fact_of_atom(op.args[1]).kind != "int":
            return None
        k, shift = at_axis % inner.rank, self.scalar(op.args[1])
        length = inner.axes[k].length

        def at(index: Index) -> Atom:
            moved = self.draft.operate(operator.sub, index[k], shift, fact=INT)
            place = self.draft.operate(operator.mod, moved, length, fact=INT)
            return inner.at((*index[:k], place, *index[k + 1 :]))

        return Array(inner.axes, at)

    def unbroadcast(self, op: Apply) -> Array | None:
        """Return the helper's cotangent of an array that has not been broadcast."""
        d, x = self.array(op.args[0]), self.array(op.args[1])
        if d.rank != x.rank or any(axis.is_unit for axis in x.axes):
            return None
        return Array(self.together([x, d]), d.at)

    def filled_like(self, op: Apply) -> Array | None:
        """Return `np.full_like(x, value)`."""
        if len(op.args) != 2 or op.kwargs or is_array(op.args[1]):
            return None
        value = self.scalar(op.args[1])
        return Array(self.array(op.args[0]).axes, lambda _: value)


def _value(atom: Atom) -> object:
    return atom.value if isinstance(atom, Const) else None


def _is_mask(atom: Atom) -> bool:
    return is_array(atom) and fact_of_atom(atom).dtype == bool


def _is_integers(atom: Atom) -> bool:
    dtype = fact_of_atom(atom).dtype
    return dtype is not None and dtype.kind in "iu"


def subscripts(draft: Draft, index: Atom) -> list[Atom] | None:
    """Return the indices in a pair of brackets; None: they are computed."""
    if isinstance(index, Const):
        value = index.value
        return [Const(v) for v in value] if isinstance(value, tuple) else [index]
    op = draft.nested_op(index)
    if isinstance(op, Apply) and op.fn is build_tuple:
        return list(op.args)
    return None if index.fact.kind == "tuple" else [index]


def slice_ends(
    draft: Draft, part: Atom
) -> tuple[int | None, int | None, int | None] | tuple[()] | None:
    """Return the ends of a slice if they are literals, () if not, None of no slice."""
    if isinstance(part, Const):
        if not isinstance(part.value, slice):
            return None
        return part.value.start, part.value.stop, part.value.step
    op = draft.nested_op(part)
    if not isinstance(op, Apply) or op.fn is not build_slice:
        return None
    values: list[Any] = [a.value if isinstance(a, Const) else a for a in op.args]
    if all(v is None or type(v) is int for v in values):
        return values[0], values[1], values[2]
    return ()


def is_elementwise(op: Apply) -> bool:
    """Say whether an op works on each element alone, and has no options."""
    return not op.kwargs and info(op.fn).in_loops == "elements"


_FORMS: Final[dict[Any, Callable[[Elements, Apply], Array | None]]] = {
    operator.getitem: Elements.subscript,
    np.transpose: Elements.transposed,
    np.outer: Elements.outer,
    np.where: Elements.where,
    np.full_like: Elements.filled_like,
    np.diff: Elements.differences,
    np.roll: Elements.rolled,
    unbroadcast: Elements.unbroadcast,
    np.copy: Elements.copied,
    np.ndarray.copy: Elements.copied,
    np.ascontiguousarray: Elements.copied,
}
