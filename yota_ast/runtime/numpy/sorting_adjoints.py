"""Sorting, and what picks by order, undone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from yota_ast.runtime.numpy.broadcast_adjoints import restored
from yota_ast.runtime.numpy.reduction_adjoints import ties, unmax

Array = Any
Axis = Any


def shared(dy: Array, y: Array) -> Array:
    """`dy` shared evenly among neighbours on the last axis that are equal in `y`."""
    new = np.concatenate(
        (np.ones_like(y[..., :1], dtype=bool), y[..., 1:] != y[..., :-1]), -1
    )
    if np.all(new):
        return dy
    run = np.cumsum(np.reshape(new, -1)) - 1
    counts = np.bincount(run)
    sums = np.zeros_like(dy, shape=len(counts))
    np.add.at(sums, run, np.reshape(dy, -1))
    return np.reshape((sums / counts.astype(sums.dtype))[run], np.shape(dy))


def unsort(dy: Array, x: Array, axis: Axis = -1) -> Array:
    """The adjoint of `x` in `sort(x, axis)`: ties share evenly."""
    z = np.reshape(x, -1) if axis is None else np.moveaxis(x, axis, -1)
    d = dy if axis is None else np.moveaxis(dy, axis, -1)
    order = np.argsort(z, -1, kind="stable")
    dz = np.zeros_like(d)
    np.put_along_axis(dz, order, shared(d, np.take_along_axis(z, order, -1)), -1)
    return np.reshape(dz, np.shape(x)) if axis is None else np.moveaxis(dz, -1, axis)


def resort(d: Array, x: Array, axis: Axis = -1) -> Array:
    """`d` in the order in which `sort(x, axis)` is; means where `x` has ties."""
    z = np.reshape(x, -1) if axis is None else np.moveaxis(x, axis, -1)
    d = np.reshape(d, -1) if axis is None else np.moveaxis(d, axis, -1)
    order = np.argsort(z, -1, kind="stable")
    y = np.take_along_axis(z, order, -1)
    d = shared(np.take_along_axis(d, order, -1), y)
    return d if axis is None else np.moveaxis(d, -1, axis)


def unpartition(dy: Array, x: Array, y: Array, axis: Axis = -1) -> Array:
    """The adjoint of `x` in `y = partition(x, kth, axis)`: sorted both, they agree."""
    k = 0 if axis is None else axis
    back = np.argsort(y, k, kind="stable")
    return unsort(np.take_along_axis(dy, back, k), x, axis)


def repartition(d: Array, x: Array, y: Array, axis: Axis = -1) -> Array:
    """`d` in the order in which `y = partition(x, kth, axis)` is."""
    k = 0 if axis is None else axis
    there = np.argsort(np.argsort(y, k, kind="stable"), k)
    return np.take_along_axis(resort(d, x, axis), there, k)


def unmedian(
    dy: Array, x: Array, y: Array, axis: Axis = None, keepdims: bool = False
) -> Array:
    """The adjoint of `x` in `y = median(x, axis, keepdims=keepdims)`.

    Half of it to what is next below, half to what is next above; ties share evenly.
    """
    low, high = beside(x, y, axis, keepdims)
    half = np.zeros_like(low) + restored(dy, axis, keepdims) / 2
    return unmax(half, x, low, axis, True) + unmax(half, x, high, axis, True)


def beside(
    x: Array, y: Array, axis: Axis = None, keepdims: bool = False
) -> tuple[Array, Array]:
    """The elements of `x` next below and next above its median `y`, or that itself."""
    x, met = np.reshape(x, np.shape(x)), ties(x, y, axis, keepdims)
    y = restored(y, axis, keepdims)
    below, above = (
        np.where((x < y) | met, x, -np.inf),
        np.where((x > y) | met, x, np.inf),
    )
    low = np.max(below, axis=axis, keepdims=True, initial=-np.inf)
    return low, np.min(above, axis=axis, keepdims=True, initial=np.inf)


def axes_sorted(x: Array, axis: Axis) -> list[int]:
    """The axes of `x` that `axis` names, counted from 0."""
    rank = np.ndim(x)
    if axis is None:
        return list(range(rank))
    return [k % rank for k in ((axis,) if np.ndim(axis) == 0 else axis)]


def rows(x: Array, axis: Axis = None) -> Array:
    """`x` with the axes that are reduced put last, as one."""
    axes = axes_sorted(x, axis)
    kept = [k for k in range(np.ndim(x)) if k not in axes]
    shape = [*[np.shape(x)[k] for k in kept], math.prod([np.shape(x)[k] for k in axes])]
    return np.reshape(np.transpose(x, kept + axes), shape)


def unrows(d: Array, x: Array, axis: Axis = None) -> Array:
    """The adjoint of `x` in `rows(x, axis)`."""
    rank, shape = np.ndim(x), np.shape(x)
    axes = axes_sorted(x, axis)
    order = [k for k in range(rank) if k not in axes] + axes
    return np.transpose(
        d.reshape([shape[k] for k in order]), np.argsort(order).tolist()
    )


def positions(z: Array, q: Array, method: Any = "linear") -> Array:
    """Where in each sorted row of `z` its quantiles lie: whole numbers and shares.

    What is nan counts for nothing. The axes of `q` come first.
    """
    place = np.arange(z.shape[-1], dtype=np.result_type(z, np.float32), like=z)
    if not np.any(np.isnan(z)):
        found = np.quantile(place, q, method=method)
        return np.reshape(found, np.shape(q) + (1,) * (z.ndim - 1))
    known = np.where(np.isnan(z), np.nan, place)
    n = np.sum(~np.isnan(z), axis=-1)
    known[..., 0] = np.where(n == 0, 0, known[..., 0])
    return np.nanquantile(known, q, axis=-1, method=method)


def unquantile(
    dy: Array, x: Array, q: Array, axis: Axis = None, method: Any = "linear"
) -> Array:
    """The adjoint of `x` in `quantile(x, q, axis, method=method)`.

    What is nan counts for nothing; ties share evenly.
    """
    z = rows(x, axis)
    if np.size(z) == 0:
        return np.zeros_like(x)
    order = np.argsort(z, -1)
    z = np.take_along_axis(z, order, -1)
    d = np.reshape(dy, (np.size(q), *z.shape[:-1])).astype(np.result_type(z, 0.0))
    place = np.broadcast_to(positions(z, np.reshape(q, -1), method), d.shape)
    share = (place - np.floor(place)).astype(d.dtype)
    dz = np.zeros_like(d, shape=z.shape)
    for ends, parts in (
        (np.floor(place), (1 - share) * d),
        (np.ceil(place), np.where(share > 0, share * d, 0)),
    ):
        for end, part in zip(np.expand_dims(ends, -1), np.expand_dims(parts, -1)):
            k = end.astype(int)
            np.put_along_axis(dz, k, np.take_along_axis(dz, k, -1) + part, -1)
    dx = np.zeros_like(dz)
    np.put_along_axis(dx, order, shared(dz, z), -1)
    return unrows(dx, x, axis)


def requantile(
    d: Array, x: Array, q: Array, axis: Axis = None, method: Any = "linear"
) -> Array:
    """`d` summed with the weights that elements of `x` have in its quantiles."""
    z = rows(x, axis)
    order = np.argsort(z, -1)
    z = np.take_along_axis(z, order, -1)
    d = shared(np.take_along_axis(rows(d, axis), order, -1), z)
    place = positions(z, np.reshape(q, -1), method)
    place = np.broadcast_to(place, (np.size(q), *z.shape[:-1]))
    stacked = np.broadcast_to(d, (len(place), *z.shape))
    low = np.expand_dims(np.floor(place).astype(int), -1)
    high = np.expand_dims(np.ceil(place).astype(int), -1)
    share = (place - np.floor(place)).astype(d.dtype)
    first = np.take_along_axis(stacked, low, -1)[..., 0]
    last = np.take_along_axis(stacked, high, -1)[..., 0]
    return first * (1 - share) + np.where(share > 0, last * share, 0)


def unlevel(
    dy: Array, x: Array, q: Array, axis: Axis = None, method: Any = "linear"
) -> Array:
    """The adjoint of `q` in `quantile(x, q, axis, method=method)`.

    0 where quantiles jump; where one meets an element, the slope between those beside.
    """
    extra: Any = {"linear": -1, "interpolated_inverted_cdf": 0, "hazen": 0}
    extra.update(weibull=1, median_unbiased=1 / 3, normal_unbiased=1 / 4)
    z = np.sort(rows(x, axis), -1)
    d = np.reshape(dy, (np.size(q), *z.shape[:-1])).astype(np.result_type(z, 0.0))
    place = np.broadcast_to(positions(z, np.reshape(q, -1), method), d.shape)
    n = np.sum(~np.isnan(z), axis=-1)
    below = np.maximum(np.ceil(place) - 1, 0).astype(int)
    above = np.minimum(np.floor(place) + 1, np.maximum(n - 1, 0)).astype(int)
    stacked = np.broadcast_to(z, (len(d), *z.shape))
    high = np.take_along_axis(stacked, np.expand_dims(above, -1), -1)[..., 0]
    low = np.take_along_axis(stacked, np.expand_dims(below, -1), -1)[..., 0]
    slope = (high - low) / np.maximum(above - below, 1) * (n + extra.get(method, 0))
    inside = (place > 0) & (place < n - 1) | (method == "linear")
    slope = np.where(inside & (method in extra), slope, 0).astype(d.dtype)
    return np.sum(d * slope, axis=tuple(range(1, d.ndim))).reshape(np.shape(q))


def unpicked(
    dy: Array, x: Array, y: Array, q: Array, axis: Axis = None, keepdims: bool = False
) -> Array:
    """The adjoint of `x` where quantiles `y` are elements; ties share evenly."""
    if np.ndim(q) == 0:
        return unmax(dy, x, y, axis, keepdims)
    return sum(unmax(d, x, v, axis, keepdims) for d, v in zip(dy, y))


def ununique(dy: Array, x: Array, axis: Axis = None) -> Array:
    """The adjoint of `x` in `unique(x, axis=axis)`: those alike share evenly."""
    _, inverse, counts = np.unique(
        x, return_inverse=True, return_counts=True, axis=axis
    )
    k = 0 if axis is None else axis
    d = np.moveaxis(dy, k, 0)
    counts = counts.reshape(-1, *(1,) * (d.ndim - 1)).astype(d.dtype)
    d = (d / counts)[np.reshape(inverse, -1)]
    return np.reshape(d, np.shape(x)) if axis is None else np.moveaxis(d, 0, k)


def reunique(d: Array, x: Array, axis: Axis = None) -> Array:
    """The means of `d` over the places where `x` is alike."""
    _, inverse, counts = np.unique(
        x, return_inverse=True, return_counts=True, axis=axis
    )
    d = np.reshape(d, -1) if axis is None else np.moveaxis(d, axis, 0)
    sums = np.zeros_like(d, shape=(len(counts), *d.shape[1:]))
    np.add.at(sums, np.reshape(inverse, -1), d)
    sums = sums / counts.reshape(-1, *(1,) * (d.ndim - 1)).astype(d.dtype)
    return sums if axis is None else np.moveaxis(sums, 0, axis)
