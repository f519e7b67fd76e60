"""Interpolation, differences, convolutions and slopes of samples undone."""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.runtime.numpy.broadcast_adjoints import unbroadcast

Array = Any
Axis = Any

# ---------------------------------------------------------------- interpolation


def knots(xp: Array, fp: Array, period: Any = None) -> Any:
    """The knots of `interp` in order, and where in `xp` each of them stands."""
    xp, fp = np.multiply(xp, 1.0), np.multiply(fp, 1.0)  # arrays of floats
    order = np.arange(len(xp), like=xp)
    if period is None:
        if np.any(xp[1:] < xp[:-1]):  # the value hangs on the search for the knots
            raise ValueError("the gradient of interp needs knots in increasing order")
        return xp, fp, order
    xp = xp % abs(period)
    order = np.argsort(xp)
    xp = xp[order]
    order = np.concatenate((order[-1:], order, order[:1]))
    xp = np.concatenate((xp[-1:] - abs(period), xp, xp[:1] + abs(period)))
    return xp, fp[order], order


def interp_slope(x: Array, xp: Array, fp: Array, period: Any = None) -> Array:
    """The slope of `interp` at `x`: at a knot the mean of those on its sides."""
    xp, fp, _ = knots(xp, fp, period)
    x = x if period is None else x % abs(period)
    h = np.diff(xp)
    inner = np.diff(fp) / (h + (h == 0))
    zero = np.zeros_like(inner, shape=1)
    slopes = np.concatenate((zero, inner, zero))
    before = slopes[np.searchsorted(xp, x, "left")]
    return (before + slopes[np.searchsorted(xp, x, "right")]) / 2


def weights_of_knots(
    x: Array, z: Array, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """The knots beside each `x`, the share of the second, and what counts."""
    last = len(z) - 1
    i = np.clip(np.searchsorted(z, x, "right") - 1, 0, max(last - 1, 0))
    j = np.minimum(i + 1, last)
    h = z[j] - z[i]
    share = np.clip((np.multiply(x, 1.0) - z[i]) / (h + (h == 0)), 0, 1)
    before = (x < z[0]) & (left is not None) & (period is None)
    after = (x > z[-1]) & (right is not None) & (period is None)
    return i, j, share, ~(before | after)


def uninterp_values(
    d: Array,
    x: Array,
    xp: Array,
    left: Any = None,
    right: Any = None,
    period: Any = None,
) -> Array:
    """The adjoint of `fp` in `interp(x, xp, fp, left, right, period)`."""
    z, _, order = knots(xp, xp, period)
    x = np.reshape(x if period is None else x % abs(period), -1)
    i, j, share, counts = weights_of_knots(x, z, left, right, period)
    d = np.where(counts, np.reshape(d, -1), 0)
    dfp = np.zeros_like(z, dtype=np.result_type(z, d, np.float16), shape=len(xp))
    np.add.at(dfp, order[i], d * (1 - share))
    np.add.at(dfp, order[j], d * share)
    return dfp


def reinterp_values(
    d: Array,
    x: Array,
    xp: Array,
    left: Any = None,
    right: Any = None,
    period: Any = None,
) -> Array:
    """`interp` of the values `d`, 0 where `left` and `right` are given."""
    knots(xp, xp, period)
    first = None if left is None else 0
    return np.interp(x, xp, d, first, None if right is None else 0, period)


def uninterp_knots(d: Array, x: Array, xp: Array, fp: Array, period: Any = None) -> Any:
    """The adjoint of `xp` in `interp`: at a knot the mean of those on its sides."""
    z, f, order = knots(xp, fp, period)
    x, d = np.reshape(x if period is None else x % abs(period), -1), np.reshape(d, -1)
    dxp = np.zeros_like(z, dtype=np.result_type(z, d, f, np.float16), shape=len(xp))
    for side in ("left", "right"):
        j = z.searchsorted(x, side)
        inside = (j > 0) & (j < len(z))
        j = j[inside]
        h = z[j] - z[j - 1]
        slope = d[inside] * (f[j] - f[j - 1]) / (2 * h)
        share = (x[inside] - z[j - 1]) / h
        np.add.at(dxp, order[j - 1], slope * (share - 1))
        np.add.at(dxp, order[j], -slope * share)
    return dxp


# ---------------------------------------------------------------- differences


def undiff_between(
    dy: Array, x: Array, n: int, axis: int, before: Any = None, after: Any = None
) -> Any:
    """The adjoints of `x`, `prepend` and `append` in `diff`."""
    d = np.moveaxis(dy, axis, 0)
    for _ in range(n):
        zero = np.zeros_like(d, shape=(1, *d.shape[1:]))
        d = np.concatenate((zero, d)) - np.concatenate((d, zero))
    d = np.moveaxis(d, 0, axis)
    ends = [
        0 if e is None else 1 if np.ndim(e) == 0 else np.shape(e)[axis]
        for e in (before, after)
    ]
    size = np.shape(x)[axis]
    first, dx, last = np.split(d, [ends[0], ends[0] + size], axis)
    return (
        dx,
        None if before is None else unbroadcast(first, before),
        None if after is None else unbroadcast(last, after),
    )


def unediff1d(dy: Array, x: Array, after: Any = None, before: Any = None) -> Any:
    """The adjoints of `x`, `to_end` and `to_begin` in `ediff1d`."""
    first = 0 if before is None else np.size(before)
    size = max(np.size(x) - 1, 0)
    d, zero = dy[first : first + size], np.zeros_like(dy, shape=1)
    dx = np.concatenate((zero, d)) - np.concatenate((d, zero))
    dx = dx[: np.size(x)].reshape(np.shape(x))
    return (
        dx,
        None if after is None else np.reshape(dy[first + size :], np.shape(after))[()],
        None if before is None else np.reshape(dy[:first], np.shape(before))[()],
    )


def ungradient(
    dy: Any, f: Array, spacing: Any, axis: Any = None, order: int = 1
) -> Array:
    """The adjoint of `f` in `gradient(f, *spacing, axis=axis, edge_order=order)`."""
    return sum(part for part, _ in ungradient_each(dy, f, spacing, axis, order))


def gradients(f: Array, spacing: Any, axis: Any = None, order: Any = 1) -> Any:
    """`np.gradient` with the spacings in a tuple."""
    return np.gradient(f, *spacing, axis=axis, edge_order=order)


def ungradient_spacing(
    dy: Any, f: Array, spacing: Any, axis: Any = None, order: int = 1
) -> list[Array]:
    """The adjoint of each spacing in `gradient(f, *spacing, axis=axis)`."""
    adjoints = [dh for _, dh in ungradient_each(dy, f, spacing, axis, order)]
    return [sum(adjoints)] if len(spacing) == 1 else adjoints


def ungradient_each(dy: Any, f: Array, spacing: Any, axis: Any, order: int) -> Any:
    """The adjoints of `f` and of the spacing, for each axis."""
    axes = range(np.ndim(f)) if axis is None else np.atleast_1d(axis)
    several = isinstance(dy, (tuple, list)) or np.ndim(dy) > np.ndim(f)
    dys = dy if several else [dy]
    given = list(spacing) or [1.0]
    steps = [given[k if len(given) > 1 else 0] for k in range(len(dys))]
    return [ungradient_along(d, f, h, k, order) for d, h, k in zip(dys, steps, axes)]


def ungradient_along(dy: Array, f: Array, x: Array, axis: int, order: int) -> Any:
    """The adjoints of `f` and of the spacing, or the coordinates, along one axis."""
    d, f = np.moveaxis(dy, axis, 0), np.moveaxis(np.multiply(f, 1.0), axis, 0)
    dtype = np.result_type(f, d, x if hasattr(x, "dtype") else 0.0, np.float16)
    n = len(f) - 1
    h = (
        np.diff(np.multiply(x, 1.0, dtype=float))
        if np.ndim(x)
        else np.full_like(f, x, dtype=float, shape=n)
    )
    h = h.reshape(-1, *(1,) * (f.ndim - 1)).astype(dtype)
    s = np.diff(f, axis=0) / h
    ds, dh = np.zeros_like(s), np.zeros_like(s)
    low, high = h[:-1], h[1:]
    t = d[1:-1] / (low + high)
    mean = (low * s[1:] + high * s[:-1]) / (low + high)
    ds[1:] += t * low
    ds[:-1] += t * high
    dh[:-1] += t * (s[1:] - mean)
    dh[1:] += t * (s[:-1] - mean)
    for end, next_ in ((0, 1), (-1, -2)):
        ds[end] += d[end]
        if order == 2:
            both = h[end] + h[next_]
            ds[end] += d[end] * h[end] / both
            ds[next_] -= d[end] * h[end] / both
            bend = d[end] * (s[end] - s[next_]) / (both * both)
            dh[end] += bend * h[next_]
            dh[next_] -= bend * h[end]
    dh -= ds * s / h
    zero = np.zeros_like(ds[:1])
    df = np.concatenate((zero, ds / h)) - np.concatenate((ds / h, zero))
    dh = dh.reshape(len(dh), -1).sum(axis=1)
    if np.ndim(x) == 0:
        return np.moveaxis(df, 0, axis), dh.sum()
    zero = np.zeros_like(dh[:1])
    return np.moveaxis(df, 0, axis), np.concatenate((zero, dh)) - np.concatenate(
        (dh, zero)
    )


def with_first(d: Array, axis: Axis, first: bool) -> Array:
    """`d` with a 0 before it along an axis, where `first` says so."""
    k = axis or 0
    z = np.moveaxis(d, k, 0)
    z = np.concatenate((np.zeros_like(z, shape=(1, *z.shape[1:])), z))
    return np.moveaxis(z, 0, k) if first else d


def rediff_between(dy: Any, n: int, axis: int) -> Array:
    """The differences of `x` and what stands around it, as `undiff_between` has it."""
    x, before, after = dy
    parts = []
    for part in (before, x, after):
        if part is not None:
            shape = list(np.shape(x))
            shape[axis] = np.shape(part)[axis] if np.ndim(part) else 1
            parts.append(np.broadcast_to(part, shape))
    return np.diff(np.concatenate(parts, axis), n, axis)


def without_first(dy: Array, axis: Axis, first: bool) -> Array:
    """`dy` without the initial element of a cumulative sum."""
    return np.moveaxis(np.moveaxis(dy, axis or 0, 0)[1:], 0, axis or 0) if first else dy


# ---------------------------------------------------------------- convolutions


def whole_convolution(dy: Array, u: Array, v: Array, mode: str = "full") -> Array:
    """`dy` with zeros where `mode` leaves out elements of the full convolution."""
    n, m = np.size(u), np.size(v)
    short = min(n, m)
    start = {"full": 0, "same": (short - 1) // 2, "valid": short - 1}[mode]
    whole = np.zeros_like(dy, shape=n + m - 1)
    whole[start : start + len(dy)] = dy
    return whole


def unconvolve_left(dy: Array, u: Array, v: Array, mode: str = "full") -> Array:
    """The adjoint of `u` in `convolve(u, v, mode)`."""
    d = np.correlate(whole_convolution(dy, u, v, mode), np.reshape(v, -1), "valid")
    return np.reshape(d, np.shape(u))


def unconvolve_right(dy: Array, u: Array, v: Array, mode: str = "full") -> Array:
    """The adjoint of `v` in `convolve(u, v, mode)`."""
    return unconvolve_left(dy, v, u, mode)


def whole_correlation(dy: Array, u: Array, v: Array, mode: str = "full") -> Array:
    """`dy` with zeros where `mode` leaves out elements of the full correlation."""
    if np.size(u) >= np.size(v):
        return whole_convolution(dy, u, v, mode)
    return whole_convolution(dy[::-1], u, v, mode)[::-1]


def uncorrelate_left(dy: Array, u: Array, v: Array, mode: str = "valid") -> Array:
    """The adjoint of `u` in `correlate(u, v, mode)`."""
    d = np.convolve(whole_correlation(dy, u, v, mode), np.reshape(v, -1), "valid")
    return np.reshape(d, np.shape(u))


def uncorrelate_right(dy: Array, u: Array, v: Array, mode: str = "valid") -> Array:
    """The adjoint of `v` in `correlate(u, v, mode)`."""
    d = np.correlate(whole_correlation(dy, u, v, mode), np.reshape(u, -1), "valid")
    return np.reshape(np.conj(d)[::-1], np.shape(v))
