"""Norms, determinants and systems of equations undone."""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.runtime.numpy.broadcast_adjoints import restored
from yota_ast.runtime.numpy.reduction_adjoints import prod_of_others, unmax

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
    x = np.reshape(x, np.shape(x))  # an array, if it is a list
    if axis is None:
        axes = tuple(range(x.ndim))
        y = np.reshape(y, (1,) * x.ndim)
        dy = np.full_like(y, dy if np.ndim(dy) == 0 else np.reshape(dy, y.shape))
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


def along_solve(
    a: Array, b: Array, y: Array, da: Array = None, db: Array = None
) -> Array:
    """The tangent of `y = solve(a, b)`: what solves `a @ dy = db - da @ y`."""
    if np.ndim(b) == 1:
        d = None if db is None else np.expand_dims(db, -1)
        column = np.expand_dims(b, -1)
        return along_solve(a, column, np.expand_dims(y, -1), da, d)[..., 0]
    if da is None:
        return np.linalg.solve(a, db)
    change = da @ y
    return np.linalg.solve(a, -change if db is None else db - change)


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


def ones_on_diagonal(s: Array) -> Array:
    """The last axis of `s` once for each of its items, with 1 in the place of that."""
    one = np.eye(np.shape(s)[-1], dtype=s.dtype, like=s)
    return np.expand_dims(s, -2) * (1 - one) + one


def cofactors_along(d: Array, x: Array) -> Array:
    """The tangent of `cofactors(x)`, that of `x` being `d`; its adjoint is the same.

    Where x is diagonal, with s on its diagonal, it is made of products of all of s but
    two: of any x, too, for the cofactors of a product are the product of the cofactors.
    """
    u, s, vh = np.linalg.svd(x)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    one = np.eye(np.shape(s)[-1], dtype=s.dtype, like=s)
    others = prod_of_others(ones_on_diagonal(s), -1) * (1 - one)
    y = np.conj(np.swapaxes(u, -1, -2)) @ d @ np.conj(np.swapaxes(vh, -1, -2))
    own = others @ np.diagonal(y, axis1=-2, axis2=-1)[..., np.newaxis]
    along = own * one - others * np.swapaxes(y, -1, -2)
    return np.expand_dims(sign, (-1, -2)) * (np.conj(u) @ along @ np.conj(vh))


def cofactors_along_both(d: Array, e: Array, x: Array) -> Array:
    """The tangent of `cofactors_along(d, x)`, that of `x` being `e`: of products of all
    singular values but three."""
    u, s, vh = np.linalg.svd(x)
    sign = np.linalg.det(u) * np.linalg.det(vh)
    one = np.eye(np.shape(s)[-1], dtype=s.dtype, like=s)
    apart = np.expand_dims(1 - one, -1) * np.expand_dims(1 - one, -2) * (1 - one)
    others = prod_of_others(ones_on_diagonal(ones_on_diagonal(s)), -1) * apart
    left, right = np.conj(np.swapaxes(u, -1, -2)), np.conj(np.swapaxes(vh, -1, -2))
    y, z = left @ d @ right, left @ e @ right
    own = np.einsum("...ajk,...jj,...kk->...a", others, y, z)
    own = own - np.einsum("...ajk,...jk,...kj->...a", others, y, z)
    along = np.expand_dims(own, -1) * one
    for p, q in ((y, z), (z, y)):
        along = along - np.einsum("...abk,...ba,...kk->...ab", others, p, q)
        along = along + np.einsum("...abk,...bk,...ka->...ab", others, p, q)
    return np.expand_dims(sign, (-1, -2)) * (np.conj(u) @ along @ np.conj(vh))


def unpinv(dy: Array, x: Array, y: Array) -> Array:
    """The adjoint of `x` in `y = pinv(x)`."""
    yt, dt = np.swapaxes(y, -1, -2), np.swapaxes(dy, -1, -2)
    left = np.eye(np.shape(x)[-2], dtype=y.dtype, like=y) - x @ y
    right = np.eye(np.shape(x)[-1], dtype=y.dtype, like=y) - y @ x
    return -yt @ dy @ yt + left @ dt @ y @ yt + yt @ y @ dt @ right
