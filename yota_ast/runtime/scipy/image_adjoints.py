"""Filters and interpolation of `scipy.ndimage` undone."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import ndimage, signal

from yota_ast.runtime.general.signed_integers import signed

Array = Any


def ungaussian(
    dy: Array, sigma: Any, order: Any = 0, mode: Any = "reflect", truncate: float = 4.0
) -> Array:
    """The adjoint of `x` in `gaussian_filter(x, sigma, order, ...)`, axis by axis."""
    n = np.ndim(dy)
    modes = [mode] * n if isinstance(mode, str) else mode
    sigmas, orders = np.broadcast_to(sigma, n), np.broadcast_to(signed(order), n)
    for k in range(n):
        if sigmas[k] <= 1e-15:  # SciPy leaves such an axis as it is
            continue
        matrix = ndimage.gaussian_filter1d(
            np.eye(dy.shape[k]), sigmas[k], 0, orders[k], mode=modes[k],
            truncate=truncate,
        )  # fmt: skip
        dy = along_axis(matrix.T.astype(dy.dtype), dy, k)
    return dy


def unalong(dy: Array, matrix: Array, axis: int = -1) -> Array:
    """The adjoint of what multiplies by a matrix along an axis."""
    return along_axis(matrix.T.astype(dy.dtype), dy, axis)


def ununiform(dy: Array, size: Any, mode: Any = "reflect", origin: Any = 0) -> Array:
    """The adjoint of `x` in `uniform_filter(x, size, ...)`, axis by axis."""
    n = np.ndim(dy)
    modes = [mode] * n if isinstance(mode, str) else mode
    sizes = np.broadcast_to(signed(size), n)
    origins = np.broadcast_to(signed(origin), n)
    for k in range(n):
        if sizes[k] > 1:
            matrix = ndimage.uniform_filter1d(
                np.eye(dy.shape[k]), sizes[k], 0, mode=modes[k], origin=origins[k]
            )
            dy = along_axis(matrix.T.astype(dy.dtype), dy, k)
    return dy


def unzoom(
    dy: Array, x: Array, zoom: Any, order: int = 3, mode: str = "constant",
    prefilter: bool = True, grid_mode: bool = False,
) -> Array:  # fmt: skip
    """The adjoint of `x` in `zoom(x, zoom, ...)`, axis by axis."""
    factors = np.broadcast_to(zoom, np.ndim(x))
    if prefilter and np.all(factors == 1):  # SciPy leaves such an image as it is
        return dy
    for k, by in enumerate(np.where(factors == 1, 1 + 1e-12, factors)):
        rows = [
            ndimage.zoom(
                e, by, order=order, mode=mode, prefilter=prefilter, grid_mode=grid_mode
            )
            for e in np.eye(np.shape(x)[k])
        ]
        shape = np.shape(x)[k], np.shape(dy)[k]  # also where there are no rows
        dy = along_axis(np.reshape(np.array(rows, dy.dtype), shape), dy, k)
    return dy


def unsobel(dy: Array, axis: int = -1, mode: str = "reflect") -> Array:
    """The adjoint of `x` in `sobel(x, axis, mode=mode)`, axis by axis."""
    for k in range(np.ndim(dy)):
        weights = [-1.0, 0.0, 1.0] if k == axis % np.ndim(dy) else [1.0, 2.0, 1.0]
        matrix = ndimage.correlate1d(np.eye(dy.shape[k]), weights, 0, mode=mode)
        dy = along_axis(matrix.T.astype(dy.dtype), dy, k)
    return dy


def unlaplace(dy: Array, mode: str = "reflect") -> Array:
    """The adjoint of `x` in `laplace(x, mode=mode)`, the sum of that of each axis."""
    dx = np.zeros_like(dy)
    for k in range(np.ndim(dy)):
        matrix = ndimage.correlate1d(
            np.eye(dy.shape[k]), [1.0, -2.0, 1.0], 0, mode=mode
        )
        dx += along_axis(matrix.T.astype(dy.dtype), dy, k)
    return dx


def places_beside(shape: Any, weights: Array, mode: str, origin: Any) -> Any:
    """Which element each of an array with its edges is, axis by axis, as `correlate`
    extends it; -1 for what is constant there."""
    sizes = np.shape(weights)
    origins = np.broadcast_to(signed(origin), len(sizes))
    kinds: dict[str, Any] = {"mirror": "reflect", "nearest": "edge", "wrap": "wrap"}
    kinds |= {"reflect": "symmetric", "grid-mirror": "symmetric", "grid-wrap": "wrap"}
    kind = kinds.get(mode, "constant")
    found = []
    for n, m, o in zip(shape, sizes, origins, strict=True):
        before = m // 2 + o
        more: Any = {"constant_values": -1} if kind == "constant" else {}
        found.append(np.pad(np.arange(n), (before, m - 1 - before), kind, **more))
    return found


def uncorrelate_image(
    dy: Array, x: Array, weights: Array, mode: str = "reflect", origin: Any = 0
) -> Array:
    """The adjoint of `x` in `correlate(x, weights, mode=mode)` with 0 beyond the edges
    where that is constant."""
    dx = np.zeros(np.shape(x), dy.dtype)
    if np.size(x) == 0:  # it has no edges to extend
        return dx
    places = places_beside(np.shape(x), weights, mode, origin)
    dwide = signal.convolve(dy, weights, method="direct")
    np.add.at(dx, np.ix_(*places), without_outside(dwide, places))
    return dx


def uncorrelate_weights(
    dy: Array, x: Array, weights: Array, mode: str = "reflect", origin: Any = 0
) -> Array:
    """The adjoint of `weights` in `correlate(x, weights, mode=mode)`, the same way."""
    if np.size(x) == 0:
        return np.zeros(np.shape(weights), dy.dtype)
    places = places_beside(np.shape(x), weights, mode, origin)
    wide = without_outside(np.asarray(x)[np.ix_(*places)], places)
    return signal.correlate(wide, dy, "valid", "direct")


def without_outside(wide: Array, places: Any) -> Array:
    """An array with its edges, and 0 where those are constant."""
    for k, place in enumerate(places):
        outside = np.reshape(place < 0, [-1 if j == k else 1 for j in range(wide.ndim)])
        wide = np.where(outside, 0.0, wide)
    return wide


def unconvolve_image(
    dy: Array, x: Array, weights: Array, mode: str = "reflect", origin: Any = 0
) -> Array:
    """The adjoint of `x` in `convolve`, which turns its weights over."""
    turned = turned_origin(weights, origin)
    return uncorrelate_image(dy, x, np.flip(weights), mode, turned)


def unconvolve_weights(
    dy: Array, x: Array, weights: Array, mode: str = "reflect", origin: Any = 0
) -> Array:
    """The adjoint of `weights` in `convolve`."""
    turned = turned_origin(weights, origin)
    return np.flip(uncorrelate_weights(dy, x, np.flip(weights), mode, turned))


def turned_origin(weights: Array, origin: Any) -> Array:
    """The origin of weights that are turned over."""
    even = 1 - np.array(np.shape(weights)) % 2
    return -np.broadcast_to(signed(origin), len(even)) - even


def along_axis(matrix: Array, x: Array, axis: int) -> Array:
    """`x` multiplied by a matrix along an axis."""
    return np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)


def pieces(x: Array, n: int, order: int) -> Any:
    """Which elements of an axis of length n a spline at `x` is made of, their weights,
    and the slopes of those; order 0 to 3. Beyond its ends the axis is mirrored."""
    at = np.floor(x if order % 2 else x + 0.5)
    t = x - at
    if order == 0:
        weights, slopes = [np.ones_like(t)], [np.zeros_like(t)]
    elif order == 2:
        weights = [(t - 0.5) ** 2 / 2, 0.75 - t**2, (t + 0.5) ** 2 / 2]
        slopes = [t - 0.5, -2 * t, t + 0.5]
    elif order == 1:
        weights, slopes = [1 - t, t], [-np.ones_like(t), np.ones_like(t)]
    else:
        s = 1 - t
        weights = [s**3 / 6, (4 - 6 * t**2 + 3 * t**3) / 6]
        weights += [(4 - 6 * s**2 + 3 * s**3) / 6, t**3 / 6]
        slopes = [-(s**2) / 2, (3 * t - 4) * t / 2, -(3 * s - 4) * s / 2, t**2 / 2]
    places = [np.abs(at.astype(int) + k - order // 2) for k in range(order + 1)]
    last = max(n - 1, 1)
    places = [last - np.abs(last - p % (2 * last)) for p in places]
    return [np.minimum(p, n - 1) for p in places], weights, slopes


def pieces_of_map(shape: Any, at: Array, order: int) -> Any:
    """Where there is an image at points; and of the elements that its value is made of,
    the places, their weights, and the slopes of these along each axis."""
    sizes = np.reshape(shape, (-1, *[1] * (np.ndim(at) - 1)))
    inside = np.all((at >= 0) & (at <= sizes - 1), axis=0)
    parts = [pieces(a, n, order) for a, n in zip(at, shape, strict=True)]
    found = []
    for choice in np.ndindex(*[order + 1] * len(parts)):
        place = tuple(p[0][k] for p, k in zip(parts, choice, strict=True))
        weights = [p[1][k] for p, k in zip(parts, choice, strict=True)]
        slopes = []
        for axis, k in enumerate(choice):
            others = weights[:axis] + weights[axis + 1 :]
            slopes.append(parts[axis][2][k] * np.prod([inside, *others], axis=0))
        found.append((place, np.prod([inside, *weights], axis=0), slopes))
    return found


def put_back(
    parts: Iterable[tuple[Any, Array]], x: Array, order: int, prefilter: bool
) -> Array:
    """The adjoint of an image, from parts of those of its spline and their places."""
    dc = np.zeros(np.shape(x))
    for place, values in parts:
        np.add.at(dc, place, values)
    for axis, n in enumerate(np.shape(x) if prefilter and order > 1 else ()):
        matrix = ndimage.spline_filter1d(np.eye(n), order, 0, mode="mirror")
        dc = along_axis(matrix.T, dc, axis)
    return dc


def unmap(
    dy: Array, x: Array, at: Array, order: int = 3, prefilter: bool = True
) -> Array:
    """The adjoint of `x` in `map_coordinates(x, at, order=order)`: nothing from beyond
    the edges."""
    if np.size(x) == 0:
        return np.zeros(np.shape(x), dy.dtype)
    pieces = pieces_of_map(np.shape(x), np.asarray(at), order)
    parts = [(place, dy * weights) for place, weights, _ in pieces]
    return put_back(parts, x, order, prefilter).astype(dy.dtype)


def unslope_map(
    dy: Array, x: Array, at: Array, order: int = 3, prefilter: bool = True
) -> Array:
    """The adjoint of `x` in `slopes_of_map(x, at, order)`."""
    if np.size(x) == 0:
        return np.zeros(np.shape(x), dy.dtype)
    pieces = pieces_of_map(np.shape(x), np.asarray(at), order)
    parts = [(place, np.sum(dy * slopes, 0)) for place, _, slopes in pieces]
    return put_back(parts, x, order, prefilter).astype(dy.dtype)


def slopes_of_map(x: Array, at: Array, order: int = 3, prefilter: bool = True) -> Array:
    """The slopes of `map_coordinates(x, at, order=order)` along each axis of `at`: 0
    beyond the edges."""
    at = np.asarray(at)
    total = np.zeros(np.shape(at), np.result_type(x, at))
    if np.size(x) == 0:
        return total
    smooth = prefilter and order > 1
    c = ndimage.spline_filter(x, order, mode="mirror") if smooth else np.asarray(x)
    for place, _, slopes in pieces_of_map(np.shape(x), at, order):
        total += (slopes * c[place]).astype(total.dtype)
    return total


def windows_of(
    shape: Any, size: Any, footprint: Any, mode: Any, origin: Any, turn: bool
) -> Array:
    """Which elements of an array, in one row, stand in the window of each; behind the
    last one for what is constant beyond the edges. turn: the window is turned over."""
    if footprint is None:
        chosen = np.ones(np.broadcast_to(size, len(shape)), bool)
    else:
        chosen = np.asarray(footprint, bool)
    modes = [mode] * len(shape) if isinstance(mode, str) else mode
    origins = np.broadcast_to(signed(origin), len(shape))
    if turn:
        chosen, origins = np.flip(chosen), turned_origin(chosen, origins)
    wide = [
        places_beside((n,), np.ones(m), each, o)[0]
        for n, m, each, o in zip(shape, chosen.shape, modes, origins, strict=True)
    ]
    behind = math.prod(shape)
    numbers = np.arange(behind).reshape(shape)[np.ix_(*wide)]
    for k, places in enumerate(wide):
        lengths = [-1 if j == k else 1 for j in range(len(shape))]
        numbers = np.where(np.reshape(places < 0, lengths), behind, numbers)
    found = np.lib.stride_tricks.sliding_window_view(numbers, chosen.shape)
    return found[..., chosen]


def shares_picked(
    x: Array, y: Array, size: Any, footprint: Any, mode: Any, cval: float,
    origin: Any, turn: bool,
) -> Any:  # fmt: skip
    """The windows of a filter that picks an element of each, and the share that each
    element has in what was picked: ties share evenly."""
    places = windows_of(np.shape(x), size, footprint, mode, origin, turn)
    hit = np.append(x, cval)[places] == np.expand_dims(y, -1)
    return places, hit / np.maximum(np.sum(hit, -1, keepdims=True), 1)


def unpicked(
    dy: Array, x: Array, y: Array, size: Any = None, footprint: Any = None,
    mode: Any = "reflect", cval: float = 0.0, origin: Any = 0, turn: bool = False,
) -> Array:  # fmt: skip
    """The adjoint of `x` in what picks an element of each window."""
    if np.size(x) == 0:
        return np.zeros(np.shape(x), dy.dtype)
    places, shares = shares_picked(x, y, size, footprint, mode, cval, origin, turn)
    parts = np.expand_dims(dy, -1) * shares
    dx = np.bincount(np.ravel(places), np.ravel(parts), np.size(x) + 1)[:-1]
    return dx.reshape(np.shape(x)).astype(dy.dtype)


def picked(
    x: Array, at: Array, y: Array, size: Any = None, footprint: Any = None,
    mode: Any = "reflect", cval: float = 0.0, origin: Any = 0, turn: bool = False,
) -> Array:  # fmt: skip
    """The elements of `x` where `y` was picked from `at`: the mean of ties."""
    if np.size(x) == 0:
        return x
    places, shares = shares_picked(at, y, size, footprint, mode, cval, origin, turn)
    return np.sum(np.append(x, 0.0)[places] * shares, -1).astype(x.dtype)
