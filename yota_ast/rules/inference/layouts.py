"""Facts of reshaping, reordering and casting.

>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.axis_lengths import Dim
>>> from yota_ast.ir.atoms import Var
>>> x = Var("x", array_fact("f8", (Dim("x.shape[0]", 0, 2), Dim("x.shape[1]", 0, 3))))
>>> [str(d) for d in transposed(x, Const(None)).shape]
['x.shape[1]', 'x.shape[0]']
"""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.abstract_values import COMPLEX, FLOAT, INT, UNKNOWN, Fact, Shape
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.ir.axis_lengths import UNIT
from yota_ast.rules.inference.dims import broadcast, note_longer
from yota_ast.rules.inference.shapes import (
    FactFn,
    array_of,
    array_result,
    dtype_of,
    known,
    reshaped,
    scalar_or_array,
    shape_argument,
    shape_arguments,
    value_of,
)


def as_array(x: Atom) -> Fact:
    """What `np.asarray(x)` is."""
    given = array_of(x)
    if not given.is_numeric:
        return UNKNOWN
    return array_result(dtype_of(np.asarray, given), given.shape)


def _rearranged(x: Atom, shape: Shape) -> Fact:
    given = as_array(x)
    if given.kind == "unknown":
        return given
    return _by_method(x, array_result(given.dtype, shape))


def _by_method(x: Atom, made: Fact) -> Fact:
    """What a method of x gives, which for NumPy's numbers is often such a number, and
    no array without axes."""
    numpys = fact_of_atom(x).kind in ("scalar", "real")
    return replace(made, kind="real") if made.is_scalar and numpys else made


# ---------------------------------------------------------------- reshaping


def reshape_fact(x: Atom, shape: Atom) -> Fact:
    """`np.reshape(x, shape)`."""
    return _by_method(x, reshaped(array_of(x), shape_argument(shape)))


def reshape_method_fact(x: Atom, shape: tuple[Atom, ...]) -> Fact:
    """`x.reshape(*shape)`."""
    return _by_method(x, reshaped(array_of(x), shape_arguments(shape)))


def flat_fact(x: Atom) -> Fact:
    """`np.ravel(x)`."""
    return _by_method(x, reshaped(array_of(x), (None,)))


def expanded(x: Atom, axis: Atom) -> Fact:
    """`np.expand_dims(x, axis)`."""
    given = as_array(x)
    if not isinstance(given.shape, tuple) or not known(axis):
        return _rearranged(x, None)
    axes = axis.value if isinstance(axis, Const) else ()
    axes = axes if isinstance(axes, tuple) else (axes,)
    rank = len(given.shape) + len(axes)
    places = {k % rank for k in axes}
    dims = iter(given.shape)
    return _rearranged(
        x, tuple(UNIT if k in places else next(dims) for k in range(rank))
    )


def squeezed(x: Atom, axis: Atom) -> Fact:
    """`np.squeeze(x, axis)`: without an axis, by the lengths that are 1 for sure."""
    given = as_array(x)
    if not isinstance(given.shape, tuple) or not known(axis):
        return _rearranged(x, None)
    axes = value_of(axis)
    if axes is None:
        if any(d is None or (d.base and d.size in (1, None)) for d in given.shape):
            return _rearranged(x, None)
        places = {k for k, d in enumerate(given.shape) if d == UNIT}
        for dim in given.shape:
            if dim is not None and dim.base:
                note_longer(dim)
    else:
        axes = axes if isinstance(axes, tuple) else (axes,)
        places = {k % len(given.shape) for k in axes}
    return _rearranged(
        x, tuple(d for k, d in enumerate(given.shape) if k not in places)
    )


def at_least(rank: int) -> FactFn:
    """`np.atleast_1d` and its like."""

    def fact(x: Atom) -> Fact:
        given = as_array(x)
        if not isinstance(given.shape, tuple):
            return _rearranged(x, None)
        dims = given.shape
        if rank > 2 and len(dims) == 1:
            dims = (UNIT, *dims)
        if rank > 2 and dims:
            dims = (*dims, UNIT)[: max(rank, len(dims))]
        return _rearranged(x, (UNIT,) * (rank - len(dims)) + dims)

    return fact


def broadcast_to_fact(x: Atom, shape: Atom) -> Fact:
    """`np.broadcast_to(x, shape)`."""
    given = as_array(x)
    target = shape_argument(shape)
    if isinstance(target, tuple) and isinstance(given.shape, tuple):
        target = broadcast([target, given.shape])
    return _rearranged(x, target)


# ---------------------------------------------------------------- order of axes


def transposed(x: Atom, axes: Atom) -> Fact:
    """`np.transpose(x, axes)`."""
    given = as_array(x)
    if not isinstance(given.shape, tuple):
        return _rearranged(x, None)
    if not known(axes):
        return _rearranged(x, (None,) * len(given.shape))
    order = value_of(axes)
    order = range(len(given.shape))[::-1] if order is None else order
    return _rearranged(x, tuple(given.shape[k] for k in order))


def transposed_by_method(x: Atom, axes: tuple[Atom, ...]) -> Fact:
    """`x.transpose(*axes)`."""
    if len(axes) == 1:
        return transposed(x, axes[0])
    if not all(map(known, axes)):
        given = as_array(x)
        return _rearranged(x, None if given.rank is None else (None,) * given.rank)
    return transposed(x, Const(tuple(value_of(a) for a in axes) or None))


def matrices_transposed(x: Atom) -> Fact:
    """`np.matrix_transpose(x)`."""
    return swapped(x, Const(-1), Const(-2))


def swapped(x: Atom, axis1: Atom, axis2: Atom) -> Fact:
    """`np.swapaxes(x, axis1, axis2)`."""
    given = as_array(x)
    if not isinstance(given.shape, tuple):
        return _rearranged(x, None)
    if not (known(axis1) and known(axis2)):
        return _rearranged(x, (None,) * len(given.shape))
    dims = list(given.shape)
    i, j = value_of(axis1), value_of(axis2)
    dims[i], dims[j] = dims[j], dims[i]
    return _rearranged(x, tuple(dims))


def moved(x: Atom, source: Atom, destination: Atom) -> Fact:
    """`np.moveaxis(x, source, destination)`."""
    given = as_array(x)
    if not isinstance(given.shape, tuple):
        return _rearranged(x, None)
    if not (known(source) and known(destination)):
        return _rearranged(x, (None,) * len(given.shape))
    lengths = np.broadcast_to(0, range(len(given.shape)))  # each axis its number long
    order = np.moveaxis(lengths, value_of(source), value_of(destination)).shape
    return _rearranged(x, tuple(given.shape[n] for n in order))


def rolled_axis(x: Atom) -> Fact:
    """`np.rollaxis`."""
    given = as_array(x)
    return _rearranged(x, None if given.rank is None else (None,) * given.rank)


# ---------------------------------------------------------------- copies and types


def like(x: Atom) -> Fact:
    """An array of the shape and dtype of x."""
    return as_array(x)


def matrix_powered(x: Atom, n: Atom) -> Fact:
    """`np.linalg.matrix_power(x, n)`: an inverse has floats."""
    given = as_array(x)
    is_power = known(n) and value_of(n) >= 0
    whole = given.dtype is not None and given.dtype.kind in "biu"
    return given if is_power or not whole else replace(given, dtype=None)


def copied(x: Atom) -> Fact:
    """`x.copy()`."""
    return _by_method(x, as_array(x))


def dtype_argument(dtype: Atom, otherwise: np.dtype[Any] | None) -> Any:
    """The dtype that an argument asks for."""
    value = value_of(dtype)
    if not known(dtype):
        given = fact_of_atom(dtype)  # as that of `x.dtype`
        return given.element.dtype if given.cls is np.dtype and given.element else None
    return otherwise if value is None else np.dtype(value)


def cast_fact(x: Atom, dtype: Atom) -> Fact:
    """`np.asarray(x, dtype)`, `x.astype(dtype)`."""
    given = as_array(x)
    if fact_of_atom(x).kind == "scalar":
        return Fact("scalar", dtype_argument(dtype, given.dtype), ())
    if given.kind == "unknown":
        return given if not known(dtype) else Fact("array", dtype_argument(dtype, None))
    return array_result(dtype_argument(dtype, given.dtype), given.shape)


def scalar_cast(dtype: Any) -> FactFn:
    """`np.float64(x)`: a scalar of a number, an array of an array."""

    def fact(x: Atom) -> Fact:
        given = array_of(x)
        return scalar_or_array(dtype, given.shape) if given.is_numeric else UNKNOWN

    return fact


def item_of(x: Atom) -> Fact:
    """`x.item()`: a Python number."""
    dtype = fact_of_atom(x).dtype
    if dtype is None:
        return Fact("real", None, ())
    return {"f": FLOAT, "c": COMPLEX, "i": INT, "u": INT}.get(dtype.kind, UNKNOWN)
