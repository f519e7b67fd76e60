"""Functions of arrays -> how their results are taken apart into elements.

The element of `np.diff(x)` at `i` is `x[i + 1] - x[i]`.
"""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np

from yota_ast.codegen.loops.draft import INT
from yota_ast.codegen.loops.elements import (
    Array,
    Axis,
    Elements,
    Index,
    is_array,
    number,
)
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.ir.nodes import Apply
from yota_ast.runtime import unbroadcast


def transposed(elements: Elements, op: Apply) -> Array | None:
    """Return `x.T`."""
    if len(op.args) != 1 or op.kwargs:
        return None
    inner = elements.array(op.args[0])
    return Array(inner.axes[::-1], lambda index: inner.at(index[::-1]))


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
    """Return what has the elements of its argument."""
    return None if op.kwargs or len(op.args) != 1 else elements.array(op.args[0])


def differences(elements: Elements, op: Apply) -> Array | None:
    """Return `np.diff(x)` along the last axis."""
    if len(op.args) != 1 or op.kwargs:
        return None
    inner = elements.array(op.args[0])
    last = inner.axes[-1]
    dim = None if last.dim is None else last.dim.shifted(-1)
    axes = (*inner.axes[:-1], Axis(dim, elements.draft.add(last.length, -1)))

    def at(index: Index) -> Atom:
        after = (*index[:-1], elements.draft.add(index[-1], 1))
        fact = number(op.out.fact)
        both = (inner.at(after), inner.at(index))
        return elements.draft.operate(operator.sub, *both, fact=fact)

    return Array(axes, at)


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


def _value(atom: Atom) -> object:
    return atom.value if isinstance(atom, Const) else None


FORMS: Final[dict[Any, Any]] = {
    np.transpose: transposed,
    np.outer: outer,
    np.where: where,
    np.full_like: filled_like,
    np.diff: differences,
    np.roll: rolled,
    unbroadcast: unbroadcasted,
    np.copy: copied,
    np.ndarray.copy: copied,
    np.ascontiguousarray: copied,
}
