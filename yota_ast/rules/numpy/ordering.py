"""What sorts, and what picks by order: medians, quantiles, the different values."""

from __future__ import annotations

import numpy as np

from yota_ast.rules.inference.orders import (
    different,
    partitioned,
    quantile_fact,
    sorted_fact,
)
from yota_ast.rules.inference.shapes import reduction
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import (
    unlevel,
    unmedian,
    unpartition,
    unpicked,
    unquantile,
    unsort,
    untake,
    ununique,
)

# ---------------------------------------------------------------- sorted


@rule(zero=["axis"], fact=sorted_fact)
def sort(x, axis=-1, kind=None, order=None, *, stable=None, dy):
    """Ties share the weight evenly."""
    y = np.sort(x, axis, kind, order, stable=stable)
    dx = unsort(dy, x, axis=axis)


@rule(zero=["kth", "axis"], fact=partitioned)
def partition(x, kth, axis=-1, kind="introselect", order=None, *, dy):
    """Ties share the weight evenly."""
    y = np.partition(x, kth, axis, kind, order)
    dx = unpartition(dy, x, y, axis)


@rule(zero=["axis"])
def unique_with(
    x,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    *,
    equal_nan=True,
    sorted=True,
    dy,
):
    """Values that are alike share the weight evenly."""
    y = np.unique(
        x,
        return_index,
        return_inverse,
        return_counts,
        axis,
        equal_nan=equal_nan,
        sorted=sorted,
    )
    dx = ununique(dy[0], x, axis)


@rule(
    zero=["axis"],
    only={
        "return_index": (False,),
        "return_inverse": (False,),
        "return_counts": (False,),
    },
)
def unique(
    x,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    *,
    equal_nan=True,
    dy,
):
    """Values that are alike share the weight evenly."""
    y = np.unique(
        x, return_index, return_inverse, return_counts, axis, equal_nan=equal_nan
    )
    dx = ununique(dy, x, axis)


@rule(zero=["ar2"], only={"assume_unique": (False,)}, fact=different)
def setdiff1d(x, ar2, assume_unique=False, *, dy):
    """Values that are alike share the weight evenly."""
    y = np.setdiff1d(x, ar2, assume_unique)
    places = np.flatnonzero(np.isin(np.unique(x), ar2, invert=True))
    dx = ununique(untake(dy, np.unique(x), places), x)


# ---------------------------------------------------------------- the middle


@rule(only={"overwrite_input": (False,)}, fact=reduction(np.median))
def median(x, axis=None, *, overwrite_input=False, keepdims=False, dy):
    """Ties share the weight evenly."""
    y = np.median(x, axis, overwrite_input=overwrite_input, keepdims=keepdims)
    dx = unmedian(dy, x, y, axis=axis, keepdims=keepdims)


@rule(only={"overwrite_input": (False,)}, fact=reduction(np.nanmedian))
def nanmedian(x, axis=None, *, overwrite_input=False, keepdims=False, dy):
    """Ties share the weight evenly."""
    y = np.nanmedian(x, axis, overwrite_input=overwrite_input, keepdims=keepdims)
    dx = unmedian(dy, x, y, axis=axis, keepdims=keepdims) * ~np.isnan(x)


# ---------------------------------------------------------------- quantiles


@rule(zero=["q", "weights"], fact=quantile_fact(np.quantile))
def quantile_weighted(
    x, q, axis=None, *, method="linear", keepdims=False, weights=None, dy
):
    """The element that is met; ties share the weight evenly."""
    y = np.quantile(x, q, axis, method=method, keepdims=keepdims, weights=weights)
    dx = unpicked(dy, x, y, q, axis, keepdims)


@rule(only={"overwrite_input": (False,)}, fact=quantile_fact(np.quantile))
def quantile(
    x, q, axis=None, *, overwrite_input=False, method="linear", keepdims=False, dy
):
    """Ties share the weight evenly."""
    y = np.quantile(
        x,
        q,
        axis,
        overwrite_input=overwrite_input,
        method=method,
        keepdims=keepdims,
    )
    dx = unquantile(dy, x, q, axis=axis, method=method)
    dq = unlevel(dy, x, q, axis=axis, method=method)


@rule(only={"overwrite_input": (False,)}, fact=quantile_fact(np.nanquantile))
def nanquantile(
    x, q, axis=None, *, overwrite_input=False, method="linear", keepdims=False, dy
):
    """Ties share the weight evenly."""
    y = np.nanquantile(
        x,
        q,
        axis,
        overwrite_input=overwrite_input,
        method=method,
        keepdims=keepdims,
    )
    dx = unquantile(dy, x, q, axis=axis, method=method) * ~np.isnan(x)
    dq = unlevel(dy, x, q, axis=axis, method=method)


@rule(zero=["q", "weights"], fact=quantile_fact(np.percentile))
def percentile_weighted(
    x, q, axis=None, *, method="linear", keepdims=False, weights=None, dy
):
    """The element that is met; ties share the weight evenly."""
    y = np.percentile(x, q, axis, method=method, keepdims=keepdims, weights=weights)
    dx = unpicked(dy, x, y, q, axis, keepdims)


@rule(only={"overwrite_input": (False,)}, fact=quantile_fact(np.percentile))
def percentile(
    x, q, axis=None, *, overwrite_input=False, method="linear", keepdims=False, dy
):
    """Ties share the weight evenly."""
    y = np.percentile(
        x,
        q,
        axis,
        overwrite_input=overwrite_input,
        method=method,
        keepdims=keepdims,
    )
    dx = unquantile(dy, x, np.divide(q, 100), axis=axis, method=method)
    dq = unlevel(dy, x, np.divide(q, 100), axis=axis, method=method) / 100


@rule(only={"overwrite_input": (False,)}, fact=quantile_fact(np.nanpercentile))
def nanpercentile(
    x, q, axis=None, *, overwrite_input=False, method="linear", keepdims=False, dy
):
    """Ties share the weight evenly."""
    y = np.nanpercentile(
        x,
        q,
        axis,
        overwrite_input=overwrite_input,
        method=method,
        keepdims=keepdims,
    )
    dx = unquantile(dy, x, np.divide(q, 100), axis=axis, method=method) * ~np.isnan(x)
    dq = unlevel(dy, x, np.divide(q, 100), axis=axis, method=method) / 100
