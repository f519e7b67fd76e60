"""Interpolation, differences, convolutions and slopes of samples undone."""

from __future__ import annotations

from typing import Any

import numpy as np

from .broadcasting import unbroadcast

Array = Any
Axis = Any

# ---------------------------------------------------------------- interpolation


def knots(xp: Array, fp: Array, period: Any = None) -> Any:
    """The knots of `interp` in order, and where in `xp` each of them stands."""
    order = np.arange(len(xp))
    if period is None:
        return np.asarray(xp), np.asarray(fp), order
    xp = np.asarray(xp) % abs(period)
    order = np.argsort(xp)
    xp = xp[order]
    order = np.concatenate((order[-1:], order, order[:1]))
    xp = np.concatenate((xp[-1:] - abs(period), xp, xp[:1] + abs(period)))
    return xp, np.asarray(fp)[order], order


def interp_slope(x: Array, xp: Array, fp: Array, period: Any = None) -> Array:
    """The slope of `interp` at `x`: at a knot the mean of those on its sides."""
    xp, fp, _ = knots(xp, fp, period)
    x = x if period is None else x % abs(period)
    h = np.diff(xp)
    inner = np.diff(fp) / (h + (h == 0))
    slopes = np.concatenate(([0], inner, [0]))
    before = slopes[np.searchsorted(xp, x, "left")]
    return (before + slopes[np.searchsorted(xp, x, "right")]) / 2


def uninterp(
    dy: Array,
    x: Array,
    xp: Array,
    fp: Array,
    left: Any = None,
    right: Any = None,
    period: Any = None,
) -> Any:
    """The adjoints of `xp` and `fp` in `interp(x, xp, fp, left, right, period)`."""
    z, f, order = knots(xp, fp, period)
    x = np.reshape(x if period is None else x % abs(period), -1)
    d = np.reshape(dy, -1)
    if period is None:
        d = np.where((x < z[0]) & (left is not None), 0, d)
        d = np.where((x > z[-1]) & (right is not None), 0, d)
    last = len(z) - 1
    i = np.clip(np.searchsorted(z, x, "right") - 1, 0, max(last - 1, 0))
    j = np.minimum(i + 1, last)
    h = z[j] - z[i]
    h = h + (h == 0)
    share = np.clip((x - z[i]) / h, 0, 1)
    dfp = np.zeros_like(f, dtype=np.result_type(f, d, np.float16), shape=len(xp))
    np.add.at(dfp, order[i], d * (1 - share))
    np.add.at(dfp, order[j], d * share)
    inside = (z[0] <= x) & (x <= z[-1])
    slope = np.where(inside, d * (f[j] - f[i]) / h, 0)
    dxp = np.zeros_like(dfp)
    np.add.at(dxp, order[i], slope * (share - 1))
    np.add.at(dxp, order[j], -slope * share)
    return dxp, dfp


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
        None if after is None else np.reshape(dy[first + size :], np.shape(after)),
        None if before is None else np.reshape(dy[:first], np.shape(before)),
    )


def ungradient(
    dy: Any, f: Array, spacing: Any, axis: Any = None, order: int = 1
) -> Any:
    """The adjoints of `f` and of each spacing in `gradient(f, *spacing, axis=axis)`."""
    f = np.asarray(f)
    axes = range(f.ndim) if axis is None else np.atleast_1d(axis)
    dys = dy if isinstance(dy, (tuple, list)) else [dy]
    given = list(spacing) or [1.0]
    df = np.zeros_like(f, dtype=np.result_type(f, *dys, np.float16))
    adjoints = []
    for k, (d, along) in enumerate(zip(dys, axes)):
        h = np.asarray(given[k if len(given) > 1 else 0])
        part, dh = ungradient_along(d, f, h, along, order)
        df += part
        adjoints.append(dh)
    if len(given) == 1:
        adjoints = [sum(adjoints)]
    return df, adjoints


def ungradient_along(dy: Array, f: Array, x: Array, axis: int, order: int) -> Any:
    """The adjoints of `f` and of the spacing, or the coordinates, along one axis."""
    d, f = np.moveaxis(dy, axis, 0), np.moveaxis(f, axis, 0)
    h = np.diff(x) if np.ndim(x) else np.full_like(x, x, shape=len(f) - 1)
    h = h.reshape(-1, *(1,) * (f.ndim - 1))
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
