"""Reductions with `where`, `initial`, `dtype` or a given mean.

The rules of the plain calls stand in `reductions`.
"""

from __future__ import annotations

import numpy as np

from yota_ast.rules.inference.masks import about_mean, masked, typed_running
from yota_ast.rules.notation.rule import rule, settings
from yota_ast.runtime import (
    count_where,
    held,
    uncumprod,
    uncumsum,
    unmax_where,
    unprod_where,
    unsum_where,
    unvar_where,
    without_dtype,
)

# ---------------------------------------------------------------- sums and means


@rule(complex="written", fact=masked(np.sum))
def sum(x, axis=None, dtype=None, *, keepdims=False, initial=0, where=True, dy):
    y = np.sum(x, axis, dtype, keepdims=keepdims, initial=initial, where=where)
    dx = unsum_where(dy, x, axis, keepdims, where, dtype)
    dinitial = held(np.sum(dy), y, initial)


@rule(complex="written", fact=masked(np.mean))
def mean(x, axis=None, dtype=None, *, keepdims=False, where=True, dy):
    y = np.mean(x, axis, dtype, keepdims=keepdims, where=where)
    n = count_where(where, x, axis, keepdims)
    dx = unsum_where(dy / n, x, axis, keepdims, where, dtype)


@rule(complex="written", fact=masked(np.nansum))
def nansum(x, axis=None, dtype=None, *, keepdims=False, initial=0, where=True, dy):
    y = np.nansum(x, axis, dtype, keepdims=keepdims, initial=initial, where=where)
    dx = unsum_where(dy, x, axis, keepdims, np.logical_and(where, ~np.isnan(x)), dtype)
    dinitial = held(np.sum(dy), y, initial)


@rule(complex="written", fact=masked(np.nanmean))
def nanmean(x, axis=None, dtype=None, *, keepdims=False, where=True, dy):
    y = np.nanmean(x, axis, dtype, keepdims=keepdims, where=where)
    n = count_where(np.logical_and(where, ~np.isnan(x)), x, axis, keepdims)
    dx = unsum_where(
        dy / n, x, axis, keepdims, np.logical_and(where, ~np.isnan(x)), dtype
    )


# ---------------------------------------------------------------- spreads


@rule(
    zero=["ddof", "correction"],
    refused=settings("ddof", "correction"),
    fact=about_mean(np.var),
)
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


@rule(
    zero=["ddof", "correction"],
    refused=settings("ddof", "correction"),
    fact=about_mean(np.std),
    root="y",
    seminorm=True,
    square=np.var,
)
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


@rule(
    zero=["ddof", "correction"],
    refused=settings("ddof", "correction"),
    fact=about_mean(np.nanvar),
)
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


@rule(
    zero=["ddof", "correction"],
    refused=settings("ddof", "correction"),
    fact=about_mean(np.nanstd),
    root="y",
    seminorm=True,
    square=np.nanvar,
)
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
    dinitial = held(parts[1], y, initial)


@rule(also=[np.amax], fact=masked(np.max))
def max(x, axis=None, *, keepdims=False, initial=None, where=True, dy):
    """Ties share the weight evenly, with `initial` too."""
    y = np.max(x, axis, keepdims=keepdims, initial=initial, where=where)
    parts = unmax_where(dy, x, y, axis, keepdims, initial, where)
    dx = parts[0]
    dinitial = held(parts[1], y, initial)


@rule(also=[np.amin], fact=masked(np.min))
def min(x, axis=None, *, keepdims=False, initial=None, where=True, dy):
    """Ties share the weight evenly, with `initial` too."""
    y = np.min(x, axis, keepdims=keepdims, initial=initial, where=where)
    parts = unmax_where(dy, x, y, axis, keepdims, initial, where)
    dx = parts[0]
    dinitial = held(parts[1], y, initial)


@rule(fact=masked(np.nanprod))
def nanprod(x, axis=None, dtype=None, *, keepdims=False, initial=1, where=True, dy):
    """Exact where there are zeros."""
    y = np.nanprod(x, axis, dtype, keepdims=keepdims, initial=initial, where=where)
    d = without_dtype(dy, dtype)
    parts = unprod_where(
        d, x, axis, keepdims, initial, np.logical_and(where, ~np.isnan(x))
    )
    dx = parts[0]
    dinitial = held(parts[1], y, initial)


@rule(fact=masked(np.nanmax))
def nanmax(x, axis=None, *, keepdims=False, initial=None, where=True, dy):
    """Ties share the weight evenly, with `initial` too."""
    y = np.nanmax(x, axis, keepdims=keepdims, initial=initial, where=where)
    parts = unmax_where(dy, x, y, axis, keepdims, initial, where)
    dx = parts[0]
    dinitial = held(parts[1], y, initial)


@rule(fact=masked(np.nanmin))
def nanmin(x, axis=None, *, keepdims=False, initial=None, where=True, dy):
    """Ties share the weight evenly, with `initial` too."""
    y = np.nanmin(x, axis, keepdims=keepdims, initial=initial, where=where)
    parts = unmax_where(dy, x, y, axis, keepdims, initial, where)
    dx = parts[0]
    dinitial = held(parts[1], y, initial)


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
