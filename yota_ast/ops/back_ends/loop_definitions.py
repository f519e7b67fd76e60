"""Functions in terms of others, of which explicit loops are made.

Each function here gives what that of its name gives, of real numbers and arrays. A back
end reads its source: assignments, and one expression that is returned. A choice by an
argument that is a literal is made when the loops are made. Arguments that the source
does not read have to have their defaults.

>>> norm(np.array([3.0, 4.0]))
np.float64(5.0)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from yota_ast.ops.registry import named, state

Array = Any
_NO: Any = False


def norm(
    x: Array,
    ord: Array = None,  # noqa: A002
    axis: Array = None,
    keepdims: Array = _NO,
) -> Array:
    """Return the Euclidean norm."""
    return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))


def var(
    a: Array, axis: Array = None, dtype: Array = None, out: Array = None,
    ddof: int = 0, keepdims: Array = _NO,
) -> Array:  # fmt: skip
    """Return the variance."""
    d = a - np.mean(a, axis=axis, keepdims=True)
    return (
        np.sum(d * d, axis=axis, keepdims=keepdims)
        / np.maximum(np.size(a, axis) - ddof, 0)
        if ddof
        else np.mean(d * d, axis=axis, keepdims=keepdims)
    )


def std(
    a: Array, axis: Array = None, dtype: Array = None, out: Array = None,
    ddof: int = 0, keepdims: Array = _NO,
) -> Array:  # fmt: skip
    """Return the standard deviation."""
    d = a - np.mean(a, axis=axis, keepdims=True)
    return np.sqrt(
        np.sum(d * d, axis=axis, keepdims=keepdims)
        / np.maximum(np.size(a, axis) - ddof, 0)
        if ddof
        else np.mean(d * d, axis=axis, keepdims=keepdims)
    )


def trace(a: Array) -> Array:
    """Return the sum of the diagonal."""
    return np.sum(np.diag(a))


def clip(a: Array, a_min: Array = None, a_max: Array = None) -> Array:
    """Return what lies between two bounds."""
    least = a if a_min is None else np.maximum(a, a_min)
    return least if a_max is None else np.minimum(least, a_max)


def sinc(x: Array) -> Array:
    """Return `sin(pi x) / (pi x)`, 1 at 0."""
    return np.where(
        x == 0, 1.0, np.sin(math.pi * x) / (math.pi * np.where(x == 0, 1.0, x))
    )


def ptp(a: Array, axis: Array = None) -> Array:
    """Return the largest less the smallest."""
    return np.max(a, axis=axis) - np.min(a, axis=axis)


def count_nonzero(a: Array, axis: Array = None) -> Array:
    """Return how many are not 0."""
    return np.sum(a != 0, axis=axis)


def nansum(a: Array, axis: Array = None) -> Array:
    """Return the sum of what is not nan."""
    return np.sum(np.where(np.isnan(a), 0.0, a), axis=axis)


def fliplr(m: Array) -> Array:
    """Return the columns in reversed order."""
    return np.flip(m, 1)


def flipud(m: Array) -> Array:
    """Return the rows in reversed order."""
    return np.flip(m, 0)


def remainder(x1: Array, x2: Array) -> Array:
    """Return what a division leaves."""
    return x1 % x2


def floor_divide(x1: Array, x2: Array) -> Array:
    """Return the quotient, rounded down."""
    return x1 // x2


def heaviside(x1: Array, x2: Array) -> Array:
    """Return 0 below 0, 1 above, and a value at 0."""
    side = np.where(x1 > 0, 1.0, 0.0)
    return np.where(x1 == 0, x2, np.where(np.isnan(x1), x1, side))


def quotient_or_zero(d: Array, y: Array) -> Array:
    """Return `d / y`, 0 where `d` is 0."""
    return d / np.where(d == 0, 1.0, y)


def product_or_zero(d: Array, s: Array) -> Array:
    """Return `d * s`, 0 where `d` is 0."""
    return d * np.where(d == 0, 0.0, s)


def power_slope(u: Array, v: Array) -> Array:
    """Return the slope of `u ** v` in `u`: 0 where `v` is 0."""
    return v * u ** np.where(v == 0, 0.0, v - 1.0)


def unpower(d: Array, u: Array, v: Array) -> Array:
    """Return `d` times the slope of `u ** v` in `u`."""
    return d * v * u ** np.where(v == 0, 0.0, v - 1.0)


def log_or_zero(u: Array) -> Array:
    """Return `log(u)`, 0 where `u` is 0, nan where it is negative."""
    return np.where(u < 0, math.nan, np.log(np.where(u > 0, u, 1.0)))


def restored(y: Array, axis: Array = None, keepdims: Array = _NO) -> Array:
    """Return the result of a reduction with the reduced axes back."""
    return y if axis is None or keepdims else np.expand_dims(y, axis)


def ties(x: Array, y: Array, axis: Array = None, keepdims: Array = _NO) -> Array:
    """Return where `x` is its extreme `y`, nan included."""
    best = y if axis is None or keepdims else np.expand_dims(y, axis)
    return (x == best) | (np.isnan(x) & np.isnan(best))


def unmax(
    dy: Array, x: Array, y: Array, axis: Array = None, keepdims: Array = _NO
) -> Array:
    """Return the adjoint of an extreme: ties share evenly."""
    best = y if axis is None or keepdims else np.expand_dims(y, axis)
    d = dy if axis is None or keepdims else np.expand_dims(dy, axis)
    hit = np.where((x == best) | (np.isnan(x) & np.isnan(best)), 1.0, 0.0)
    n = np.sum(hit, axis=axis, keepdims=True)
    return np.where(hit != 0, d / np.maximum(n, 1.0), 0.0)


def expit(x: Array) -> Array:
    """Return the logistic function."""
    return 1.0 / (1.0 + np.exp(-x))


def logsumexp(a: Array, axis: Array = None, keepdims: Array = _NO) -> Array:
    """Return the logarithm of a sum of exponentials."""
    m = np.max(a, axis=axis, keepdims=True)
    total = np.sum(np.exp(a - m), axis=axis, keepdims=keepdims)
    return np.log(total) + (m if keepdims else np.squeeze(m, axis))


def softmax(x: Array, axis: Array = None) -> Array:
    """Return exponentials, which add up to 1."""
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


for _made, _module in (
    (norm, "numpy.linalg"), (var, "numpy"), (std, "numpy"), (trace, "numpy"),
    (ptp, "numpy"), (count_nonzero, "numpy"), (nansum, "numpy"), (fliplr, "numpy"),
    (flipud, "numpy"), (remainder, "numpy"), (floor_divide, "numpy"),
    (heaviside, "numpy"), (clip, "numpy"), (sinc, "numpy"),
    (quotient_or_zero, "runtime"),
    (product_or_zero, "runtime"), (power_slope, "runtime"), (unpower, "runtime"),
    (log_or_zero, "runtime"), (restored, "runtime"), (ties, "runtime"),
    (unmax, "runtime"), (expit, "scipy.special"), (logsumexp, "scipy.special"),
    (softmax, "scipy.special"),
):  # fmt: skip
    state(*named(_module, _made.__name__), loop_definition=_made)
