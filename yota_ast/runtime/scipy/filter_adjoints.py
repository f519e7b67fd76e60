"""Convolutions and filters of `scipy.signal` undone.

Helpers of generated text like those beside them, but on SciPy: this module is imported
with the chapter of rules that uses it, and by nothing before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import signal

Array = Any


def in_full(dy: Array, u: Array, v: Array, mode: str, later: int = 0) -> Array:
    """The result of `convolve(u, v, mode)` where it stands in that of mode "full".

    later: 1 where the middle of an even number is the later one of two.
    """
    if mode == "full":
        return dy
    sizes = list(zip(np.shape(u), np.shape(v), np.shape(dy), strict=True))
    starts = [
        (n + m - 1 - k + later) // 2 if mode == "same" else min(n, m) - 1
        for n, m, k in sizes
    ]
    full = np.zeros([n + m - 1 for n, m, _ in sizes], dy.dtype)
    full[tuple(slice(s, s + k) for s, (_, _, k) in zip(starts, sizes, strict=True))] = (
        dy
    )
    return full


def unconvolve_arrays_left(dy: Array, u: Array, v: Array, mode: str) -> Array:
    """The adjoint of `u` in `convolve(u, v, mode)`."""
    if np.size(u) == 0 or np.size(v) == 0:
        return np.zeros_like(u)
    return signal.correlate(in_full(dy, u, v, mode), v, "valid")


def unconvolve_arrays_right(dy: Array, u: Array, v: Array, mode: str) -> Array:
    """The adjoint of `v` in `convolve(u, v, mode)`."""
    if np.size(u) == 0 or np.size(v) == 0:
        return np.zeros_like(v)
    return signal.correlate(in_full(dy, u, v, mode), u, "valid")


def uncorrelate_arrays_left(
    dy: Array, u: Array, v: Array, mode: str, later: int = 0
) -> Array:
    """The adjoint of `u` in `correlate(u, v, mode)`."""
    if np.size(u) == 0 or np.size(v) == 0:
        return np.zeros_like(u)
    return signal.convolve(in_full(dy, u, v, mode, later), v, "valid")


def uncorrelate_arrays_right(
    dy: Array, u: Array, v: Array, mode: str, later: int = 0
) -> Array:
    """The adjoint of `v` in `correlate(u, v, mode)`."""
    if np.size(u) == 0 or np.size(v) == 0:
        return np.zeros_like(v)
    return np.flip(signal.correlate(in_full(dy, u, v, mode, later), u, "valid"))


def unlfilter(dy: Array, b: Array, a: Array, x: Array, y: Array, axis: int = -1) -> Any:
    """The adjoints of `b`, `a` and `x` in `y = lfilter(b, a, x, axis)`."""
    if np.size(x) == 0:
        return 0.0 * b, 0.0 * a, np.zeros_like(x)
    one = np.ones(1, dy.dtype)
    w = np.flip(signal.lfilter(one, a, np.flip(dy, axis), axis), axis)
    dx = np.flip(signal.lfilter(b, one, np.flip(w, axis), axis), axis)
    z, p, q = (
        np.moveaxis(w, axis, -1),
        np.moveaxis(x, axis, -1),
        np.moveaxis(y, axis, -1),
    )
    n = z.shape[-1]
    db, da = (
        np.array([np.sum(z[..., k:] * s[..., : max(n - k, 0)]) for k in range(size)])
        for s, size in ((p, np.size(b)), (q, np.size(a)))
    )
    return np.reshape(db, np.shape(b)), np.reshape(-da, np.shape(a)), dx


def unlinear(dy: Array, matrix: Array, axis: int = -1) -> Array:
    """The adjoint of what multiplies by a matrix along an axis."""
    return np.moveaxis(np.moveaxis(dy, axis, -1) @ matrix.astype(dy.dtype), -1, axis)


def unfiltfilt(
    dy: Array, b: Array, a: Array, axis: int = -1, padtype: Any = "odd",
    padlen: int | None = None,
) -> Array:  # fmt: skip
    """The adjoint of `x` in `filtfilt(b, a, x, axis, padtype, padlen)`."""
    edge = edge_of(padtype, padlen, max(np.size(a), np.size(b)))
    still = np.zeros(dy.shape[axis] + 2 * edge)
    start = signal.lfilter(b, a, still, zi=signal.lfilter_zi(b, a))[0]
    return un_both_ways(
        dy, lambda d: signal.lfilter(b, a, d), start, axis, edge, padtype
    )


def unsosfiltfilt(
    dy: Array, sos: Array, axis: int = -1, padtype: Any = "odd",
    padlen: int | None = None,
) -> Array:  # fmt: skip
    """The adjoint of `x` in `sosfiltfilt(sos, x, axis, padtype, padlen)`."""
    sos = np.asarray(sos)
    less = min(np.sum(sos[:, 2] == 0), np.sum(sos[:, 5] == 0))
    edge = edge_of(padtype, padlen, 2 * len(sos) + 1 - int(less))
    still = np.zeros(dy.shape[axis] + 2 * edge)
    start = signal.sosfilt(sos, still, zi=signal.sosfilt_zi(sos))[0]
    return un_both_ways(
        dy, lambda d: signal.sosfilt(sos, d), start, axis, edge, padtype
    )


def un_both_ways(
    dy: Array, run: Callable[[Array], Array], start: Array, axis: int, edge: int,
    padtype: Any,
) -> Array:  # fmt: skip
    """The adjoint of a signal that a filter runs through and back, each time from the
    state that the first sample would keep: `start` is what comes of that alone."""
    d = with_edges(np.moveaxis(dy, axis, -1), edge)
    for _ in range(2):
        first = np.flip(d, -1) @ start
        d = np.flip(run(d), -1)
        d[..., 0] += first
    return np.moveaxis(without_edges(d, edge, padtype), -1, axis)


def edge_of(padtype: Any, padlen: int | None, taps: int) -> int:
    """By how many samples a filter that runs both ways extends a signal at each end."""
    if padtype is None:
        return 0
    return 3 * taps if padlen is None else int(padlen)


def with_edges(d: Array, edge: int) -> Array:
    """Zeros before and after the last axis."""
    return np.pad(d, [(0, 0)] * (d.ndim - 1) + [(edge, edge)])


def without_edges(d: Array, edge: int, padtype: Any) -> Array:
    """The adjoint of a signal that is extended along its last axis, odd, even or by the
    values at its ends."""
    n = d.shape[-1] - edge
    dx = d[..., edge:n].copy()
    if edge == 0:
        return dx
    before, after = np.flip(d[..., :edge], -1), np.flip(d[..., n:], -1)
    if padtype != "constant":
        sign = -1 if padtype == "odd" else 1
        dx[..., 1 : edge + 1] += sign * before
        dx[..., -edge - 1 : -1] += sign * after
    ends = {"odd": 2, "even": 0, "constant": 1}[padtype]
    dx[..., 0] += ends * np.sum(before, -1)
    dx[..., -1] += ends * np.sum(after, -1)
    return dx


def unchirp(dy: Array, t: Array, f0: Any, t1: Any, f1: Any, phi: Any) -> Any:
    """The adjoints of t, f0, t1, f1, phi in `y = chirp(t, f0, t1, f1, phi=phi)`, which
    is `cos(2 * pi * (f0 * t + slope * t**2 / 2))` moved by `phi` degrees."""
    slope = (f1 - f0) / t1
    turns = f0 * t + slope / 2 * t * t + phi / 360
    d = -2 * np.pi * dy * np.sin(2 * np.pi * turns)
    square = np.sum(d * t * t) / (2 * t1)
    dt = d * (f0 + slope * t)
    return dt, np.sum(d * t) - square, -slope * square, square, np.sum(d) / 360


def waves_back(turns: Array, c: Array) -> Array:
    """`exp(1j * t * k)` of each angle t and of the place k of each coefficient."""
    if np.ndim(c) > 1:
        raise ValueError("the gradient of freqz needs coefficients along one axis")
    return np.exp(1j * np.outer(turns, np.arange(np.size(c), dtype=turns.dtype)))
