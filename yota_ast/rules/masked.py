"""Reductions with `where`, `initial`, `dtype` or a given mean; methods of ufuncs.

The rules of the plain calls stand in `reductions`.
"""

from __future__ import annotations

import numpy as np

from ..runtime import (
    count_where,
    signs,
    uncumprod,
    uncumsum,
    unfollow,
    unlogaddexp_accumulate,
    unmax_where,
    unprod_where,
    unreduceat,
    unsum,
    unsum_where,
    unvar_where,
    without_dtype,
)
from .inference.masks import accumulated, masked, same_rank, typed_running
from .rule import rule

# ---------------------------------------------------------------- sums and means


@rule(complex="written", fact=masked(np.sum))
def sum(x, axis=None, dtype=None, *, keepdims=False, initial=0, where=True, dy):
    y = np.sum(x, axis, dtype, keepdims=keepdims, initial=initial, where=where)
    dx = unsum_where(dy, x, axis, keepdims, where, dtype)
    dinitial = np.sum(dy)


@rule(complex="written", fact=masked(np.mean))
def mean(x, axis=None, dtype=None, *, keepdims=False, where=True, dy):
    y = np.mean(x, axis, dtype, keepdims=keepdims, where=where)
    n = count_where(where, x, axis, keepdims)
    dx = unsum_where(dy / n, x, axis, keepdims, where, dtype)


@rule(complex="written", fact=masked(np.nansum))
def nansum(x, axis=None, dtype=None, *, keepdims=False, initial=0, where=True, dy):
    y = np.nansum(x, axis, dtype, keepdims=keepdims, initial=initial, where=where)
    dx = unsum_where(dy, x, axis, keepdims, np.logical_and(where, ~np.isnan(x)), dtype)
    dinitial = np.sum(dy)


@rule(complex="written", fact=masked(np.nanmean))
def nanmean(x, axis=None, dtype=None, *, keepdims=False, where=True, dy):
    y = np.nanmean(x, axis, dtype, keepdims=keepdims, where=where)
    n = count_where(np.logical_and(where, ~np.isnan(x)), x, axis, keepdims)
    dx = unsum_where(
        dy / n, x, axis, keepdims, np.logical_and(where, ~np.isnan(x)), dtype
    )


# ---------------------------------------------------------------- spreads


@rule(zero=["ddof", "correction"], fact=masked(np.var))
def var(
    x,
    axis=None,
    dtype=None,
    *,
    ddof=0,
    keepdims=False,
    where=True,
    mean=None,
    correction=0,
    dy,
):
    y = np.var(
        x,
        axis,
        dtype,
        ddof=ddof,
        keepdims=keepdims,
        where=where,
        mean=mean,
        correction=correction,
    )
    d = without_dtype(dy, dtype)
    parts = unvar_where(d, x, axis, ddof + correction, keepdims, where, mean)
    dx = parts[0]
    dmean = parts[1]


@rule(zero=["ddof", "correction"], fact=masked(np.std))
def std(
    x,
    axis=None,
    dtype=None,
    *,
    ddof=0,
    keepdims=False,
    where=True,
    mean=None,
    correction=0,
    dy,
):
    """Of a constant, where there is no slope, 0."""
    y = np.std(
        x,
        axis,
        dtype,
        ddof=ddof,
        keepdims=keepdims,
        where=where,
        mean=mean,
        correction=correction,
    )
    d = without_dtype(dy / (2 * (y + (y == 0))), dtype)
    parts = unvar_where(d, x, axis, ddof + correction, keepdims, where, mean)
    dx = parts[0]
    dmean = parts[1]


@rule(zero=["ddof", "correction"], fact=masked(np.nanvar))
def nanvar(
    x,
    axis=None,
    dtype=None,
    *,
    ddof=0,
    keepdims=False,
    where=True,
    mean=None,
    correction=0,
    dy,
):
    y = np.nanvar(
        x,
        axis,
        dtype,
        ddof=ddof,
        keepdims=keepdims,
        where=where,
        mean=mean,
        correction=correction,
    )
    d = without_dtype(dy, dtype)
    parts = unvar_where(
        d,
        x,
        axis,
        ddof + correction,
        keepdims,
        np.logical_and(where, ~np.isnan(x)),
        mean,
    )
    dx = parts[0]
    dmean = parts[1]


@rule(zero=["ddof", "correction"], fact=masked(np.nanstd))
def nanstd(
    x,
    axis=None,
    dtype=None,
    *,
    ddof=0,
    keepdims=False,
    where=True,
    mean=None,
    correction=0,
    dy,
):
    """Of a constant, where there is no slope, 0."""
    y = np.nanstd(
        x,
        axis,
        dtype,
        ddof=ddof,
        keepdims=keepdims,
        where=where,
        mean=mean,
        correction=correction,
    )
    d = without_dtype(dy / (2 * (y + (y == 0))), dtype)
    parts = unvar_where(
        d,
        x,
        axis,
        ddof + correction,
        keepdims,
        np.logical_and(where, ~np.isnan(x)),
        mean,
    )
    dx = parts[0]
    dmean = parts[1]


# ---------------------------------------------------------------- products, extremes


@rule(fact=masked(np.prod))
def prod(x, axis=None, dtype=None, *, keepdims=False, initial=1, where=True, dy):
    """Exact where there are zeros."""
    y = np.prod(x, axis, dtype, keepdims=keepdims, initial=initial, where=where)
    d = without_dtype(dy, dtype)
    parts = unprod_where(d, x, axis, keepdims, initial, where)
    dx = parts[0]
    dinitial = parts[1]


@rule(also=[np.amax], fact=masked(np.max))
def max(x, axis=None, *, keepdims=False, initial=None, where=True, dy):
    """Ties share the weight evenly, with `initial` too."""
    y = np.max(x, axis, keepdims=keepdims, initial=initial, where=where)
    parts = unmax_where(dy, x, y, axis, keepdims, initial, where)
    dx = parts[0]
    dinitial = parts[1]


@rule(also=[np.amin], fact=masked(np.min))
def min(x, axis=None, *, keepdims=False, initial=None, where=True, dy):
    """Ties share the weight evenly, with `initial` too."""
    y = np.min(x, axis, keepdims=keepdims, initial=initial, where=where)
    parts = unmax_where(dy, x, y, axis, keepdims, initial, where)
    dx = parts[0]
    dinitial = parts[1]


@rule(fact=masked(np.nanprod))
def nanprod(x, axis=None, dtype=None, *, keepdims=False, initial=1, where=True, dy):
    """Exact where there are zeros."""
    y = np.nanprod(x, axis, dtype, keepdims=keepdims, initial=initial, where=where)
    d = without_dtype(dy, dtype)
    parts = unprod_where(
        d, x, axis, keepdims, initial, np.logical_and(where, ~np.isnan(x))
    )
    dx = parts[0]
    dinitial = parts[1]


@rule(fact=masked(np.nanmax))
def nanmax(x, axis=None, *, keepdims=False, initial=None, where=True, dy):
    """Ties share the weight evenly, with `initial` too."""
    y = np.nanmax(x, axis, keepdims=keepdims, initial=initial, where=where)
    parts = unmax_where(dy, x, y, axis, keepdims, initial, where)
    dx = parts[0]
    dinitial = parts[1]


@rule(fact=masked(np.nanmin))
def nanmin(x, axis=None, *, keepdims=False, initial=None, where=True, dy):
    """Ties share the weight evenly, with `initial` too."""
    y = np.nanmin(x, axis, keepdims=keepdims, initial=initial, where=where)
    parts = unmax_where(dy, x, y, axis, keepdims, initial, where)
    dx = parts[0]
    dinitial = parts[1]


# ---------------------------------------------------------------- running totals


@rule(fact=typed_running)
def cumsum(x, axis=None, dtype=None, *, dy):
    y = np.cumsum(x, axis, dtype)
    dx = uncumsum(without_dtype(dy, dtype), x, axis)


@rule(fact=typed_running)
def cumprod(x, axis=None, dtype=None, *, dy):
    y = np.cumprod(x, axis, dtype)
    dx = uncumprod(without_dtype(dy, dtype), x, axis)


@rule(fact=typed_running)
def nancumsum(x, axis=None, dtype=None, *, dy):
    y = np.nancumsum(x, axis, dtype)
    dx = uncumsum(without_dtype(dy, dtype), x, axis) * ~np.isnan(x)


@rule(fact=typed_running)
def nancumprod(x, axis=None, dtype=None, *, dy):
    y = np.nancumprod(x, axis, dtype)
    dx = uncumprod(
        without_dtype(dy, dtype), np.where(np.isnan(x), 1, x), axis
    ) * ~np.isnan(x)


# ---------------------------------------------------------------- ufunc.reduce


@rule(zero=["axis"], complex="written", fact=masked(np.sum))
def add_reduce(x, axis=0, dtype=None, *, keepdims=False, initial=0, where=True, dy):
    y = np.add.reduce(x, axis, dtype, keepdims=keepdims, initial=initial, where=where)
    dx = unsum_where(dy, x, axis, keepdims, where, dtype)
    dinitial = np.sum(dy)


@rule(zero=["axis"], fact=masked(np.prod))
def multiply_reduce(
    x, axis=0, dtype=None, *, keepdims=False, initial=1, where=True, dy
):
    """Exact where there are zeros."""
    y = np.multiply.reduce(
        x, axis, dtype, keepdims=keepdims, initial=initial, where=where
    )
    parts = unprod_where(without_dtype(dy, dtype), x, axis, keepdims, initial, where)
    dx = parts[0]
    dinitial = parts[1]


@rule(zero=["axis"], fact=masked(np.max))
def maximum_reduce(x, axis=0, *, keepdims=False, initial=None, where=True, dy):
    """Ties share the weight evenly, with `initial` too."""
    y = np.maximum.reduce(x, axis, keepdims=keepdims, initial=initial, where=where)
    parts = unmax_where(dy, x, y, axis, keepdims, initial, where)
    dx = parts[0]
    dinitial = parts[1]


@rule(zero=["axis"], fact=masked(np.min))
def minimum_reduce(x, axis=0, *, keepdims=False, initial=None, where=True, dy):
    """Ties share the weight evenly, with `initial` too."""
    y = np.minimum.reduce(x, axis, keepdims=keepdims, initial=initial, where=where)
    parts = unmax_where(dy, x, y, axis, keepdims, initial, where)
    dx = parts[0]
    dinitial = parts[1]


@rule(zero=["axis"], fact=masked(np.nanmax))
def fmax_reduce(x, axis=0, *, keepdims=False, initial=None, where=True, dy):
    """Ties share the weight evenly, with `initial` too."""
    y = np.fmax.reduce(x, axis, keepdims=keepdims, initial=initial, where=where)
    parts = unmax_where(dy, x, y, axis, keepdims, initial, where)
    dx = parts[0]
    dinitial = parts[1]


@rule(zero=["axis"], fact=masked(np.nanmin))
def fmin_reduce(x, axis=0, *, keepdims=False, initial=None, where=True, dy):
    """Ties share the weight evenly, with `initial` too."""
    y = np.fmin.reduce(x, axis, keepdims=keepdims, initial=initial, where=where)
    parts = unmax_where(dy, x, y, axis, keepdims, initial, where)
    dx = parts[0]
    dinitial = parts[1]


@rule(zero=["axis"], fact=masked(np.max))
def logaddexp_reduce(x, axis=0, *, keepdims=False, dy):
    y = np.logaddexp.reduce(x, axis, keepdims=keepdims)
    top = unsum(y, x, axis=axis, keepdims=keepdims)
    dx = unsum(dy, x, axis=axis, keepdims=keepdims) * np.exp(x - top)


@rule(zero=["axis"], fact=masked(np.max))
def logaddexp2_reduce(x, axis=0, *, keepdims=False, dy):
    y = np.logaddexp2.reduce(x, axis, keepdims=keepdims)
    top = unsum(y, x, axis=axis, keepdims=keepdims)
    dx = unsum(dy, x, axis=axis, keepdims=keepdims) * np.exp2(x - top)


@rule(zero=["axis"], fact=masked(np.max))
def hypot_reduce(x, axis=0, *, keepdims=False, dy):
    """Where the norm is 0 and there is no slope, 0."""
    y = np.hypot.reduce(x, axis, keepdims=keepdims)
    dx = unsum(dy / (y + (y == 0)), x, axis=axis, keepdims=keepdims) * x


@rule(zero=["axis"], linear=["x"], fact=masked(np.max))
def subtract_reduce(x, axis=0, *, keepdims=False, dy):
    y = np.subtract.reduce(x, axis, keepdims=keepdims)
    dx = unsum(dy, x, axis=axis, keepdims=keepdims) * signs(x, axis)


@rule(zero=["axis"], fact=masked(np.max))
def divide_reduce(x, axis=0, *, keepdims=False, dy):
    y = np.divide.reduce(x, axis, keepdims=keepdims)
    dx = unsum(dy * y, x, axis=axis, keepdims=keepdims) * signs(x, axis) / x


# ---------------------------------------------------------------- ufunc.accumulate


@rule(zero=["axis"], linear=["x"], complex="written", fact=accumulated)
def add_accumulate(x, axis=0, *, dy):
    y = np.add.accumulate(x, axis)
    dx = uncumsum(dy, x, axis)


@rule(zero=["axis"], complex="holomorphic", fact=accumulated)
def multiply_accumulate(x, axis=0, *, dy):
    """Exact where there are zeros."""
    y = np.multiply.accumulate(x, axis)
    dx = uncumprod(dy, x, axis)


@rule(zero=["axis"], linear=["x"], fact=accumulated)
def subtract_accumulate(x, axis=0, *, dy):
    y = np.subtract.accumulate(x, axis)
    dx = uncumsum(dy, x, axis) * signs(x, axis)


@rule(zero=["axis"], fact=accumulated)
def logaddexp_accumulate(x, axis=0, *, dy):
    y = np.logaddexp.accumulate(x, axis)
    dx = unlogaddexp_accumulate(dy, x, y, axis)


@rule(zero=["axis"], fact=accumulated)
def maximum_accumulate(x, axis=0, *, dy):
    """Ties share the weight evenly."""
    y = np.maximum.accumulate(x, axis)
    dx = unfollow(dy, x, y, axis)


@rule(zero=["axis"], fact=accumulated)
def minimum_accumulate(x, axis=0, *, dy):
    """Ties share the weight evenly."""
    y = np.minimum.accumulate(x, axis)
    dx = unfollow(dy, x, y, axis)


@rule(zero=["axis"], fact=accumulated)
def fmax_accumulate(x, axis=0, *, dy):
    """Ties share the weight evenly."""
    y = np.fmax.accumulate(x, axis)
    dx = unfollow(dy, x, y, axis)


@rule(zero=["axis"], fact=accumulated)
def fmin_accumulate(x, axis=0, *, dy):
    """Ties share the weight evenly."""
    y = np.fmin.accumulate(x, axis)
    dx = unfollow(dy, x, y, axis)


# ---------------------------------------------------------------- ufunc.reduceat


@rule(zero=["indices", "axis"], fact=same_rank)
def add_reduceat(x, indices, axis=0, *, dy):
    y = np.add.reduceat(x, indices, axis)
    dx = unreduceat(dy, y, x, indices, axis, "sum")


@rule(zero=["indices", "axis"], fact=same_rank)
def multiply_reduceat(x, indices, axis=0, *, dy):
    y = np.multiply.reduceat(x, indices, axis)
    dx = unreduceat(dy, y, x, indices, axis, "prod")


@rule(zero=["indices", "axis"], fact=same_rank)
def maximum_reduceat(x, indices, axis=0, *, dy):
    y = np.maximum.reduceat(x, indices, axis)
    dx = unreduceat(dy, y, x, indices, axis, "max")


@rule(zero=["indices", "axis"], fact=same_rank)
def minimum_reduceat(x, indices, axis=0, *, dy):
    y = np.minimum.reduceat(x, indices, axis)
    dx = unreduceat(dy, y, x, indices, axis, "min")
