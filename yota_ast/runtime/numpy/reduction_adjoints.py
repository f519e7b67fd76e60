"""Reductions and running sums undone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from yota_ast.runtime.numpy.broadcast_adjoints import restored, unbroadcast

Array = Any
Axis = Any


def unmax(
    dy: Array, x: Array, y: Array, axis: Axis = None, keepdims: bool = False
) -> Array:
    """The adjoint of `x` in `y = max(x)` or `min(x)`: ties share evenly."""
    x = np.reshape(x, np.shape(x))  # an array, if it is a list or a number
    hit = ties(x, y, axis, keepdims)
    dtype = x.dtype.newbyteorder("=")
    n = np.maximum(np.sum(hit, axis=axis, keepdims=True, dtype=dtype), 1)
    return np.where(hit, restored(dy, axis, keepdims) / n, 0)


def ties(x: Array, y: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """Where `x` is `y`, its maximum or minimum; nan is where that is."""
    x, y = np.reshape(x, np.shape(x)), restored(y, axis, keepdims)
    return (x == y) | ((x != x) & (y != y))


def prod_of_others(x: Array, axis: Axis = None) -> Array:
    """For each element of `x` the product of all others over `axis`."""
    x = np.reshape(x, np.shape(x))  # an array, if it is a list or a number
    whole = axis is None or not x.ndim
    axes = list(range(x.ndim)) if whole else [int(k) for k in np.ravel(axis)]
    last = tuple(range(x.ndim - len(axes), x.ndim))
    z = np.moveaxis(x, tuple(axes), last)
    flat = z.reshape(
        *z.shape[: x.ndim - len(axes)], math.prod(z.shape[x.ndim - len(axes) :])
    )
    ones = np.ones_like(flat[..., :1])
    left = np.cumprod(np.concatenate((ones, flat[..., :-1]), -1), -1)
    flipped = flat[..., ::-1]
    right = np.cumprod(np.concatenate((ones, flipped[..., :-1]), -1), -1)[..., ::-1]
    return np.moveaxis((left * right).reshape(z.shape), last, tuple(axes))


def prods_along(d: Array, x: Array, axis: Axis = None) -> Array:
    """What `prod_of_others(x, axis)` changes by along `d`; its adjoint is the same."""
    return prods_of_others_along([d], x, axis)


def prods_along_both(d: Array, e: Array, x: Array, axis: Axis = None) -> Array:
    """What `prods_along(d, x, axis)` changes by along `e`."""
    return prods_of_others_along([d, e], x, axis)


def prods_of_others_along(tangents: Any, x: Array, axis: Axis = None) -> Array:
    """For each element of `x` the sum of products over all others, of which each of
    some tangents takes the place of one."""
    x = np.reshape(x, np.shape(x))  # an array, if it is a list or a number
    whole = axis is None or not x.ndim
    axes = list(range(x.ndim)) if whole else [int(k) for k in np.ravel(axis)]
    first = range(len(axes))
    arrays = [np.moveaxis(a, axes, first) for a in (x, *tangents)]
    rest = arrays[0].shape[len(axes) :]
    count = math.prod(arrays[0].shape[: len(axes)])
    z, *moved = (np.reshape(a, (count, *rest)) for a in arrays)
    every = (1 << len(moved)) - 1  # a bit for each tangent
    one = np.ones_like(z, dtype=np.result_type(*arrays), shape=rest)
    left, right = ([one] + [0 * one] * every for _ in range(2))
    behind = [right]
    for k in range(len(z) - 1, 0, -1):
        right = with_factor(right, z[k], [v[k] for v in moved])
        behind.append(right)
    found = np.zeros_like(z, dtype=one.dtype)
    for k, factor in enumerate(z):
        right = behind[len(z) - 1 - k]
        for taken in range(every + 1):
            found[k] += left[taken] * right[every - taken]
        left = with_factor(left, factor, [v[k] for v in moved])
    shape = [x.shape[k] for k in axes]
    return np.moveaxis(np.reshape(found, (*shape, *rest)), first, axes)


def with_factor(sums: Any, factor: Array, tangents: Any) -> Any:
    """Sums of products, by the set of tangents that each has, with one more factor or
    one of the tangents in its place."""
    more = [total * factor for total in sums]
    for taken in range(len(sums)):
        for k, tangent in enumerate(tangents):
            if taken >> k & 1:
                more[taken] = more[taken] + sums[taken ^ 1 << k] * tangent
    return more


def average_weights(x: Array, axis: Axis, weights: Array) -> Array:
    """The weights of `average`, one for each element of `x`."""
    if weights is None:
        return np.ones_like(x)
    if np.shape(weights) == np.shape(x):
        return np.reshape(weights, np.shape(x))
    axes = [k % np.ndim(x) for k in np.atleast_1d(axis)]
    shape = [n if k in axes else 1 for k, n in enumerate(np.shape(x))]
    ordered = np.transpose(weights, np.argsort(axes).tolist())
    return np.broadcast_to(ordered.reshape(shape), np.shape(x))


def average_shares(x: Array, axis: Axis, weights: Array) -> Array:
    """The share of each element of `x` in `average`."""
    w = average_weights(x, axis, weights)
    return w / np.sum(w, axis=axis, keepdims=True)


def unweight(d: Array, x: Array, axis: Axis, weights: Array) -> Array:
    """The adjoint of the weights of `average`; `d` is before scaling."""
    d = d / np.sum(average_weights(x, axis, weights), axis=axis, keepdims=True)
    if np.shape(weights) == np.shape(x):
        return d
    axes = [k % np.ndim(x) for k in np.atleast_1d(axis)]
    d = d.sum(axis=tuple(k for k in range(np.ndim(x)) if k not in axes))
    return np.transpose(d, np.argsort(np.argsort(axes)).tolist())


def unaverage(
    dy: Any, x: Array, y: Any, axis: Axis, weights: Array, keepdims: bool
) -> Any:
    """The adjoints of `x` and `weights` in `y, total = average(..., returned=True)`."""
    d, mean = restored(dy[0], axis, keepdims), restored(y[0], axis, keepdims)
    dx = d * average_shares(x, axis, weights)
    if weights is None:
        return dx, None
    rest = unweight(d * (x - mean), x, axis, weights)
    total = restored(dy[1], axis, keepdims) * np.ones_like(x)
    one = np.sum(average_weights(x, axis, weights), axis=axis, keepdims=True)
    return dx, rest + unweight(total * one, x, axis, weights)


def uncumsum(dy: Array, x: Array, axis: Axis = None) -> Array:
    """The adjoint of `x` in `cumsum(x, axis)`: sums from the other end."""
    k = 0 if axis is None else axis
    dx = np.flip(np.cumsum(np.flip(dy, k), k), k)
    return dx.reshape(np.shape(x))


def uncumprod(dy: Array, x: Array, axis: Axis = None) -> Array:
    """The adjoint of `x` in `cumprod(x, axis)`, zeros among them included."""
    axis = axis if np.ndim(x) else None
    z = np.reshape(x, -1) if axis is None else np.moveaxis(x, axis, 0)
    d = dy if axis is None else np.moveaxis(dy, axis, 0)
    if np.all(z != 0):
        dz = np.flip(np.cumsum(np.flip(d * np.cumprod(z, 0), 0), 0), 0) / z
    else:
        dz = np.copy(d)
        for k in range(len(z) - 2, -1, -1):
            dz[k] += z[k + 1] * dz[k + 1]
        before = np.concatenate((np.ones_like(z[:1]), z[:-1]))
        dz = dz * np.cumprod(before, 0)
    return dz.reshape(np.shape(x)) if axis is None else np.moveaxis(dz, 0, axis)


def undiff(dy: Array, x: Array, n: int = 1, axis: int = -1) -> Array:
    """The adjoint of `x` in `diff(x, n, axis)`."""
    if np.size(dy) == 0:
        return np.zeros_like(x)
    d = np.moveaxis(dy, axis, 0)
    for _ in range(int(n)):
        zero = np.zeros_like(d, shape=(1, *d.shape[1:]))
        d = np.concatenate((zero, d)) - np.concatenate((d, zero))
    return np.moveaxis(d, 0, axis)


def untrapezoid(dy: Array, u: Array, x: Array, h: Array, axis: int = -1) -> Any:
    """The adjoints of `u`, `x` and the spacing `h` in `trapezoid`; None for no `x`."""
    u = np.moveaxis(u, axis, -1)
    d = restored(dy, -1)
    if x is None:
        steps = h
    else:
        x = np.moveaxis(x, axis if np.ndim(x) > 1 else -1, -1)
        steps = np.diff(x)
    mean = (u[..., 1:] + u[..., :-1]) / 2
    du = np.zeros_like(u, dtype=np.result_type(u, d))
    half = unbroadcast(d * steps / 2 + np.zeros_like(mean), mean)
    du[..., 1:] += half
    du[..., :-1] += half
    du = np.moveaxis(du, -1, axis)
    if x is None:
        return du, None, unbroadcast(d * mean, h)
    dx = undiff(unbroadcast(d * mean, steps), x, 1, -1)
    return du, dx if np.ndim(x) == 1 else np.moveaxis(dx, -1, axis), None


def unhistogram(dy: Array, x: Array, bins: Any = 10, range: Any = None) -> Any:  # noqa: A002
    """The adjoints of `x` and `bins` in `histogram(x, bins, range)`.

    The edges lie between the least and the greatest element, or are given.
    """
    dx = np.zeros_like(x, dtype=np.result_type(x, 0.0))
    if np.ndim(bins) > 0:
        return dx, dy[1]
    if range is None and np.size(x):
        n = len(dy[1])
        share = np.arange(n, dtype=dy[1].dtype, like=dy[1]) / max(n - 1, 1)
        dx = unmax(np.sum(dy[1] * share), x, np.max(x))
        dx = dx + unmax(np.sum(dy[1] * (1 - share)), x, np.min(x))
    return dx, 0.0
