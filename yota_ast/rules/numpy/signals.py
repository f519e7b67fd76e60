"""Interpolation, differences, slopes of samples and convolutions."""

from __future__ import annotations

import numpy as np

from yota_ast.rules.inference.joins import (
    differences_after,
    differences_before,
    differences_between,
)
from yota_ast.rules.inference.samples import (
    convolved,
    gradient_fact,
    interpolated,
    running_fact,
)
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import (
    interp_slope,
    real_like,
    unconvolve_left,
    unconvolve_right,
    uncorrelate_left,
    uncorrelate_right,
    uncumprod,
    uncumsum,
    undiff_between,
    unediff1d,
    ungradient,
    ungradient_spacing,
    uninterp_knots,
    uninterp_values,
    without_first,
)

# ---------------------------------------------------------------- interpolation


@rule(refused={"period": "what it folds moves with it"}, fact=interpolated)
def interp(x, xp, fp, left=None, right=None, period=None, *, dy):
    """At a knot the slope is the mean of those on its sides."""
    y = np.interp(x, xp, fp, left, right, period)
    dx = dy * interp_slope(x, xp, fp, period=period)
    dxp = uninterp_knots(dy, x, xp, fp, period=period)
    dfp = uninterp_values(dy, x, xp, left=left, right=right, period=period)
    dleft = np.sum(np.where(x < np.min(xp), dy, 0))
    dright = np.sum(np.where(x > np.max(xp), dy, 0))


# ---------------------------------------------------------------- differences


@rule(zero=["n", "axis"], fact=differences_between)
def diff_between(x, n=1, axis=-1, *, prepend, append, dy):
    y = np.diff(x, n, axis, prepend=prepend, append=append)
    parts = undiff_between(dy, x, n, axis, prepend, append)
    dx = parts[0]
    dprepend = parts[1]
    dappend = parts[2]


@rule(zero=["n", "axis"], fact=differences_after)
def diff_after(x, n=1, axis=-1, *, prepend, dy):
    y = np.diff(x, n, axis, prepend=prepend)
    parts = undiff_between(dy, x, n, axis, prepend)
    dx = parts[0]
    dprepend = parts[1]


@rule(zero=["n", "axis"], fact=differences_before)
def diff_before(x, n=1, axis=-1, *, append, dy):
    y = np.diff(x, n, axis, append=append)
    parts = undiff_between(dy, x, n, axis, None, append)
    dx = parts[0]
    dappend = parts[2]


@rule
def ediff1d(x, to_end=None, to_begin=None, *, dy):
    y = np.ediff1d(x, to_end, to_begin)
    parts = unediff1d(dy, x, to_end, to_begin)
    dx = parts[0]
    dto_end = parts[1]
    dto_begin = parts[2]


@rule(zero=["edge_order"], sequences=["spacing"], fact=gradient_fact)
def gradient(f, *spacing, axis=None, edge_order=1, dy):
    y = np.gradient(f, *spacing, axis=axis, edge_order=edge_order)
    df = ungradient(dy, f, spacing, axis, edge_order)
    dspacing = ungradient_spacing(dy, f, spacing, axis, edge_order)


@rule(complex="written", fact=running_fact)
def cumulative_sum(x, *, axis=None, dtype=None, include_initial=False, dy):
    y = np.cumulative_sum(x, axis=axis, dtype=dtype, include_initial=include_initial)
    dx = uncumsum(without_first(dy, axis, include_initial), x, axis)


@rule(complex="holomorphic", fact=running_fact)
def cumulative_prod(x, *, axis=None, dtype=None, include_initial=False, dy):
    """Exact where there are zeros."""
    y = np.cumulative_prod(x, axis=axis, dtype=dtype, include_initial=include_initial)
    dx = uncumprod(without_first(dy, axis, include_initial), x, axis)


# ---------------------------------------------------------------- convolutions


@rule(linear=["u", "v"], complex="written", fact=convolved)
def convolve(u, v, mode="full", *, dy):
    y = np.convolve(u, v, mode)
    du = real_like(unconvolve_left(dy, u, v, mode=mode), u)
    dv = real_like(unconvolve_right(dy, u, v, mode=mode), v)


@rule(linear=["u"], complex="written", fact=convolved)
def correlate(u, v, mode="valid", *, dy):
    y = np.correlate(u, v, mode)
    du = real_like(uncorrelate_left(dy, u, v, mode=mode), u)
    dv = real_like(uncorrelate_right(dy, u, v, mode=mode), v)
