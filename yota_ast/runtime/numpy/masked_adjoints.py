"""Reductions with `where`, `initial` or a given mean, methods of ufuncs, undone."""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.runtime.numpy.assembling_adjoints import without_dtype
from yota_ast.runtime.numpy.broadcast_adjoints import restored, unbroadcast, unsum
from yota_ast.runtime.numpy.reduction_adjoints import prod_of_others, unmax

Array = Any
Axis = Any


def unsum_where(
    dy: Array,
    x: Array,
    axis: Axis = None,
    keepdims: bool = False,
    where: Any = True,
    dtype: Any = None,
) -> Array:
    """The adjoint of `x` in `sum(x, axis, dtype, keepdims=keepdims, where=where)`."""
    return np.where(where, without_dtype(unsum(dy, x, axis, keepdims), dtype), 0)


def count_where(
    where: Any, x: Array, axis: Axis = None, keepdims: bool = False, ddof: Any = 0
) -> Array:
    """How many elements of `x` are reduced over `axis`, less `ddof`; at least 1."""
    counted = np.ones_like(x, dtype=bool) & where
    n = np.sum(counted, axis=axis, keepdims=keepdims)
    return np.maximum(n - ddof, 1).astype(np.result_type(x, 0.0))


def unvar_where(
    dy: Array,
    x: Array,
    axis: Axis = None,
    ddof: Any = 0,
    keepdims: bool = False,
    where: Any = True,
    mean: Any = None,
) -> Any:
    """The adjoints of `x` and of a given mean in `var`."""
    d = dy / count_where(where, x, axis, keepdims, ddof)
    if mean is None:
        rest = x - np.mean(x, axis=axis, keepdims=True, where=where)
        return np.where(where, 2 * unsum(d, x, axis, keepdims) * rest, 0), None
    dx = np.where(where, 2 * unsum(d, x, axis, keepdims) * (x - mean), 0)
    return unbroadcast(dx, x), unbroadcast(-dx, mean)


def unprod_where(
    dy: Array,
    x: Array,
    axis: Axis = None,
    keepdims: bool = False,
    initial: Any = 1,
    where: Any = True,
) -> Any:
    """The adjoints of `x` and `initial` in `prod`."""
    z = np.where(where, x, 1)
    d = unsum(dy * initial, x, axis, keepdims) * prod_of_others(z, axis)
    dinitial = np.sum(dy * np.prod(z, axis=axis, keepdims=keepdims))
    return np.where(where, d, 0), dinitial


def unmax_where(
    dy: Array,
    x: Array,
    y: Array,
    axis: Axis = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """The adjoints of `x` and `initial` in `max` or `min`: ties share evenly."""
    y, d = restored(y, axis, keepdims), restored(dy, axis, keepdims)
    hit = (x == y) & where
    started = np.zeros_like(y, dtype=bool) if initial is None else y == initial
    n = np.sum(hit, axis=axis, keepdims=True) + started
    d = d / np.maximum(n, 1).astype(np.result_type(x, 0.0))
    return np.where(hit, d, 0), np.sum(np.where(started, d, 0))


def signs(x: Array, axis: int = 0) -> Array:
    """1 for the first elements along an axis, -1 for the others."""
    s = -np.ones_like(x, dtype=np.result_type(x, 0.0))
    np.moveaxis(s, axis, 0)[:1] = 1
    return s


def unfollow(dy: Array, x: Array, y: Array, axis: int = 0) -> Array:
    """The adjoint of `x` in `y`, the greatest or least so far; ties share evenly."""
    d = np.moveaxis(np.copy(dy), axis, 0)
    x, y = np.moveaxis(x, axis, 0), np.moveaxis(y, axis, 0)
    for k in range(len(d) - 1, 0, -1):
        new, old = x[k] == y[k], y[k - 1] == y[k]
        share = d[k] / np.maximum(new * 1 + old * 1, 1).astype(d.dtype)
        d[k - 1] += np.where(old, share, 0)
        d[k] = np.where(new, share, 0)
    return np.moveaxis(d, 0, axis)


def follow(d: Array, x: Array, y: Array, axis: int = 0) -> Array:
    """`d` where `y` took each new element of `x`, else as before; means at ties."""
    t = np.moveaxis(np.copy(d), axis, 0)
    x, y = np.moveaxis(x, axis, 0), np.moveaxis(y, axis, 0)
    for k in range(1, len(t)):
        new, old = x[k] == y[k], y[k - 1] == y[k]
        n = np.maximum(new * 1 + old * 1, 1).astype(t.dtype)
        t[k] = (np.where(new, t[k], 0) + np.where(old, t[k - 1], 0)) / n
    return np.moveaxis(t, 0, axis)


def unlogaddexp_accumulate(dy: Array, x: Array, y: Array, axis: int = 0) -> Array:
    """The adjoint of `x` in `y = np.logaddexp.accumulate(x, axis)`."""
    d = np.moveaxis(np.copy(dy), axis, 0)
    x, y = np.moveaxis(x, axis, 0), np.moveaxis(y, axis, 0)
    for k in range(len(d) - 1, 0, -1):
        d[k - 1] += d[k] * np.exp(y[k - 1] - y[k])
        d[k] *= np.exp(x[k] - y[k])
    return np.moveaxis(d, 0, axis)


def unreduceat(
    dy: Array, y: Array, x: Array, indices: Any, axis: int = 0, kind: str = "sum"
) -> Array:
    """The adjoint of `x` in `y = ufunc.reduceat(x, indices, axis)`."""
    d, y = np.moveaxis(dy, axis, 0), np.moveaxis(y, axis, 0)
    z = np.moveaxis(x, axis, 0)
    dz = np.zeros_like(z, dtype=np.result_type(z, d, np.float16))
    ends = [*[int(i) for i in indices[1:]], len(z)]
    for k, (a, b) in enumerate(zip([int(i) for i in indices], ends)):
        part = slice(a, max(b, a + 1))
        if kind == "sum":
            dz[part] += d[k]
        elif kind == "prod":
            dz[part] += d[k] * prod_of_others(z[part], 0)
        else:
            dz[part] += unmax(d[k], z[part], y[k], 0)
    return np.moveaxis(dz, 0, axis)
