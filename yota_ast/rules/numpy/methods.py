"""The methods `reduce`, `accumulate` and `reduceat` of ufuncs."""

from __future__ import annotations

import numpy as np

from yota_ast.rules.inference.masks import accumulated, masked, same_rank
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import (
    held,
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
    without_dtype,
)

# ---------------------------------------------------------------- ufunc.reduce


@rule(zero=["axis"], complex="written", fact=masked(np.sum))
def add_reduce(x, axis=0, dtype=None, *, keepdims=False, initial=0, where=True, dy):
    y = np.add.reduce(x, axis, dtype, keepdims=keepdims, initial=initial, where=where)
    dx = unsum_where(dy, x, axis, keepdims, where, dtype)
    dinitial = held(np.sum(dy), y, initial)


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
    dinitial = held(parts[1], y, initial)


@rule(zero=["axis"], fact=masked(np.max))
def maximum_reduce(x, axis=0, *, keepdims=False, initial=None, where=True, dy):
    """Ties share the weight evenly, with `initial` too."""
    y = np.maximum.reduce(x, axis, keepdims=keepdims, initial=initial, where=where)
    parts = unmax_where(dy, x, y, axis, keepdims, initial, where)
    dx = parts[0]
    dinitial = held(parts[1], y, initial)


@rule(zero=["axis"], fact=masked(np.min))
def minimum_reduce(x, axis=0, *, keepdims=False, initial=None, where=True, dy):
    """Ties share the weight evenly, with `initial` too."""
    y = np.minimum.reduce(x, axis, keepdims=keepdims, initial=initial, where=where)
    parts = unmax_where(dy, x, y, axis, keepdims, initial, where)
    dx = parts[0]
    dinitial = held(parts[1], y, initial)


@rule(zero=["axis"], fact=masked(np.nanmax))
def fmax_reduce(x, axis=0, *, keepdims=False, initial=None, where=True, dy):
    """Ties share the weight evenly, with `initial` too."""
    y = np.fmax.reduce(x, axis, keepdims=keepdims, initial=initial, where=where)
    parts = unmax_where(dy, x, y, axis, keepdims, initial, where)
    dx = parts[0]
    dinitial = held(parts[1], y, initial)


@rule(zero=["axis"], fact=masked(np.nanmin))
def fmin_reduce(x, axis=0, *, keepdims=False, initial=None, where=True, dy):
    """Ties share the weight evenly, with `initial` too."""
    y = np.fmin.reduce(x, axis, keepdims=keepdims, initial=initial, where=where)
    parts = unmax_where(dy, x, y, axis, keepdims, initial, where)
    dx = parts[0]
    dinitial = held(parts[1], y, initial)


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
