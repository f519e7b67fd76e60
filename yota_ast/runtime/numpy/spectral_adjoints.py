"""How functions of eigenvalues and of singular values change, equal ones included.

Where eigenvalues are equal their vectors are turned to those of the tangent: then the
tangents of the eigenvalues are those of the eigenvalues on one side, and the second
derivative of a function that is the same in every order of them is right.

>>> x, dx = np.eye(2), np.array([[0.0, 1.0], [1.0, 0.0]])
>>> along_eigvalsh(x, dx=dx)
array([-1.,  1.])
>>> d, dd = np.array([2.0, 2.0]), 2 * np.array([-1.0, 1.0])  # of the sum of squares
>>> along_uneigvalsh(d, x, dd=dd, dx=dx).round(9)
array([[0., 0.],
       [4., 0.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.runtime.numpy.complex_parts import real_like
from yota_ast.runtime.numpy.factor_adjoints import (
    are_small,
    both_triangles,
    eigenvectors,
    one_triangle,
    turned,
    unsvdvals,
)

Array = Any


def refuse_equals(where: Array) -> None:
    """Refuse what equal eigenvalues or singular values do not determine."""
    if np.any(where):
        raise np.linalg.LinAlgError(
            "no derivative is known here: eigenvalues or singular values are equal, or"
            " singular values are 0"
        )


def are_alike(w: Array) -> Array:
    """Which of the values, in their order, are equal but for rounding."""
    size = np.max(np.abs(w), axis=-1, keepdims=True, initial=0)
    apart = np.abs(np.diff(w)) > np.finfo((w * 1.0).dtype).eps ** (2 / 3) * size
    first = np.zeros_like(w[..., :1], dtype=bool)
    number = np.cumsum(np.concatenate((first, apart), -1), -1)
    return np.expand_dims(number, -1) == np.expand_dims(number, -2)


def turn_within(y: Array, alike: Array) -> Array:
    """What turns vectors to those in which the Hermitian `y` is diagonal among those
    that are alike."""
    one = np.eye(np.shape(y)[-1], dtype=np.real(y).dtype)
    if not np.any(alike & (one == 0)):
        return one
    order = np.expand_dims(np.sum(np.tril(~alike), -1), -1) * one
    step = 4 * (np.linalg.norm(y, axis=(-2, -1), keepdims=True) + 1)
    return np.linalg.eigh(np.where(alike, y, 0) + order * step)[1]


def changes(d: Array, w: Array, alike: Array) -> Array:
    """`(d[j] - d[i]) / (w[j] - w[i])`, 0 among those that are alike; they must have one
    `d`."""
    apart = np.expand_dims(d, -2) - np.expand_dims(d, -1)
    gap = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    size = np.abs(np.expand_dims(d, -2)) + np.abs(np.expand_dims(d, -1))
    most = np.max(np.abs(d), axis=-1, initial=0)[..., np.newaxis, np.newaxis]
    eps = np.finfo((w * 1.0).dtype).eps
    refuse_equals(alike & (np.abs(apart) > np.sqrt(eps) * size + 64 * eps * most))
    return np.where(alike, 0, apart / (gap + alike))


def diagonal_of(y: Array) -> Array:
    """The diagonals of matrices."""
    return np.diagonal(y, axis1=-2, axis2=-1)


def on_diagonal(d: Array) -> Array:
    """Matrices with the vectors `d` on their diagonals."""
    return np.expand_dims(d, -1) * np.eye(np.shape(d)[-1], dtype=d.dtype)


def off_diagonal(y: Array, alike: Array) -> Array:
    """Where matrices are not 0 but for rounding beside the diagonal, among those that
    are alike."""
    size = np.max(np.abs(y), axis=(-2, -1), keepdims=True, initial=0)
    small = np.abs(y) <= np.sqrt(np.finfo((size * 1.0).dtype).eps) * size
    return alike & ~small & ~np.eye(np.shape(y)[-1], dtype=bool)


# ---------------------------------------------------------------- Hermitian matrices


def along_eigvalsh(x: Array, UPLO: Any = "L", dx: Array = 0.0) -> Array:
    """The tangent of `eigvalsh(x, UPLO)`."""
    w, v = np.linalg.eigh(x, UPLO)
    y, alike = turned(v) @ both_triangles(dx, UPLO) @ v, are_alike(w)
    turn = turn_within(y, alike)
    return np.real(diagonal_of(turned(turn) @ y @ turn))


def along_uneigvalsh(
    d: Array, x: Array, uplo: Any = "L", dd: Any = None, dx: Any = None
) -> Array:
    """The tangent of `uneigvalsh(d, x, uplo)`."""
    w, v = np.linalg.eigh(x, uplo)
    inner = on_diagonal(0 * d if dd is None else dd)
    if dx is not None:
        y, alike = turned(v) @ both_triangles(dx, uplo) @ v, are_alike(w)
        turn = turn_within(y, alike)
        v = v @ turn
        inner = inner + changes(d, w, alike) * (turned(turn) @ y @ turn)
    return one_triangle(v @ inner @ turned(v), uplo)


def uneigvalsh_at(dz: Array, d: Array, x: Array, uplo: Any = "L") -> Array:
    """The adjoint of `x` in `uneigvalsh(d, x, uplo)`."""
    w, v = np.linalg.eigh(x, uplo)
    y, alike = turned(v) @ both_triangles(dz, uplo) @ v, are_alike(w)
    refuse_equals(off_diagonal(y, alike))
    return one_triangle(v @ (changes(d, w, alike) * y) @ turned(v), uplo)


def along_values_read(x: Array, lower: bool = True, dx: Array = 0.0) -> Array:
    """The tangent of the eigenvalues that SciPy finds of a triangle."""
    return along_eigvalsh(x, "L" if lower else "U", dx)


# ---------------------------------------------------------------- any square matrices


def along_uneigvals(
    d: Array, x: Array, w: Array, dd: Any = None, dx: Any = None
) -> Array:
    """The tangent of `uneigvals(d, x, w)`."""
    back = turned(eigenvectors(x, w))
    inner = on_diagonal(0 * d if dd is None else dd)
    if dx is not None:
        y = back @ turned(dx) @ np.linalg.inv(back)
        values = np.conj(w)
        gap = np.expand_dims(values, -2) - np.expand_dims(values, -1)
        alike = are_small(gap, values)
        refuse_equals(off_diagonal(y, alike))
        inner = inner + changes(d, values, alike) * y
    return real_like(np.linalg.solve(back, inner @ back), x)


def uneigvals_at(dz: Array, d: Array, x: Array, w: Array) -> Array:
    """The adjoint of `x` in `uneigvals(d, x, w)`."""
    v = eigenvectors(x, w)
    y = turned(v) @ turned(dz) @ np.linalg.inv(turned(v))
    gap = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    alike = are_small(gap, w)
    refuse_equals(off_diagonal(y, alike))
    inner = changes(np.conj(d), w, alike) * turned(y)
    return real_like(turned(v @ inner @ np.linalg.inv(v)), x)


# ---------------------------------------------------------------- singular values


def of_each(fn: Any, *arrays: Any) -> Array:
    """What a function of matrices and vectors gives of each in a stack."""
    if np.ndim(arrays[0]) == 2:
        return fn(*arrays)
    parts = zip(
        *(len(arrays[0]) * [a] if a is None else a for a in arrays), strict=True
    )
    return np.array([of_each(fn, *part) for part in parts])


def singular_parts(x: Array) -> Any:
    """The singular vectors of one matrix, in columns, its values, and how many of them
    are not 0."""
    u, s, vh = np.linalg.svd(x)
    least = np.finfo(s.dtype).eps ** (2 / 3) * np.max(s, initial=0)
    return u, s, turned(vh), int(np.sum(s > least))


def refuse_slopes_at_0(d: Array, s: Array, rank: int) -> None:
    """Refuse an adjoint of singular values that does not end where they are 0."""
    least = np.sqrt(np.finfo(s.dtype).eps) * np.max(np.abs(d), initial=0)
    refuse_equals(np.abs(d[rank:]) > least)


def along_svdvals(x: Array, dx: Array = 0.0) -> Array:
    """The tangent of the singular values of `x`."""
    return of_each(along_values_of_one, x, dx)


def along_values_of_one(x: Array, dx: Array) -> Array:
    """The same of one matrix; of values that are 0 on one side."""
    u, s, v, rank = singular_parts(x)
    y = turned(u) @ dx @ v
    same = (y[:rank, :rank] + turned(y[:rank, :rank])) / 2
    turn = turn_within(-same, are_alike(s[:rank]))
    ds = np.real(diagonal_of(turned(turn) @ same @ turn))
    return np.concatenate((ds, np.linalg.svd(y[rank:, rank:], compute_uv=False)))


def along_unsvdvals(d: Array, x: Array, dd: Any = None, dx: Any = None) -> Array:
    """The tangent of `unsvdvals(d, x)`."""
    if dx is None:
        return unsvdvals(dd, x)
    return of_each(along_values_undone, x, d, 0 * d if dd is None else dd, dx)


def along_values_undone(x: Array, d: Array, dd: Array, dx: Array) -> Array:
    """The same of one matrix."""
    u, s, v, rank = singular_parts(x)
    refuse_slopes_at_0(d, s, rank)
    y, alike = turned(u) @ dx @ v, are_alike(s[:rank])
    same = (y[:rank, :rank] + turned(y[:rank, :rank])) / 2
    turn = turn_within(-same, alike)
    p, _, q = np.linalg.svd(y[rank:, rank:], full_matrices=False)
    dz = (u[:, rank:] @ p * dd[rank:]) @ q @ turned(v[:, rank:])
    u1, v1 = u[:, :rank] @ turn, v[:, :rank] @ turn
    dz = dz + curved(d[:rank], s[:rank], alike, u1, v1, dx)
    return real_like(dz + (u1 * dd[:rank]) @ turned(v1), x)


def curved(d: Array, s: Array, alike: Array, u: Array, v: Array, dx: Array) -> Array:
    """How `(u * d) @ v.T` changes as the singular vectors of a matrix do along `dx`."""
    y = turned(u) @ dx @ v
    same, apart = (y + turned(y)) / 2, (y - turned(y)) / 2
    total = np.expand_dims(s, -1) + s
    inner = changes(d, s, alike) * same + (np.expand_dims(d, -1) + d) / total * apart
    left = (dx @ v - u @ y) * (d / s)
    right = (turned(dx) @ u - v @ turned(y)) * (d / s)
    return (u @ inner + left) @ turned(v) + u @ turned(right)


def unsvdvals_at(dz: Array, d: Array, x: Array) -> Array:
    """The adjoint of `x` in `unsvdvals(d, x)`."""
    return of_each(values_undone_at, x, d, dz)


def values_undone_at(x: Array, d: Array, dz: Array) -> Array:
    """The same of one matrix."""
    u, s, v, rank = singular_parts(x)
    y, alike = turned(u) @ dz @ v, are_alike(s[:rank])
    refuse_slopes_at_0(d, s, rank)
    size = np.max(np.abs(y), initial=0)
    small = np.sqrt(np.finfo(s.dtype).eps) * size
    refuse_equals(np.abs(y[rank:, rank:]) * (rank < len(s)) > small)
    same = y[:rank, :rank] + turned(y[:rank, :rank])
    refuse_equals(off_diagonal(same, alike))
    found = curved(d[:rank], s[:rank], alike, u[:, :rank], v[:, :rank], dz)
    return real_like(found, x)
