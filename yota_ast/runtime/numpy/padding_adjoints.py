"""Padding in every mode undone, an axis at a time from the last to the first."""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.runtime.numpy.broadcast_adjoints import unbroadcast
from yota_ast.runtime.numpy.reduction_adjoints import unmax
from yota_ast.runtime.numpy.sorting_adjoints import unmedian

Array = Any


def pad_widths(x: Array, pad_width: Any) -> list[Any]:
    """How much `pad` adds before and after, for each axis of `x`."""
    rank = np.ndim(x)
    if isinstance(pad_width, dict):
        pairs: Any = [pad_width.get(k, pad_width.get(k - rank, 0)) for k in range(rank)]
    else:
        rows = list(pad_width) if np.ndim(pad_width) == 2 else [pad_width]
        pairs = rows * rank if len(rows) == 1 else rows
    return [
        (int(w), int(w)) if np.ndim(w) == 0 else (int(w[0]), int(w[-1])) for w in pairs
    ]


def unpad(dy: Array, x: Array, pad_width: Any) -> Array:
    """The adjoint of `x` in `pad(x, pad_width)`: what lies inside."""
    widths = pad_widths(x, pad_width)
    return dy[tuple(slice(b, b + n) for (b, _), n in zip(widths, np.shape(x)))]


def sides(dy: Array, x: Array, pad_width: Any) -> Array:
    """The sums of `dy` over what was put before and after, by axis.

    Corners belong to the last axis.
    """
    widths = pad_widths(x, pad_width)
    sums = np.zeros_like(dy, shape=(len(widths), 2))
    for k in range(len(widths) - 1, -1, -1):
        d = np.moveaxis(dy, k, 0)
        before, after = widths[k]
        sums[k] = np.sum(d[:before]), np.sum(d[len(d) - after :])
        dy = np.moveaxis(d[before : len(d) - after], 0, k)
    return sums


def unpad_value(dy: Array, x: Array, pad_width: Any, value: Any) -> Any:
    """The adjoint of the constant values of `pad`."""
    return unbroadcast(sides(dy, x, pad_width), value)


def pad_picked(x: Array, pad_width: Any, mode: Any, odd: Any) -> Array:
    """`pad`, with `reflect_type` in the modes that have it."""
    if mode in ("reflect", "symmetric"):
        return np.pad(x, pad_width, mode, reflect_type=odd)
    return np.pad(x, pad_width, mode)


def unpad_picked(dy: Array, x: Array, pad_width: Any, mode: Any, odd: Any) -> Array:
    """The adjoint of `x` where `pad` repeats its elements."""
    for k, width in enumerate(pad_widths(x, pad_width)):
        n, d = np.shape(x)[k], np.moveaxis(dy, k, 0)
        if odd == "odd":  # twice the end less what is mirrored
            each = np.pad(
                np.eye(n, dtype=d.dtype, like=d),
                (width, (0, 0)),
                mode,
                reflect_type=odd,
            )
            d = np.tensordot(each, d, (0, 0))
        else:
            source: Array = np.pad(np.arange(n, like=d), width, mode)
            outside = [*range(width[0]), *range(width[0] + n, len(d))]
            added = np.array(outside, dtype=int, like=d)
            rest, d = d[added], d[width[0] : width[0] + n].copy()
            np.add.at(d, source[added], rest)
        dy = np.moveaxis(d, 0, k)
    return dy


def ramp(n: int, d: Array) -> Array:
    """The shares of the end value in the elements of a linear ramp, with d's dtype."""
    return (1 - np.arange(n, like=d) / max(n, 1)).astype(d.dtype)


def unpad_ramp(dy: Array, x: Array, pad_width: Any, end: Any) -> Any:
    """The adjoints of `x` and of the end values of `pad` in mode `linear_ramp`."""
    widths = pad_widths(x, pad_width)
    ends = np.zeros_like(dy, shape=(len(widths), 2))
    for k in range(len(widths) - 1, -1, -1):
        d = np.moveaxis(dy, k, 0)
        before, after = widths[k]
        inner, last = np.copy(d[before : len(d) - after]), d[len(d) - after :]
        up, down = ramp(before, d), ramp(after, d)[::-1]
        ends[k] = (
            np.sum(np.tensordot(up, d[:before], 1)),
            np.sum(np.tensordot(down, last, 1)),
        )
        inner[0] += np.tensordot(1 - up, d[:before], 1)
        inner[-1] += np.tensordot(1 - down, last, 1)
        dy = np.moveaxis(inner, 0, k)
    return dy, unbroadcast(ends, end)


def unpad_statistic(
    dy: Array, x: Array, pad_width: Any, mode: Any, stat_length: Any = None
) -> Array:
    """The adjoint of `x` where `pad` puts means, medians or extremes of its ends."""
    widths = pad_widths(x, pad_width)
    rank = len(widths)
    lengths: Any = [(None, None)] * rank
    if stat_length is not None:
        lengths = [(int(b), int(a)) for b, a in np.broadcast_to(stat_length, (rank, 2))]
    for k in range(rank - 1, -1, -1):
        so_far = [w if i < k else (0, 0) for i, w in enumerate(widths)]
        z = np.pad(x, so_far, mode, stat_length=stat_length) if k else x
        z, d = np.moveaxis(z, k, 0), np.moveaxis(dy, k, 0)
        before, after = widths[k]
        inner = np.copy(d[before : len(d) - after])
        first, last = np.sum(d[:before], axis=0), np.sum(d[len(d) - after :], axis=0)
        n = len(z)
        low = n if lengths[k][0] is None else min(lengths[k][0], n)
        high = n if lengths[k][1] is None else min(lengths[k][1], n)
        inner[:low] += unstatistic(first, z[:low], mode)
        inner[n - high :] += unstatistic(last, z[n - high :], mode)
        dy = np.moveaxis(inner, 0, k)
    return dy


def unstatistic(d: Array, x: Array, mode: str) -> Array:
    """The adjoint of `x` in a statistic of it over the first axis."""
    if mode == "mean":
        return d / len(x)
    if mode == "median":
        return unmedian(d, x, np.median(x, axis=0), 0)
    y = np.max(x, axis=0) if mode == "maximum" else np.min(x, axis=0)
    return unmax(d, x, y, 0)
