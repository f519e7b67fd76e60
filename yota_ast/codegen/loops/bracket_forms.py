"""`x[i, 1:-1]`, `x[order]` -> the axes, and the expression of an element.

`x[i, 1:-1]` has one axis; its element at `j` is `x[i, j + 1]`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from yota_ast.codegen.loops.draft import BOOL, INT, Draft
from yota_ast.codegen.loops.elements import Array, Axis, Elements, Index, is_array
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.built_values import build_list, build_slice, build_tuple
from yota_ast.ir.nodes import Apply


class Subscripts:
    """Takes apart what stands in brackets."""

    def __init__(self, elements: Elements) -> None:
        self.elements = elements
        self.draft = elements.draft

    def form(self, _: Elements, op: Apply) -> Array | None:
        """Return `x[i, 1:-1]` as one of the forms of arrays, None of a list's item."""
        if fact_of_atom(op.args[0]).kind == "list":
            return None
        return self.array(op)

    def array(self, op: Apply) -> Array | None:
        """Return `x[i, 1:-1]`, where each index has a simple form."""
        parts = indices(self.draft, op.args[1])
        if parts is None or any(map(is_mask, parts)):
            return None
        inner = self.elements.array(op.args[0])
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
            if fact_of_atom(part).kind in ("list", "tuple"):
                self.draft.refuse("an index that is a list with a name")
            return False
        if not all(map(_is_integer, op.args)) or not op.args:
            self.draft.refuse("an index that is a list of what is no integer")
        return True

    def takes_view(self, index: Atom) -> bool:
        """Say whether an index is made of numbers and slices: it takes a view."""
        parts = indices(self.draft, index)
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
        arrays = [self.elements.array(p) for p in parts]
        return self.elements.together(arrays), arrays

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
        self.draft.checked = True
        return lambda index: self.elements.at(array, shared, index[start:end])

    def rank_of_part(self, owner: Var, index: Atom) -> int:
        """Return how many axes `x[i, 1:]` has."""
        parts = indices(self.draft, index)
        if parts is None or owner.fact.rank is None:
            self.draft.refuse("an index that is computed")
        added = parts.count(Const(None))
        others = [p for p in parts if p not in (Const(Ellipsis), Const(None))]
        if any(map(is_array, others)):
            self.draft.refuse("a store at an index that is no number or slice")
        numbers = sum(slice_ends(self.draft, p) is None for p in others)
        return owner.fact.rank - numbers + added

    def one_index(
        self, axis: Axis, part: Atom, k: int
    ) -> tuple[Axis | None, Callable[[Index], Atom]] | None:
        """Return the axis that an index leaves, and what it is in the array indexed."""
        ends = slice_ends(self.draft, part)
        if ends is None:
            listed = self.draft.nested_op(part)
            if isinstance(listed, Apply) and listed.fn is build_list:
                return self.listed(listed, k)
            value = self.elements.scalar(part)
            self.draft.checked = True
            return None, lambda _: value
        if len(ends) != 3:
            return None
        if ends == (None, None, -1):
            return axis, lambda index: self.draft.backwards(axis.length, index[k])
        start, stop, step = ends
        start = start or 0
        if step not in (None, 1) or start < 0 or (stop is not None and stop >= 0):
            return None
        by = start - (stop or 0)
        if not by:
            return axis, lambda index: index[k]
        dim = None if axis.dim is None else axis.dim.shifted(-by)
        left = Axis(dim, self.draft.shorter(axis.length, by))
        return left, lambda index: self.draft.add(index[k], start)

    def listed(self, op: Apply, k: int) -> tuple[Axis, Callable[[Index], Atom]]:
        """Return the axis of the index `[p, q]`, and the item at a place in it."""
        items = [self.elements.scalar(a) for a in op.args]
        self.draft.checked = True

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


def _is_integer(atom: Atom) -> bool:
    fact = fact_of_atom(atom)
    return fact.kind == "int" or (fact.is_scalar and _is_integers(atom))


def is_mask(atom: Atom) -> bool:
    """Say whether an index is an array of bools."""
    return is_array(atom) and fact_of_atom(atom).dtype == bool


def _is_integers(atom: Atom) -> bool:
    dtype = fact_of_atom(atom).dtype
    return dtype is not None and dtype.kind in "iu"


def indices(draft: Draft, index: Atom) -> list[Atom] | None:
    """Return the indices in a pair of brackets; None: they are computed."""
    if isinstance(index, Const):
        value = index.value
        return [Const(v) for v in value] if isinstance(value, tuple) else [index]
    op = draft.nested_op(index)
    if isinstance(op, Apply) and op.fn is build_tuple:
        return list(op.args)
    if index.name in draft.tuples:
        return list(draft.tuples[index.name])
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


def slices(draft: Draft, index: Atom) -> list[tuple[Atom, ...] | None]:
    """Return the ends of the slices of an index, None for each number; nothing of an
    index that adds axes or leaves some out."""
    found: list[tuple[Atom, ...] | None] = []
    for part in indices(draft, index) or ():
        ends = slice_ends(draft, part)
        if part in (Const(None), Const(Ellipsis)):
            return []
        if ends is None:
            found.append(None)
        elif isinstance(part, Const):
            found.append(tuple(map(Const, ends)))
        else:
            op = draft.nested_op(part)
            found.append(op.args if isinstance(op, Apply) else None)
    return found
