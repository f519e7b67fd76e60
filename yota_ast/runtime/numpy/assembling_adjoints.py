"""Arrays assembled, thinned out and chosen from, undone."""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.runtime.general.signed_integers import signed
from yota_ast.runtime.numpy.axis_order import unlinspace
from yota_ast.runtime.numpy.broadcast_adjoints import unbroadcast

Array = Any
Axis = Any


def unbroadcast_each(dy: Any, arrays: Any) -> list[Array]:
    """The adjoints of arrays that were broadcast together."""
    return [unbroadcast(d, a) for d, a in zip(dy, arrays)]


def reshaped_each(dy: Any, arrays: Any) -> list[Array]:
    """Each cotangent in the shape of its array."""
    return [np.reshape(d, np.shape(a))[()] for d, a in zip(dy, arrays)]


def unmeshgrid(dy: Any, arrays: Any, indexing: str = "xy") -> list[Array]:
    """The adjoints of the arrays of `meshgrid(*arrays, indexing=indexing)`."""
    adjoints = []
    for k, (d, a) in enumerate(zip(dy, arrays)):
        along = 1 - k if indexing == "xy" and k < 2 and len(arrays) > 1 else k
        others = tuple(i for i in range(np.ndim(d)) if i != along)
        adjoints.append(np.sum(d, axis=others).reshape(np.shape(a)))
    return adjoints


def undelete(dy: Array, x: Array, places: Any, axis: Axis = None) -> Array:
    """The adjoint of `x` in `delete(x, places, axis)`."""
    n = np.size(x) if axis is None else np.shape(x)[axis]
    d = np.moveaxis(dy, 0 if axis is None else axis, 0)
    dx = np.zeros_like(d, shape=(n, *d.shape[1:]))
    dx[np.delete(np.arange(n, like=d), places)] = d
    return np.reshape(dx, np.shape(x)) if axis is None else np.moveaxis(dx, 0, axis)


def uninsert(dy: Array, x: Array, places: Any, values: Array, axis: Axis = None) -> Any:
    """The adjoints of `x` and `values` in `insert(x, places, values, axis)`."""
    n = np.size(x) if axis is None else np.shape(x)[axis]
    d = np.moveaxis(dy, 0 if axis is None else axis, 0)
    order = np.arange(n, like=d)
    order = np.insert(order, places, -1 - np.arange(len(d) - n, like=d))
    dx = np.zeros_like(d, shape=(n, *d.shape[1:]))
    dx[order[order >= 0]] = d[order >= 0]
    dtype = np.result_type(d, values)
    dvalues = np.zeros_like(d, dtype, shape=(len(d) - n, *d.shape[1:]))
    dvalues[-1 - order[order < 0]] = d[order < 0]
    if axis is None:
        return np.reshape(dx, np.shape(x)), unbroadcast(dvalues, values)
    if isinstance(places, slice) or np.ndim(places):
        dvalues = np.moveaxis(dvalues, 0, axis)
    return np.moveaxis(dx, 0, axis), unbroadcast(dvalues, values)


def unresize(dy: Array, x: Array) -> Array:
    """The adjoint of `x` in `resize(x, shape)`, which repeats or cuts it."""
    n = max(np.size(x), 1)
    d = np.reshape(dy, -1)
    d = np.concatenate((d, np.zeros_like(d, shape=-len(d) % n)))
    return np.sum(d.reshape(-1, n), axis=0)[: np.size(x)].reshape(np.shape(x))


def untrim(dy: Array, x: Array, trim: str = "fb", axis: Axis = None) -> Array:
    """The adjoint of `x` in `trim_zeros(x, trim, axis)`."""
    dx = np.zeros_like(x, dtype=np.result_type(x, dy, np.float16))
    places = np.argwhere(x)
    axes = (
        range(dx.ndim) if axis is None else [k % dx.ndim for k in np.atleast_1d(axis)]
    )
    front = "f" in trim.lower() and len(places) > 0
    starts = [
        int(places[:, k].min()) if front and k in axes else 0 for k in range(dx.ndim)
    ]
    inside = tuple(slice(b, b + n) for b, n in zip(starts, np.shape(dy)))
    dx[inside] = dy
    return dx


def unblock(dy: Array, arrays: Any) -> Any:
    """The adjoints of the nested lists of arrays of `block(arrays)`."""
    return unblock_along(dy, arrays, -depth_of(arrays))


def depth_of(arrays: Any) -> int:
    """How many lists lie in one another in the arrays of `block`."""
    return 1 + depth_of(arrays[0]) if isinstance(arrays, list) else 0


def first_of(arrays: Any) -> Any:
    """The first array of nested lists."""
    return first_of(arrays[0]) if isinstance(arrays, list) else arrays


def unblock_along(d: Array, arrays: Any, axis: int) -> Any:
    """The adjoints of what is joined along an axis, and of what that is made of."""
    if not isinstance(arrays, list):
        return np.reshape(d, np.shape(arrays))
    start, adjoints = 0, []
    for part in arrays:
        first = first_of(part)
        n = np.shape(first)[axis] if np.ndim(first) >= -axis else 1
        piece = np.moveaxis(np.moveaxis(d, axis, 0)[start : start + n], 0, axis)
        adjoints.append(unblock_along(piece, part, axis + 1))
        start = start + n
    return adjoints


def unchoose(dy: Array, index: Array, choices: Any, mode: str = "raise") -> Any:
    """The adjoints of the choices of `choose(index, choices, mode=mode)`."""
    n = len(choices)
    index = np.mod(index, n) if mode == "wrap" else np.clip(index, 0, n - 1)
    parts = [unbroadcast(np.where(index == k, dy, 0), c) for k, c in enumerate(choices)]
    return np.stack(parts) if hasattr(choices, "dtype") else parts


def within(indices: Any, x: Array, axis: Axis = None, mode: str = "raise") -> Any:
    """The indices that `take(x, indices, axis, mode=mode)` means."""
    n = np.size(x) if axis is None else np.shape(x)[axis]
    if mode == "wrap":
        return np.mod(signed(indices), n)
    return np.clip(signed(indices), 0, n - 1) if mode == "clip" else indices


def without_dtype(d: Array, dtype: Any) -> Array:
    """`d` as doubles; 0 where a dtype of whole numbers has cut off its slope."""
    if dtype is None:
        return d
    return d * np.float64(np.dtype(dtype).kind in "fcO")


def unlinspace_with(
    dy: Array,
    dstep: Any,
    start: Array,
    stop: Array,
    num: int = 50,
    endpoint: bool = True,
    axis: int = 0,
) -> Any:
    """The adjoints of `start` and `stop` in `linspace`, and of the step in it."""
    dstart, dstop = unlinspace(np.moveaxis(dy, axis, 0), start, stop, num, endpoint)
    if dstep is None:
        return dstart, dstop
    share = dstep / max(int(num) - bool(endpoint), 1)
    return dstart - unbroadcast(share, start), dstop + unbroadcast(share, stop)


def unlogspace(
    dy: Array,
    y: Array,
    start: Array,
    stop: Array,
    num: int = 50,
    endpoint: bool = True,
    base: Array = 10.0,
    axis: int = 0,
) -> Any:
    """The adjoints of `start`, `stop` and `base` in `y = logspace(...)`."""
    d, y = np.moveaxis(dy * y, axis, 0), np.moveaxis(y, axis, 0)
    dstart, dstop = unlinspace(d * np.log(base), start, stop, num, endpoint)
    powers = np.log(y) / np.log(base)
    dbase = unbroadcast(np.sum(d * powers / base, axis=0), base)
    return dstart, dstop, dbase


def ungeomspace(
    dy: Array,
    y: Array,
    start: Array,
    stop: Array,
    num: int = 50,
    endpoint: bool = True,
    axis: int = 0,
) -> Any:
    """The adjoints of `start` and `stop` in `y = geomspace(...)`."""
    d = np.moveaxis(dy * y, axis, 0)
    first, last = (np.reshape(v, np.shape(v)) for v in (start, stop))
    dstart, dstop = unlinspace(d, first, last, num, endpoint)
    return unbroadcast(dstart / first, start), unbroadcast(dstop / last, stop)
