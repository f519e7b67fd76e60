"""Functions of arrays -> how their results are taken apart into elements.

The element of `np.diff(x)` at `i` is `x[i + 1] - x[i]`.
"""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np

from yota_ast.codegen.loops.draft import BOOL, INT
from yota_ast.codegen.loops.elements import (
    Array,
    Axis,
    Elements,
    Index,
    is_array,
    number,
    zero_of,
)
from yota_ast.ir.abstract_values import same_dtype
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import Apply
from yota_ast.runtime import expand, unbroadcast, unpad


def transposed(elements: Elements, op: Apply) -> Array | None:
    """Return `x.T`, and `np.transpose(x, axes)`."""
    inner = elements.array(op.args[0])
    order = [*range(inner.rank)][::-1]
    if len(op.args) > 1 or op.kwargs:
        given = _axes(op, "axes")
        if given is None or len(given) != inner.rank:
            return None
        order = [k % inner.rank for k in given]
    return in_order(inner, order)


def outer(elements: Elements, op: Apply) -> Array | None:
    """Return `np.outer(u, v)` of vectors."""
    first, second = (elements.array(a) for a in op.args[:2])
    if first.rank != 1 or second.rank != 1 or op.kwargs:
        return None
    return Array(
        first.axes + second.axes,
        lambda index: elements.draft.operate(
            operator.mul, first.at(index[:1]), second.at(index[1:])
        ),
    )


def where(elements: Elements, op: Apply) -> Array | None:
    """Return `np.where(test, u, v)`."""
    if len(op.args) != 3:
        return None
    parts = [elements.array(a) for a in op.args]
    axes = elements.together(parts)
    fact = number(op.out.fact)

    def at(index: Index) -> Atom:
        test, then, orelse = (elements.at(part, axes, index) for part in parts)
        return elements.draft.choice(test, then, orelse, fact)

    return Array(axes, at)


def copied(elements: Elements, op: Apply) -> Array | None:
    """Return what has the elements of its argument, None of a list."""
    if op.args and fact_of_atom(op.args[0]).kind in ("list", "tuple"):
        return None
    return None if op.kwargs or len(op.args) != 1 else elements.array(op.args[0])


def differences(elements: Elements, op: Apply) -> Array | None:
    """Return `np.diff(x, n)` along the last axis."""
    named = dict(op.kwargs)
    times = _value(named.pop("n", op.args[1] if len(op.args) > 1 else Const(1)))
    inner = elements.array(op.args[0])
    along = _value(named.pop("axis", op.args[2] if len(op.args) > 2 else Const(-1)))
    ends = [named.pop(name, Const(None)) for name in ("prepend", "append")]
    if named or type(times) is not int or type(along) is not int:
        return None
    k = along % inner.rank
    before, after = (_end(elements, end, inner, k) for end in ends)
    if before is not None:
        inner = behind(elements, before, inner, k, op)
    if after is not None:
        inner = behind(elements, inner, after, k, op)
    for _ in range(times):
        inner = _differences(elements, op, inner, k)
    return inner


def _differences(elements: Elements, op: Apply, inner: Array, k: int) -> Array:
    """Return the differences of neighbours along an axis."""
    own = inner.axes[k]
    dim = None if own.dim is None else own.dim.shifted(-1)
    axis = Axis(dim, elements.draft.shorter(own.length, 1))

    def at(index: Index) -> Atom:
        next_one = elements.draft.add(index[k], 1)
        after = (*index[:k], next_one, *index[k + 1 :])
        fact = number(op.out.fact)
        both = (inner.at(after), inner.at(index))
        return elements.draft.operate(operator.sub, *both, fact=fact)

    return Array((*inner.axes[:k], axis, *inner.axes[k + 1 :]), at)


def _end(elements: Elements, end: Atom, inner: Array, k: int) -> Array | None:
    """Return what `np.diff` puts at an end of an axis: a number along all others."""
    if end == Const(None):
        return None
    found = elements.array(end)
    if found.rank:
        return found
    axes = (*inner.axes[:k], UNIT, *inner.axes[k + 1 :])
    return Array(axes, lambda _: found.at(()))


def behind(elements: Elements, first: Array, second: Array, k: int, op: Apply) -> Array:
    """Return two arrays one behind the other along an axis."""
    draft, fact = elements.draft, number(op.out.fact)
    if first.rank != second.rank:
        draft.refuse("arrays of different ranks, one behind the other")
    length = first.axes[k].length
    axes = [
        elements.common([own, other])
        for own, other in zip(first.axes, second.axes, strict=True)
    ]
    axes[k] = Axis(None, draft.sum(length, second.axes[k].length))

    def at(index: Index) -> Atom:
        place = draft.operate(operator.sub, index[k], length, fact=INT)
        rest = (*index[:k], place, *index[k + 1 :])
        test = draft.operate(operator.lt, index[k], length, fact=BOOL)
        return draft.choice(test, first.at(index), second.at(rest), fact)

    return Array(tuple(axes), at)


def rounded(elements: Elements, op: Apply) -> Array | None:
    """Return `np.round(x)` of floats."""
    inner, fact = elements.array(op.args[0]), number(op.out.fact)
    if op.kwargs or len(op.args) > 1 or fact.dtype is None or fact.dtype.kind != "f":
        return None

    def at(index: Index) -> Atom:
        return elements.draft.call(np.rint, inner.at(index), fact=fact)

    return Array(inner.axes, at)


def rolled(elements: Elements, op: Apply) -> Array | None:
    """Return `np.roll(x, shift, axis)`."""
    named = dict(op.kwargs)
    axis = named.pop("axis", op.args[2] if len(op.args) > 2 else Const(None))
    inner = elements.array(op.args[0])
    if named or len(op.args) < 2 or is_array(op.args[1]):
        return None
    at_axis = 0 if axis == Const(None) and inner.rank == 1 else _value(axis)
    if type(at_axis) is not int or fact_of_atom(op.args[1]).kind != "int":
        return None
    k, shift = at_axis % inner.rank, elements.scalar(op.args[1])
    length = inner.axes[k].length

    def at(index: Index) -> Atom:
        moved = elements.draft.operate(operator.sub, index[k], shift, fact=INT)
        place = elements.draft.operate(operator.mod, moved, length, fact=INT)
        return inner.at((*index[:k], place, *index[k + 1 :]))

    return Array(inner.axes, at)


def unbroadcasted(elements: Elements, op: Apply) -> Array | None:
    """Return the helper's cotangent of an array that has not been broadcast."""
    d, x = elements.array(op.args[0]), elements.array(op.args[1])
    if d.rank != x.rank or any(axis.is_unit for axis in x.axes):
        return None
    return Array(elements.together([x, d]), d.at)


def filled_like(elements: Elements, op: Apply) -> Array | None:
    """Return `np.full_like(x, value)`."""
    if len(op.args) != 2 or op.kwargs or is_array(op.args[1]):
        return None
    value = elements.scalar(op.args[1])
    return Array(elements.array(op.args[0]).axes, lambda _: value)


def with_unit_axes(elements: Elements, op: Apply) -> Array | None:
    """Return `np.expand_dims(x, axis)`."""
    inner, given = elements.array(op.args[0]), _axes(op, "axis")
    if given is None:
        return None
    rank = inner.rank + len(given)
    new = {k % rank for k in given}
    own = iter(inner.axes)
    axes = tuple(UNIT if k in new else next(own) for k in range(rank))
    return Array(
        axes,
        lambda index: inner.at(tuple(n for k, n in enumerate(index) if k not in new)),
    )


def without_unit_axes(elements: Elements, op: Apply) -> Array | None:
    """Return `np.squeeze(x, axis)`."""
    inner = elements.array(op.args[0])
    given = _axes(op, "axis") if len(op.args) > 1 or op.kwargs else ()
    if given is None:
        return None
    gone = {k % inner.rank for k in given}
    if not given:
        gone = {k for k, axis in enumerate(inner.axes) if axis.is_unit}
        if inner.rank - len(gone) != op.out.fact.rank:
            return None
    for k in gone:
        elements.draft.test_equal(inner.axes[k].length, Const(1))

    def at(index: Index) -> Atom:
        rest = iter(index)
        return inner.at(
            tuple(Const(0) if k in gone else next(rest) for k in range(inner.rank))
        )

    return Array(tuple(a for k, a in enumerate(inner.axes) if k not in gone), at)


def swapped(elements: Elements, op: Apply) -> Array | None:
    """Return `np.swapaxes(x, a, b)`."""
    inner = elements.array(op.args[0])
    ends = [_value(a) for a in op.args[1:]]
    if len(ends) != 2 or op.kwargs or not all(type(k) is int for k in ends):
        return None
    one, other = (int(str(k)) % inner.rank for k in ends)
    order = [*range(inner.rank)]
    order[one], order[other] = order[other], order[one]
    return in_order(inner, order)


def in_order(inner: Array, order: list[int]) -> Array:
    """Return an array with its axes in another order."""

    def at(index: Index) -> Atom:
        found: list[Atom] = [Const(0)] * inner.rank
        for k, place in zip(order, index, strict=True):
            found[k] = place
        return inner.at(tuple(found))

    return Array(tuple(inner.axes[k] for k in order), at)


def turned(elements: Elements, op: Apply) -> Array | None:
    """Return `np.flip(x, axis)`."""
    inner = elements.array(op.args[0])
    gone = turned_axes(op, inner.rank)
    if gone is None:
        return None
    draft = elements.draft

    def at(index: Index) -> Atom:
        return inner.at(
            tuple(
                draft.backwards(inner.axes[k].length, n) if k in gone else n
                for k, n in enumerate(index)
            )
        )

    return Array(inner.axes, at)


def turned_axes(op: Apply, rank: int) -> set[int] | None:
    """Return the axes that `np.flip(x, axis)` turns, None of what is no literal."""
    stated = [*op.args[1:], *(a for _, a in op.kwargs)]
    given = range(rank) if stated in ([], [Const(None)]) else _axes(op, "axis")
    return None if given is None else {k % rank for k in given}


def triangle(elements: Elements, op: Apply) -> Array | None:
    """Return `np.tril(x, k)` or `np.triu(x, k)`."""
    inner = elements.array(op.args[0])
    named = dict(op.kwargs)
    k = _value(named.pop("k", op.args[1] if len(op.args) > 1 else Const(0)))
    if named or type(k) is not int or inner.rank < 2:
        return None
    compare = operator.le if op.fn is np.tril else operator.ge
    fact, draft = number(op.out.fact), elements.draft
    zero = zero_of(fact)

    def at(index: Index) -> Atom:
        row, column = index[-2:]
        test = draft.operate(compare, column, draft.add(row, k), fact=BOOL)
        return draft.choice(test, inner.at(index), zero, fact)

    return Array(inner.axes, at)


def diagonal(elements: Elements, op: Apply) -> Array | None:
    """Return `np.diag(x)` of a vector, and of a matrix."""
    if len(op.args) != 1 or op.kwargs:
        return None
    inner, draft = elements.array(op.args[0]), elements.draft
    fact = number(op.out.fact)
    if inner.rank == 2:
        one, other = inner.axes
        if one.dim is not None and one.dim == other.dim:
            return Array((one,), lambda index: inner.at((index[0], index[0])))
        least = draft.call(min, one.length, other.length, fact=INT)
        return Array((Axis(None, least),), lambda i: inner.at((i[0], i[0])))
    if op.fn is np.diagonal:
        return None

    def at(index: Index) -> Atom:
        test = draft.operate(operator.eq, *index, fact=BOOL)
        return draft.choice(test, inner.at(index[:1]), zero_of(fact), fact)

    return Array((inner.axes[0], inner.axes[0]), at)


def stretched(elements: Elements, op: Apply) -> Array | None:
    """Return `np.broadcast_to(x, shape)`."""
    axes = axes_of(elements, op.args[1]) if len(op.args) == 2 else None
    if axes is None or op.kwargs:
        return None
    return expanded_to(elements, elements.array(op.args[0]), axes)


def expanded(elements: Elements, op: Apply) -> Array | None:
    """Return the helper's array in the shape of another."""
    axes = elements.array(op.args[1]).axes
    return expanded_to(elements, elements.array(op.args[0]), axes)


def expanded_to(
    elements: Elements, inner: Array, axes: tuple[Axis, ...]
) -> Array | None:
    """Return an array that is broadcast to some axes."""
    if inner.rank > len(axes):
        return None
    skipped = len(axes) - inner.rank
    for own, wide in zip(inner.axes, axes[skipped:], strict=True):
        if not own.is_unit:
            elements.common([wide, own])
    return Array(axes, lambda index: elements.at(inner, axes, index))


def axes_of(elements: Elements, shape: Atom) -> tuple[Axis, ...] | None:
    """Return the axes that a tuple of lengths stands for, None of another value."""
    op = elements.draft.nested_op(shape)
    if isinstance(shape, Const):
        value = (shape.value,) if type(shape.value) is int else shape.value
        if not isinstance(value, tuple):
            return None
        return tuple(Axis(Dim("", n, n), Const(n)) for n in value)
    if isinstance(op, Apply) and op.fn is np.shape and is_array(op.args[0]):
        return elements.array(op.args[0]).axes
    if isinstance(op, Apply) and op.fn is build_tuple:
        return tuple(_axis_of(elements, a) for a in op.args)
    return (_axis_of(elements, shape),) if fact_of_atom(shape).kind == "int" else None


def _axis_of(elements: Elements, length: Atom) -> Axis:
    if isinstance(length, Const) and isinstance(length.value, int):
        return Axis(Dim("", length.value, length.value), length)
    return Axis(fact_of_atom(length).length, elements.scalar(length))


def padded(elements: Elements, op: Apply) -> Array | None:
    """Return `np.pad(x, widths)` with zeros, the outermost elements, or others."""
    named = dict(op.kwargs)
    mode = _value(
        named.pop("mode", op.args[2] if len(op.args) > 2 else Const("constant"))
    )
    widths = _value(op.args[1])
    inner = elements.array(op.args[0])
    pairs = _pairs(widths, inner.rank)
    if named or pairs is None or mode not in ("constant", "edge"):
        return None
    draft, fact = elements.draft, number(op.out.fact)
    axes = tuple(
        Axis(None, draft.add(axis.length, before + after)) if before or after else axis
        for axis, (before, after) in zip(inner.axes, pairs, strict=True)
    )
    zero = zero_of(fact)
    draft.checked = draft.checked or mode == "edge"  # of an empty array

    def at(index: Index) -> Atom:
        own = [draft.add(n, -b) for n, (b, _) in zip(index, pairs, strict=True)]
        last = [draft.add(draft.counted(axis.length), -1) for axis in inner.axes]
        if mode == "edge":
            return inner.at(
                tuple(
                    draft.call(
                        max, draft.call(min, n, end, fact=INT), Const(0), fact=INT
                    )
                    if sum(pair)
                    else n
                    for n, end, pair in zip(own, last, pairs, strict=True)
                )
            )
        found = inner.at(tuple(own))
        for n, axis, (before, after) in zip(own, inner.axes, pairs, strict=True):
            if after:
                test = draft.operate(operator.lt, n, axis.length, fact=BOOL)
                found = draft.choice(test, found, zero, fact)
            if before:
                test = draft.operate(operator.ge, n, Const(0), fact=BOOL)
                found = draft.choice(test, found, zero, fact)
        return found

    return Array(axes, at)


def _pairs(widths: object, rank: int) -> list[tuple[int, int]] | None:
    """Return how many elements are put before and after each axis."""
    try:
        found = np.broadcast_to(np.asarray(widths), (rank, 2)).tolist()
    except (ValueError, TypeError):
        return None
    pairs = [(a, b) for a, b in found]
    return pairs if all(type(n) is int and n >= 0 for p in pairs for n in p) else None


def unpadded(elements: Elements, op: Apply) -> Array | None:
    """Return the helper's part of a cotangent inside of what `np.pad` adds."""
    given, x = (elements.array(a) for a in op.args[:2])
    pairs = _pairs(_value(op.args[2]), x.rank)
    if pairs is None or given.rank != x.rank:
        return None
    for axis, own, pair in zip(given.axes, x.axes, pairs, strict=True):
        elements.draft.test_equal(
            axis.length, elements.draft.add(own.length, sum(pair))
        )
    return Array(
        x.axes,
        lambda index: given.at(
            tuple(
                elements.draft.add(n, before)
                for n, (before, _) in zip(index, pairs, strict=True)
            )
        ),
    )


def cast(elements: Elements, op: Apply) -> Array | None:
    """Return `x.astype(dtype)` of that dtype already."""
    inner = fact_of_atom(op.args[0])
    same = same_dtype(inner.dtype, op.out.fact.dtype)
    return elements.array(op.args[0]) if same else None


def _axes(op: Apply, name: str) -> tuple[int, ...] | None:
    """Return the literal axes of a call."""
    named = dict(op.kwargs)
    value = _value(named.pop(name, op.args[1] if len(op.args) > 1 else Const(None)))
    if named or len(op.args) > 2:
        return None
    if type(value) is int:
        return (value,)
    return value if isinstance(value, tuple) else None


def _value(atom: Atom) -> object:
    return atom.value if isinstance(atom, Const) else None


UNIT: Final = Axis(Dim("", 1, 1), Const(1))
FORMS: Final[dict[Any, Any]] = {
    np.transpose: transposed,
    np.outer: outer,
    np.where: where,
    np.full_like: filled_like,
    np.diff: differences,
    np.roll: rolled,
    np.round: rounded,
    unbroadcast: unbroadcasted,
    np.copy: copied,
    np.ndarray.copy: copied,
    np.ascontiguousarray: copied,
    np.array: copied,
    np.asarray: copied,
    np.ndarray.astype: cast,
    np.expand_dims: with_unit_axes,
    np.squeeze: without_unit_axes,
    np.swapaxes: swapped,
    np.flip: turned,
    np.tril: triangle,
    np.triu: triangle,
    np.diag: diagonal,
    np.diagonal: diagonal,
    np.broadcast_to: stretched,
    np.pad: padded,
    expand: expanded,
    unpad: unpadded,
}
