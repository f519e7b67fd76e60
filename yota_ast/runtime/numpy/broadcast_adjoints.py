"""Broadcasting undone: cotangents summed or repeated to the shape of a value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any
Axis = Any


def unbroadcast(d: Array, x: Array) -> Array:
    """`d` summed over the axes that broadcasting gave to `x`."""
    shape = np.shape(x)
    if np.shape(d) == shape:
        return d
    lead = np.ndim(d) - len(shape)
    if lead < 0:  # of float(x) of an array of one element; 0.0 for an array of zeros
        return np.full(shape, unbroadcast(d, np.empty(shape[-lead:])))
    axes = [k for k, n in enumerate(shape, lead) if n == 1 and d.shape[k] != 1]
    d = d.sum(axis=(*range(lead), *axes), keepdims=True)
    d = d.reshape(d.shape[lead:])
    if d.shape != shape:  # 0.0 / y, for an array of zeros
        d = np.full(shape, d)
    return d if hasattr(x, "dtype") else d.item()


def unsum(dy: Array, x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """`dy` repeated over the axes that a reduction of `x` took away."""
    return np.zeros_like(x) + restored(dy, axis, keepdims)


def restored(y: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """`y`, the result of a reduction, with the reduced axes back at length 1."""
    if axis is None or keepdims or np.ndim(y) == 0:
        return y
    return np.expand_dims(y, axis)


def expand(d: Array, x: Array) -> Array:
    """`d` repeated to the shape of `x`, in memory of its own."""
    return np.zeros_like(x) + d


def like(d: Array, x: Array) -> Array:
    """The gradient `d` with the shape, dtype and kind of `x`, in memory of its own."""
    if np.iscomplexobj(d) and not np.iscomplexobj(x):
        d = np.real(d)
    if isinstance(x, (list, tuple)):
        raise TypeError("a list in place of an array: give np.array(x)")
    if not hasattr(x, "dtype"):
        return float(d)
    dtype = x.dtype if x.dtype.kind in "fc" else np.dtype(float)
    d = np.broadcast_to(d, x.shape).astype(dtype)
    return d if isinstance(x, np.ndarray) else d[()]


def checked(d: Array, x: Array, rule: str) -> Array:
    """`d`, which a rule says is the adjoint of `x`, if it has the shape of `x`."""
    if np.shape(d) != np.shape(x):
        raise ValueError(f"{rule}: {np.shape(d)} instead of {np.shape(x)}")
    return d


def numbers(x: Any, ndim: int | None, kinds: str = "biuf") -> Array:
    """`x`, if it is an array or a number of `ndim` axes, of a dtype of these kinds."""
    plain = isinstance(x, (bool, int, float, complex, np.generic))
    if not plain and type(x) is not np.ndarray:
        raise ValueError(f"made for an array or a number, not a {type(x).__name__}")
    if ndim is not None and np.ndim(x) != ndim:
        raise ValueError(f"made for {ndim} axes, not {np.ndim(x)}")
    kind = np.asarray(x).dtype.kind
    if kind not in kinds:
        raise ValueError(f"made for dtypes of the kinds {kinds!r}, not {kind!r}")
    return x


def broadcast(f: Any, *arrays: Array) -> Array:
    """Apply `f`, a function of numbers, to each element of arrays that are broadcast.

    The result is a float64 array, or a NumPy scalar if all arguments are numbers.
    """
    return np.vectorize(f, otypes=[float])(*arrays)[()]


def count(x: Array, axis: Axis = None, ddof: int = 0) -> Any:
    """How many elements of `x` are reduced over `axis`, less `ddof`; at least 1."""
    shape = np.shape(x)
    axes: Any = range(len(shape)) if axis is None else axis
    axes = axes if np.ndim(axes) else (axes,)
    return max(math.prod([shape[k] for k in axes]) - ddof, 1)


def count_valid(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """How many elements over `axis` are no nan; at least 1."""
    known: Array = (~np.isnan(x)).astype(np.reshape(x, np.shape(x)).dtype)
    n = known.sum(axis=axis, keepdims=keepdims)
    return np.maximum(n, 1)


def deviations_valid(x: Array, axis: Axis = None) -> Array:
    """`x` less its mean over `axis`, nans left out: 0 where `x` is nan."""
    valid = np.where(np.isnan(x), 0, x)
    mean = np.sum(valid, axis=axis, keepdims=True) / count_valid(x, axis, True)
    return np.where(np.isnan(x), 0, valid - mean)


def along_curve(dy: Array, slope: Array, x: Array) -> Array:
    """What reaches the points of a curve, all of whose components move."""
    return np.sum(dy * slope, axis=tuple(range(np.ndim(x), np.ndim(slope))))


def stop_gradient(x: Array) -> Array:
    """Return `x`. It counts as a constant: no derivative is taken of it."""
    return x


def replace_grad(x: Array, fn: Any) -> Array:
    """Return `x`. The adjoint `dx` that passes here is replaced by `fn(dx)`.

    `fn` is a function of one array: `replace_grad(x, lambda d: np.clip(d, -1, 1))`. It
    returns an adjoint of the same shape.
    """
    return x
