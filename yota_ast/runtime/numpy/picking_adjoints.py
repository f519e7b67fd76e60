"""Subscripts, and functions that pick elements, undone."""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.runtime.general.sequence_adjoints import added_within, zeros_within
from yota_ast.runtime.general.signed_integers import signed
from yota_ast.runtime.numpy.broadcast_adjoints import restored, unbroadcast

Array = Any
Axis = Any


def ungetitem(dy: Array, x: Array, index: Any) -> Array:
    """Zeros like `x` with `dy` added at `index`, once for each time it is repeated."""
    if isinstance(x, (list, tuple)):  # of numbers or arrays of one shape
        x = np.stack(x)
    dx = np.zeros_like(x, dtype=np.result_type(x, dy, np.float16))
    np.add.at(dx, index, dy)
    return dx


def ungetitem_of_sequence(dy: Any, x: Any, index: Any) -> list[Any]:
    """The adjoint of the list or tuple `x` in `x[index]`."""
    dx = [zeros_within(v) for v in x]
    dx[index] = added_within(zeros_within(dy), dy)  # in memory of its own
    return dx


def unstore(d: Array, index: Any) -> Array:
    """The adjoint of what is stored at `index`: of a repeated one, the last has it."""
    order = np.zeros_like(d, dtype=int)
    number = np.arange(np.size(order[index]), like=order).reshape(
        np.shape(order[index])
    )
    order[index] = number
    return np.where(order[index] == number, d[index], 0)


def unset(d: Array, index: Any) -> Array:
    """The adjoint `d` of an array as it was before a store at `index`."""
    d = np.copy(d)
    d[index] = 0
    return d


def stored(d: Array, index: Any, value: Array) -> Array:
    """The tangent `d` of an array after a store of what has the tangent `value`."""
    d = np.copy(d)
    d[index] = value
    return d


def held(d: Array, y: Array, x: Any = 0.0) -> Array:
    """`d`, or 0 where `y` holds whole numbers, to which it cuts an `x` put into it."""
    whole = hasattr(y, "dtype") and y.dtype.kind in "iub"
    return np.zeros_like(d)[()] if whole and np.ravel(x).dtype.kind in "fc" else d


def untake(dy: Array, x: Array, indices: Any, axis: Axis = None) -> Array:
    """The adjoint of `x` in `take(x, indices, axis)`, repeated indices included."""
    dx = np.zeros_like(x, dtype=np.result_type(x, dy, np.float16), order="C")
    if np.size(dy) == 0:  # places of no elements are not looked at
        return dx
    indices = signed(indices)  # bools are numbers to `take`, and a mask to `add.at`
    if axis is None or np.ndim(x) == 0:  # a number is an array of one
        np.add.at(dx.reshape(-1), indices, dy)
    else:
        np.add.at(dx, (slice(None),) * (axis % np.ndim(x)) + (indices,), dy)
    return dx


def untake_along_axis(dy: Array, x: Array, indices: Array, axis: Axis = -1) -> Array:
    """The adjoint of `x` in `take_along_axis(x, indices, axis)`."""
    if axis is None:
        return untake(dy, x, indices)
    dx = np.zeros_like(x, dtype=np.result_type(x, dy, np.float16))
    grid: list[Any] = [
        np.arange(n, like=dx).reshape(-1, *(1,) * (np.ndim(x) - k - 1))
        for k, n in enumerate(np.shape(x))
    ]
    grid[axis] = indices
    np.add.at(dx, tuple(grid), dy)
    return dx


def unselect(dy: Array, conditions: Any, choices: Any, default: Any) -> Any:
    """The adjoints of the choices, and of the default, of `select`."""
    left = np.ones_like(dy, dtype=bool)
    adjoints = []
    for condition, choice in zip(conditions, choices, strict=True):
        adjoints.append(unbroadcast(np.where(left & condition, dy, 0), choice))
        left = left & np.logical_not(condition)
    return adjoints, unbroadcast(np.where(left, dy, 0), default)


def undiag(dy: Array, x: Array, k: int = 0) -> Array:
    """The adjoint of `x` in `diag(x, k)`."""
    return np.diag(dy, k) if np.ndim(x) == 1 else undiagonal(dy, x, k)


def undiagonal(
    dy: Array, x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Array:
    """The adjoint of `x` in `diagonal(x, offset, axis1, axis2)`."""
    dx = np.zeros_like(x, dtype=np.result_type(x, dy, np.float16))
    z = np.moveaxis(dx, (axis1, axis2), (-2, -1))
    k, offset = np.arange(np.shape(dy)[-1], like=dx), int(offset)
    z[..., k + max(-offset, 0), k + max(offset, 0)] = dy
    return dx


def unslide(dy: Array, x: Array, window_shape: Any, axis: Axis = None) -> Array:
    """The adjoint of `x` in `sliding_window_view(x, window_shape, axis)`.

    The items at one place of all windows are different items of `x`.
    """
    dx = np.zeros_like(x, dtype=np.result_type(x, dy, np.float16))
    windows = np.lib.stride_tricks.sliding_window_view(
        dx, window_shape, axis, writeable=True
    )
    for place in np.ndindex(windows.shape[np.ndim(x) :]):
        windows[(..., *place)] += dy[(..., *place)]
    return dx


def bytes_from_first(shape: Any, strides: Any) -> Array:
    """How many bytes each element of an array stands from the first."""
    total = np.zeros(tuple(shape), int)
    for k, (n, stride) in enumerate(zip(shape, strides, strict=True)):
        steps = np.arange(n) * stride
        total += np.reshape(steps, (-1,) + (1,) * (len(shape) - 1 - k))
    return total


def strided_places(shape: Any, own: Any, wanted: Any, strides: Any) -> Array:
    """Which element of an array of `shape` and strides `own` each of `wanted` is."""
    there = np.ravel(bytes_from_first(shape, own))
    here = bytes_from_first(wanted, strides)
    order = np.argsort(there, kind="stable")
    behind = np.searchsorted(there[order], here)
    places = order[np.minimum(behind, max(len(order) - 1, 0))]
    if np.any(there[places] != here):
        raise ValueError("as_strided reads beyond the elements of its array")
    return places


def strided(x: Array, own: Any, shape: Any, strides: Any) -> Array:
    """`as_strided(x, shape, strides)`, to be read alone; x has the strides `own`."""
    return np.lib.stride_tricks.as_strided(x, shape, strides, writeable=False)


def along_strided(x: Array, own: Any, shape: Any, strides: Any, dx: Array) -> Array:
    """The tangent of `strided(x, own, shape, strides)`, that of `x` being `dx`."""
    places = strided_places(np.shape(x), own, shape, strides)
    return np.broadcast_to(dx, np.shape(x)).reshape(-1)[places]


def unstride(dy: Array, x: Array, own: Any, strides: Any) -> Array:
    """The adjoint of `x` in `strided(x, own, shape, strides)`."""
    dx = np.zeros(np.size(x), np.result_type(x, dy, np.float16))
    np.add.at(dx, strided_places(np.shape(x), own, np.shape(dy), strides), dy)
    return dx.reshape(np.shape(x))


def untrace(
    dy: Array, x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Array:
    """The adjoint of `x` in `trace(x, offset, axis1, axis2)`."""
    n = np.diagonal(x, offset, axis1, axis2).shape[-1]
    d = restored(dy, -1) * np.ones_like(x, shape=n)
    return undiagonal(d, x, offset, axis1, axis2)
