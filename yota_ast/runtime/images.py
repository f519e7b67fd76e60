"""Filters and interpolation of `scipy.ndimage` undone."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

Array = Any


def ungaussian(
    dy: Array, sigma: Any, order: Any = 0, mode: Any = "reflect", truncate: float = 4.0
) -> Array:
    """The adjoint of `x` in `gaussian_filter(x, sigma, order, ...)`, axis by axis."""
    n = np.ndim(dy)
    modes = [mode] * n if isinstance(mode, str) else mode
    sigmas, orders = np.broadcast_to(sigma, n), np.broadcast_to(order, n)
    for k in range(n):
        if sigmas[k] <= 1e-15:  # SciPy leaves such an axis as it is
            continue
        matrix = ndimage.gaussian_filter1d(
            np.eye(dy.shape[k]), sigmas[k], 0, orders[k], mode=modes[k],
            truncate=truncate,
        )  # fmt: skip
        dy = along_axis(matrix.T.astype(dy.dtype), dy, k)
    return dy


def along_axis(matrix: Array, x: Array, axis: int) -> Array:
    """`x` multiplied by a matrix along an axis."""
    return np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)


def pieces(x: Array, n: int, order: int) -> Any:
    """Which elements of an axis of length n a spline at `x` is made of, their weights,
    and the slopes of those; order 1 or 3. Beyond its ends the axis is mirrored."""
    at = np.floor(x)
    t = x - at
    if order == 1:
        weights, slopes = [1 - t, t], [-np.ones_like(t), np.ones_like(t)]
    else:
        s = 1 - t
        weights = [s**3 / 6, (4 - 6 * t**2 + 3 * t**3) / 6]
        weights += [(4 - 6 * s**2 + 3 * s**3) / 6, t**3 / 6]
        slopes = [-(s**2) / 2, (3 * t - 4) * t / 2, -(3 * s - 4) * s / 2, t**2 / 2]
    places = [np.abs(at.astype(int) + k - order // 2) for k in range(order + 1)]
    last = max(n - 1, 1)
    return [last - np.abs(last - p % (2 * last)) for p in places], weights, slopes


def unmap(
    dy: Array, x: Array, at: Array, order: int = 3, prefilter: bool = True
) -> Any:
    """The adjoints of `x` and `at` in `map_coordinates(x, at, order=order)`: nothing
    from beyond the edges."""
    at = np.asarray(at)
    sizes = np.reshape(np.shape(x), (-1, *[1] * (np.ndim(at) - 1)))
    d = np.where(np.all((at >= 0) & (at <= sizes - 1), axis=0), dy, 0.0)
    smooth = prefilter and order > 1
    c = ndimage.spline_filter(x, order, mode="mirror") if smooth else np.asarray(x)
    parts = [pieces(a, n, order) for a, n in zip(at, np.shape(x), strict=True)]
    dc, dat = np.zeros(np.shape(x)), np.zeros(np.shape(at))
    for choice in np.ndindex(*[order + 1] * len(parts)):
        place = tuple(p[0][k] for p, k in zip(parts, choice, strict=True))
        weights = [p[1][k] for p, k in zip(parts, choice, strict=True)]
        np.add.at(dc, place, d * np.prod(weights, axis=0))
        for axis, k in enumerate(choice):
            others = weights[:axis] + weights[axis + 1 :]
            slope = parts[axis][2][k] * np.prod([*others, np.ones_like(d)], axis=0)
            dat[axis] += d * slope * c[place]
    for axis, n in enumerate(np.shape(x) if smooth else ()):
        matrix = ndimage.spline_filter1d(np.eye(n), order, 0, mode="mirror")
        dc = along_axis(matrix.T, dc, axis)
    return dc.astype(dy.dtype), dat.astype(dy.dtype)
