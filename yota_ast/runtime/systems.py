"""Norms, determinants and systems of equations undone."""

from __future__ import annotations

from typing import Any

import numpy as np

from .broadcasting import restored
from .reductions import prod_of_others, unmax

Array = Any
Axis = Any


def unnorm(
    dy: Array,
    x: Array,
    y: Array,
    ord: Any = None,  # noqa: A002  the name that NumPy gives it
    axis: Axis = None,
    keepdims: bool = False,
) -> Array:
    """The adjoint of `x` in `y = norm(x, ord, axis, keepdims)`; 0 where `y` is 0.

    Beside other numbers a 0 is at a cusp of the norms of orders between 0 and 1.
    """
    x = np.asarray(x)
    if axis is None:
        axes = tuple(range(x.ndim))
        y = np.reshape(y, (1,) * x.ndim)
        dy = np.reshape(dy, y.shape).astype(y.dtype)  # a Python float is as wide as y
    else:
        axes = (axis,) if np.ndim(axis) == 0 else tuple(axis)
        dy, y = restored(dy, axis, keepdims), restored(y, axis, keepdims)
    inverse = 1 / (y + (y == 0))
    if ord in (None, "fro") or (ord == 2 and len(axes) == 1):
        return dy * (x * inverse)
    size = np.abs(x)
    if len(axes) == 2:
        return unmatrix_norm(dy, x, y, ord, axes)
    if ord in (np.inf, -np.inf):
        return unmax(dy, size, y, axes, True) * np.sign(x)
    if ord == 0:
        return 0 * dy * x
    if ord == 1:
        return dy * np.sign(x)
    ratio = np.where(size == 0, 0 if 0 < ord < 1 else 1, size) * inverse + (y == 0)
    return dy * np.sign(x) * (y != 0) * ratio ** (ord - 1)


def unmatrix_norm(dy: Array, x: Array, y: Array, ord: Any, axes: Any) -> Array:  # noqa: A002
    """The adjoint of `x` in the matrix norms of order 1, -1, 2, -2, inf, -inf, nuc."""
    if ord in (1, -1, np.inf, -np.inf):
        summed = axes[0] if ord in (1, -1) else axes[1]
        sums = np.sum(np.abs(x), axis=summed, keepdims=True)
        return unmax(dy, sums, y, axes, True) * np.sign(x)
    z = np.moveaxis(x, axes, (-2, -1))
    u, s, vh = np.linalg.svd(z, full_matrices=False)
    rounded = s[..., :1] * (np.finfo(s.dtype).eps * max(z.shape[-2:]))
    if ord == "nuc":
        weights = (s > rounded).astype(s.dtype)
    else:
        end = s[..., :1] if ord == 2 else s[..., -1:]
        tied = ((np.abs(s - end) <= rounded) & (end > rounded)).astype(s.dtype)
        weights = tied / np.maximum(np.sum(tied, -1, keepdims=True), 1)
    dz = (u * weights[..., np.newaxis, :]) @ vh
    return dy * np.moveaxis(dz, (-2, -1), axes)


def unsolve(dy: Array, a: Array, b: Array) -> Array:
    """`solve(a.T, dy)` for `y = solve(a, b)`: the adjoint of `b`, stacks included."""
    transposed = np.swapaxes(a, -1, -2)
    if np.ndim(b) == 1:
        return np.linalg.solve(transposed, np.expand_dims(dy, -1))[..., 0]
    return np.linalg.solve(transposed, dy)


def outer_last(w: Array, y: Array, b: Array) -> Array:
    """`w @ y.T`, of vectors their outer product, for the right side `b` of a system."""
    if np.ndim(b) == 1:
        return np.expand_dims(w, -1) * np.expand_dims(y, -2)
    return w @ np.swapaxes(y, -1, -2)


def cofactors(x: Array) -> Array:
    """`det(x) * inv(x).T`, of singular matrices too."""
    u, s, vh = np.linalg.svd(x)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    others = prod_of_others(s, -1) * np.expand_dims(sign, -1)
    if np.iscomplexobj(x):
        u, vh = np.conj(u), np.conj(vh)
    return (u * np.expand_dims(others, -2)) @ vh


def unpinv(dy: Array, x: Array, y: Array) -> Array:
    """The adjoint of `x` in `y = pinv(x)`."""
    yt, dt = np.swapaxes(y, -1, -2), np.swapaxes(dy, -1, -2)
    left = np.eye(np.shape(x)[-2], dtype=y.dtype) - x @ y
    right = np.eye(np.shape(x)[-1], dtype=y.dtype) - y @ x
    return -yt @ dy @ yt + left @ dt @ y @ yt + yt @ y @ dt @ right
