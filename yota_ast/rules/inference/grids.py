"""Facts of what several arrays become together, and of arrays resized.

>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.axis_lengths import Dim
>>> from yota_ast.ir.atoms import Const, Var
>>> x = Var("x", array_fact("f8", (Dim("x.shape[0]", 0, 5),)))
>>> grids((x, x), Const(False), Const("ij"))
tuple[ndarray[float64, 2], ndarray[float64, 2]]
"""

from __future__ import annotations

import numpy as np

from yota_ast.ir.abstract_values import UNKNOWN, Fact
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.axis_lengths import UNIT, Dim, literal_dim
from yota_ast.rules.inference.dims import broadcast
from yota_ast.rules.inference.layouts import as_array, at_least, dtype_argument
from yota_ast.rules.inference.shapes import (
    FactFn,
    array_of,
    array_result,
    known,
    scalar_or_array,
    shape_argument,
    value_of,
)


def all_broadcast(arrays: tuple[Atom, ...]) -> Fact:
    """`np.broadcast_arrays`: each of the common shape."""
    facts = [as_array(a) for a in arrays]
    shape = broadcast([f.shape for f in facts])
    items = tuple(array_result(f.dtype, shape) for f in facts)
    return Fact("tuple", items=items, cls=type(np.broadcast_arrays(1, 2)))


def open_mesh(sequences: tuple[Atom, ...]) -> Fact:
    """`np.ix_`: each along an axis of its own; masks as the places where they hold."""
    items = []
    for k, sequence in enumerate(sequences):
        fact = as_array(sequence)
        mask = fact.dtype is None or fact.dtype.kind == "b"
        length = fact.shape[0] if isinstance(fact.shape, tuple) and fact.shape else None
        dims: list[Dim | None] = [literal_dim(1)] * len(sequences)
        dims[k] = None if mask else length
        dtype = np.dtype(np.intp) if mask and fact.dtype is not None else fact.dtype
        items.append(array_result(dtype, tuple(dims)))
    return Fact("tuple", items=tuple(items), cls=tuple)


def at_least_each(rank: int) -> FactFn:
    """`np.atleast_1d(x, y)`: a tuple of arrays."""
    one = at_least(rank)

    def fact(first: Atom, second: Atom, more: tuple[Atom, ...]) -> Fact:
        items = tuple(one(Var("x", as_array(a))) for a in (first, second, *more))
        return Fact("tuple", items=items, cls=type(np.atleast_1d(1, 2)))

    return fact


def grids(arrays: tuple[Atom, ...], sparse: Atom, indexing: Atom) -> Fact:
    """`np.meshgrid`: as many arrays, of as many axes, each as long as one of them."""
    facts = [as_array(a) for a in arrays]
    axes = list(map(_length_along, facts))
    turned = known(indexing) and value_of(indexing) == "xy"
    if turned:
        axes[:2] = axes[1::-1]
    items = []
    for k, fact in enumerate(facts):
        dims: list[Dim | None] = list(axes)
        if value_of(sparse) is not False:
            own = 1 - k if turned and k < 2 <= len(axes) else k
            dims = [d if i == own else UNIT for i, d in enumerate(axes)]
        items.append(array_result(fact.dtype, tuple(dims)))
    if not (known(sparse) and known(indexing)):
        items = [array_result(f.dtype, (None,) * len(axes)) for f in facts]
    return Fact("tuple", items=tuple(items), cls=type(np.meshgrid(1)))


def _length_along(fact: Fact) -> Dim | None:
    """How long the axis is that an array is spread along, whatever its shape."""
    if fact.is_scalar:
        return UNIT
    one = isinstance(fact.shape, tuple) and len(fact.shape) == 1
    return fact.shape[0] if one and isinstance(fact.shape, tuple) else None


def indices_fact(dimensions: Atom, dtype: Atom, sparse: Atom) -> Fact:
    """`np.indices`: one array that holds the places along each axis in turn."""
    shape = shape_argument(dimensions)
    if not isinstance(shape, tuple) or not known(sparse) or value_of(sparse):
        return UNKNOWN
    given = dtype_argument(dtype, np.dtype(int))
    return array_result(given, (literal_dim(len(shape)), *shape))


def unstacked(x: Atom, axis: Atom) -> Fact:
    """`np.unstack`: as many arrays as the axis is long, where that is literal."""
    given = array_of(x)
    if not isinstance(given.shape, tuple) or not given.shape or not known(axis):
        return Fact("tuple")
    k = value_of(axis) % len(given.shape)
    length = given.shape[k]
    if length is None or length.base:
        return Fact("tuple")
    one = scalar_or_array(given.dtype, (*given.shape[:k], *given.shape[k + 1 :]))
    return Fact("tuple", items=(one,) * length.offset, cls=tuple)


def rank_of_one(x: Atom, axis: Atom) -> Fact:
    """`np.delete`, `np.insert`: of the rank of x; without an axis, flat."""
    given = as_array(x)
    if not known(axis):
        return Fact("array", given.dtype)
    rank = 1 if value_of(axis) is None else given.rank
    return array_result(given.dtype, None if rank is None else (None,) * rank)


def resized(x: Atom, new_shape: Atom) -> Fact:
    """`np.resize(x, new_shape)`."""
    return array_result(as_array(x).dtype, shape_argument(new_shape))


def linspace_step_fact(start: Atom, stop: Atom, num: Atom) -> Fact:
    """`np.linspace(..., retstep=True)`."""
    ends = [array_of(start), array_of(stop)]
    if any(f.rank is None for f in ends):  # a tuple of two all the same
        return Fact("tuple", items=(array_result(None, None), UNKNOWN), cls=tuple)
    rank = max(f.rank or 0 for f in ends)
    both = all(f.is_python or f.dtype == np.float64 for f in ends)
    dtype = np.dtype(float) if both else None
    step = Fact("real", dtype, ()) if rank == 0 else array_result(dtype, (None,) * rank)
    items = (array_result(dtype, (None,) * (rank + 1)), step)
    return Fact("tuple", items=items, cls=tuple)
