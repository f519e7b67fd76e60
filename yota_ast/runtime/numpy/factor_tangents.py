"""How factors of matrices change with the matrix: the tangents, as helpers.

Each is what the helper of the same name with `un` is the adjoint of.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.runtime.numpy.factor_adjoints import (
    eigenvectors,
    gaps,
    have_equals,
    turned,
)

Array = Any


def whole(t: Array, uplo: Any = "L") -> Array:
    """The Hermitian matrix of which one triangle of `t` is read."""
    half = np.tril(t, -1) if uplo in ("L", "l") else np.triu(t, 1)
    diagonal = np.real(t) * np.eye(np.shape(t)[-1], dtype=np.real(t).dtype, like=t)
    return half + turned(half) + diagonal


def reeigh(t: Array, w: Array, v: Array, uplo: Any = "L") -> Any:
    """The tangents of `w, v = eigh(x, uplo)`, that of `x` being `t`."""
    inner = turned(v) @ whole(t, uplo) @ v
    if np.any(have_equals(w)):
        raise np.linalg.LinAlgError(
            "vectors of equal eigenvalues, which may be turned in the space that they"
            " span, have no tangent"
        )
    return np.real(np.diagonal(inner, axis1=-2, axis2=-1)), v @ (gaps(w) * inner)


def reeigvalsh(t: Array, x: Array, uplo: Any = "L") -> Array:
    """The tangent of `eigvalsh(x, uplo)`, that of `x` being `t`."""
    v = np.linalg.eigh(x, uplo)[1]
    return np.sum(np.real(np.conj(v) * (whole(t, uplo) @ v)), axis=-2)


def reeigvals(t: Array, x: Array, w: Array) -> Array:
    """The tangent of `w = eigvals(x)`, that of `x` being `t`."""
    v = eigenvectors(x, w)
    return np.diagonal(np.linalg.solve(v, t @ v), axis1=-2, axis2=-1)


def resvdvals(t: Array, x: Array) -> Array:
    """The tangent of the singular values of `x`, that of `x` being `t`."""
    u, _, vh = np.linalg.svd(x, full_matrices=False)
    return np.sum(np.real(np.conj(u) * (t @ turned(vh))), axis=-2)


def relower(t: Array, y: Array, upper: bool = False) -> Array:
    """The tangent of `y = cholesky(x, upper=upper)`, that of `x` being `t`."""
    if upper:
        return np.swapaxes(
            relower(np.swapaxes(t, -1, -2), np.swapaxes(y, -1, -2)), -1, -2
        )
    half = np.linalg.solve(y, whole(t))
    inner = np.swapaxes(np.linalg.solve(y, np.swapaxes(half, -1, -2)), -1, -2)
    inner = np.tril(inner) - np.eye(np.shape(y)[-1], dtype=y.dtype, like=y) * inner / 2
    return y @ inner


def rematrix_power(t: Array, x: Array, n: int) -> Array:
    """The tangent of `matrix_power(x, n)`, that of `x` being `t`."""
    base = np.linalg.inv(x) if n < 0 else x
    step = -base @ t @ base if n < 0 else t
    total = np.zeros_like(base)
    for k in range(abs(n)):
        left = np.linalg.matrix_power(base, k)
        total = total + left @ step @ np.linalg.matrix_power(base, abs(n) - 1 - k)
    return total


def repinv(t: Array, x: Array, y: Array) -> Array:
    """The tangent of `y = pinv(x)`, that of `x` being `t`."""
    xt, yt = np.swapaxes(t, -1, -2), np.swapaxes(y, -1, -2)
    left = np.eye(np.shape(x)[-1], dtype=y.dtype, like=y) - y @ x
    right = np.eye(np.shape(x)[-2], dtype=y.dtype, like=y) - x @ y
    return -y @ t @ y + y @ yt @ xt @ right + left @ xt @ yt @ y


def revander(t: Array, d: Array, x: Array, increasing: bool = False) -> Array:
    """The tangent of `vander(x, N, increasing)`, of the shape of `d`."""
    powers = np.arange(np.shape(d)[1], like=d)
    powers = powers if increasing else powers[::-1]
    slopes = powers * np.reshape(x, (-1, 1)) ** np.maximum(powers - 1, 0)
    return np.reshape(t, (-1, 1)) * slopes
