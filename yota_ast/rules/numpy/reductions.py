"""Sums, means, products, extremes and spreads over axes; running sums and products."""

from __future__ import annotations

import numpy as np

from yota_ast.ops.result_memory import of_order
from yota_ast.rules.inference.shapes import (
    averaged,
    cumulated,
    differences,
    reduction,
    trace_fact,
    trapezoid_fact,
)
from yota_ast.rules.notation.rule import rule, settings
from yota_ast.runtime import (
    average_shares,
    count,
    count_valid,
    deviations_valid,
    prod_of_others,
    unaverage,
    uncumprod,
    uncumsum,
    undiff,
    unmax,
    unsum,
    untrace,
    untrapezoid,
    unweight,
)

# ---------------------------------------------------------------- sums and means


@rule(linear=["x"], complex="written", fact=reduction(np.sum))
def sum(x, axis=None, *, keepdims=False, dy):
    y = np.sum(x, axis, keepdims=keepdims)
    dx = unsum(dy, x, axis=axis, keepdims=keepdims)


@rule(linear=["x"], complex="written", fact=reduction(np.mean))
def mean(x, axis=None, *, keepdims=False, dy):
    y = np.mean(x, axis, keepdims=keepdims)
    dx = unsum(dy / count(x, axis), x, axis=axis, keepdims=keepdims)


@rule(only={"returned": (True,)})
def average_and_weight(
    x, axis=None, weights=None, returned=False, *, keepdims=False, dy
):
    y = np.average(x, axis, weights, returned, keepdims=keepdims)
    parts = unaverage(dy, x, y, axis, weights, keepdims)
    dx = parts[0]
    dweights = parts[1]


@rule(fact=averaged)
def average(x, axis=None, weights=None, *, keepdims=False, dy):
    y = np.average(x, axis, weights, keepdims=keepdims)
    mean = np.average(x, axis, weights, keepdims=True)
    dmean = unsum(dy, x, axis=axis, keepdims=keepdims)
    shares = average_shares(x, axis, weights)
    dx = dmean * shares
    dweights = unweight(dmean * (x - mean), x, axis, weights)


@rule(complex="written", fact=reduction(np.nansum))
def nansum(x, axis=None, *, keepdims=False, dy):
    y = np.nansum(x, axis, keepdims=keepdims)
    dx = unsum(dy, x, axis=axis, keepdims=keepdims) * ~np.isnan(x)


@rule(complex="written", fact=reduction(np.nanmean))
def nanmean(x, axis=None, *, keepdims=False, dy):
    y = np.nanmean(x, axis, keepdims=keepdims)
    n = count_valid(x, axis=axis, keepdims=keepdims)
    dx = unsum(dy / n, x, axis=axis, keepdims=keepdims) * ~np.isnan(x)


# ---------------------------------------------------------------- products


@rule(complex="holomorphic", fact=reduction(np.prod))
def prod(x, axis=None, *, keepdims=False, dy):
    """Exact where there are zeros."""
    y = np.prod(x, axis, keepdims=keepdims)
    dx = unsum(dy, x, axis=axis, keepdims=keepdims) * prod_of_others(x, axis)


@rule(fact=reduction(np.nanprod))
def nanprod(x, axis=None, *, keepdims=False, dy):
    y = np.nanprod(x, axis, keepdims=keepdims)
    valid = ~np.isnan(x)
    others = prod_of_others(np.where(valid, x, 1), axis)
    dx = unsum(dy, x, axis=axis, keepdims=keepdims) * others * valid


# ---------------------------------------------------------------- extremes


@rule(also=[np.amax], fact=reduction(np.max))
def max(x, axis=None, *, keepdims=False, dy):
    """Ties share the weight evenly."""
    y = np.max(x, axis, keepdims=keepdims)
    dx = unmax(dy, x, y, axis=axis, keepdims=keepdims)


@rule(also=[np.amin], fact=reduction(np.min))
def min(x, axis=None, *, keepdims=False, dy):
    """Ties share the weight evenly."""
    y = np.min(x, axis, keepdims=keepdims)
    dx = unmax(dy, x, y, axis=axis, keepdims=keepdims)


@rule(fact=reduction(np.nanmax))
def nanmax(x, axis=None, *, keepdims=False, dy):
    y = np.nanmax(x, axis, keepdims=keepdims)
    dx = unmax(dy, x, y, axis=axis, keepdims=keepdims) * ~np.isnan(x)


@rule(fact=reduction(np.nanmin))
def nanmin(x, axis=None, *, keepdims=False, dy):
    y = np.nanmin(x, axis, keepdims=keepdims)
    dx = unmax(dy, x, y, axis=axis, keepdims=keepdims) * ~np.isnan(x)


@rule(fact=reduction(np.ptp))
def ptp(x, axis=None, *, keepdims=False, dy):
    y = np.ptp(x, axis, keepdims=keepdims)
    top = np.max(x, axis, keepdims=keepdims)
    low = np.min(x, axis, keepdims=keepdims)
    dtop = unmax(dy, x, top, axis=axis, keepdims=keepdims)
    dx = dtop - unmax(dy, x, low, axis=axis, keepdims=keepdims)


# ---------------------------------------------------------------- spreads


@rule(
    zero=["ddof"], refused=settings("ddof"), complex="written", fact=reduction(np.var)
)
def var(x, axis=None, *, ddof=0, keepdims=False, dy):
    y = np.var(x, axis, ddof=ddof, keepdims=keepdims)
    dsquares = unsum(dy / count(x, axis, ddof), x, axis=axis, keepdims=keepdims)
    dx = 2 * dsquares * (x - np.mean(x, axis, keepdims=True))


@rule(
    zero=["ddof"],
    refused=settings("ddof"),
    complex="written",
    fact=reduction(np.std),
    root="y",
    seminorm=True,
    square=np.var,
)
def std(x, axis=None, *, ddof=0, keepdims=False, dy):
    """Of a constant, where there is no slope, 0."""
    y = np.std(x, axis, ddof=ddof, keepdims=keepdims)
    dvar = dy / (count(x, axis, ddof) * (y + (y == 0)))
    dsquares = unsum(dvar, x, axis=axis, keepdims=keepdims)
    # Of equal numbers that their mean is not, by rounding, 0 all the same.
    deviations = x - np.mean(x, axis, keepdims=True)
    dx = dsquares * (deviations - np.mean(deviations, axis, keepdims=True))


@rule(zero=["ddof"], refused=settings("ddof"), fact=reduction(np.nanvar))
def nanvar(x, axis=None, *, ddof=0, keepdims=False, dy):
    y = np.nanvar(x, axis, ddof=ddof, keepdims=keepdims)
    n = np.maximum(count_valid(x, axis, keepdims) - ddof, 1)
    dsquares = unsum(dy / n, x, axis=axis, keepdims=keepdims)
    dx = 2 * dsquares * deviations_valid(x, axis) * ~np.isnan(x)


@rule(
    zero=["ddof"],
    refused=settings("ddof"),
    fact=reduction(np.nanstd),
    root="y",
    seminorm=True,
    square=np.nanvar,
)
def nanstd(x, axis=None, *, ddof=0, keepdims=False, dy):
    """Of a constant, where there is no slope, 0."""
    y = np.nanstd(x, axis, ddof=ddof, keepdims=keepdims)
    n = np.maximum(count_valid(x, axis, keepdims) - ddof, 1)
    dsquares = unsum(dy / (n * (y + (y == 0))), x, axis=axis, keepdims=keepdims)
    dx = dsquares * deviations_valid(x, axis) * ~np.isnan(x)


# ---------------------------------------------------------------- running totals


@rule(linear=["x"], complex="written", fact=cumulated(np.cumsum))
def cumsum(x, axis=None, *, dy):
    y = np.cumsum(x, axis)
    dx = uncumsum(dy, x, axis)


@rule(linear=["x"], complex="written", fact=cumulated(np.nancumsum))
def nancumsum(x, axis=None, *, dy):
    y = np.nancumsum(x, axis)
    dx = uncumsum(dy, x, axis) * ~np.isnan(x)


@rule(complex="holomorphic", fact=cumulated(np.cumprod))
def cumprod(x, axis=None, *, dy):
    """Exact where there are zeros."""
    y = np.cumprod(x, axis)
    dx = uncumprod(dy, x, axis)


@rule(fact=cumulated(np.nancumprod))
def nancumprod(x, axis=None, *, dy):
    y = np.nancumprod(x, axis)
    valid = ~np.isnan(x)
    dx = uncumprod(dy, np.where(valid, x, 1), axis) * valid


@rule(
    alias=of_order,
    linear=["x"],
    zero=["n", "axis"],
    complex="written",
    fact=differences,
)
def diff(x, n=1, axis=-1, *, dy):
    y = np.diff(x, n, axis)
    dx = undiff(dy, x, n, axis)


@rule(linear=["u"], zero=["axis"], fact=trapezoid_fact)
def trapezoid(u, x=None, h=1.0, axis=-1, *, dy):
    """H is NumPy's `dx`, the spacing where there is no `x`."""
    y = np.trapezoid(u, x, h, axis)
    parts = untrapezoid(dy, u, x, h, axis)
    du = parts[0]
    dx = parts[1]
    dh = parts[2]


@rule(
    linear=["x"],
    zero=["offset", "axis1", "axis2"],
    complex="written",
    fact=trace_fact,
)
def trace(x, offset=0, axis1=0, axis2=1, *, dy):
    y = np.trace(x, offset, axis1, axis2)
    dx = untrace(dy, x, offset, axis1, axis2)
