"""The matrix functions and systems of `scipy.linalg` undone.

Helpers of generated text like those beside them, but on SciPy: this module is imported
with the chapter of rules that uses it, and by nothing before.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

Array = Any


def alone(x: Array, rank: int = 2) -> None:
    """Refuse stacks, of which these helpers know nothing."""
    if np.ndim(x) != rank:
        raise ValueError("the gradient of this function needs one matrix, not a stack")


# ---------------------------------------------------------------- triangles


def outer_of(w: Array, y: Array) -> Array:
    """`w @ y.T`, of vectors their outer product."""
    return np.outer(w, y) if np.ndim(w) == 1 else w @ np.transpose(y)


def triangle(x: Array, lower: bool, unit: bool = False) -> Array:
    """The lower or upper triangle, without a diagonal of ones."""
    return np.tril(x, -1 if unit else 0) if lower else np.triu(x, 1 if unit else 0)


def unsolve_triangular(
    dy: Array, a: Array, y: Array, trans: Any, lower: bool, unit: bool
) -> Any:
    """The adjoints of `a` and `b` in `y = solve_triangular(a, b, trans, lower)`."""
    alone(a)
    turned = trans in (0, "N")
    w = linalg.solve_triangular(a, dy, int(turned), lower, unit)
    da = outer_of(w, y) if turned else outer_of(y, w)
    return -triangle(da, lower, unit), w


# ---------------------------------------------------------------- triangular factors


def with_unit_diagonal(x: Array) -> Array:
    """The strict lower triangle, with ones on the diagonal."""
    return np.tril(x, -1) + np.eye(len(x), dtype=x.dtype)


def unlu(dl: Array, du: Array, low: Array, up: Array) -> Array:
    """The adjoint of `low @ up` for square factors."""
    alone(low)
    d = np.tril(np.transpose(low) @ dl, -1) + np.triu(du @ np.transpose(up))
    d = linalg.solve_triangular(low, d, 1, True, True)
    return np.transpose(linalg.solve_triangular(up, np.transpose(d), 0))


def unlu_factor(dy: Any, y: Any) -> Array:
    """The adjoint of `x` in `y = lu_factor(x)`: the rows of `low @ up` go back."""
    alone(y[0])
    lu, pivots = y
    if len(lu) != len(np.transpose(lu)):
        raise ValueError("the gradient needs a square matrix")
    dx = unlu(dy[0], dy[0], with_unit_diagonal(lu), np.triu(lu))
    for k in range(len(pivots) - 1, -1, -1):
        swapped = [k, pivots[k]]
        dx[swapped] = dx[swapped[::-1]]
    return dx


def unlu_solve(w: Array, factor: Any, y: Array, trans: int) -> Any:
    """The adjoint of the factor in `y = lu_solve(factor, b, trans)`, by that of `b`."""
    alone(factor[0])
    lu, pivots = factor
    da = -(outer_of(y, w) if trans else outer_of(w, y))
    for k in range(len(pivots)):
        swapped = [k, pivots[k]]
        da[swapped] = da[swapped[::-1]]
    low, up = with_unit_diagonal(lu), np.triu(lu)
    dlu = np.tril(da @ np.transpose(up), -1) + np.triu(np.transpose(low) @ da)
    return dlu, np.zeros(len(pivots))


# ---------------------------------------------------------------- functions of matrices


def unexpm(dy: Array, x: Array) -> Array:
    """The adjoint of `x` in `expm(x)`: its derivative at `x.T` in the direction dy."""
    if np.ndim(x) == 2:
        dx = linalg.expm_frechet(np.transpose(x), dy, compute_expm=False)
        return dx.astype(np.result_type(x, dy))
    flat = np.reshape(dy, (-1, *np.shape(x)[-2:]))
    parts = [unexpm(d, a) for d, a in zip(flat, np.reshape(x, flat.shape))]
    return np.reshape(parts, np.shape(x))


def expm_curvature(x: Array, a: Array, b: Array) -> Array:
    """The second derivative of `expm` at `x` in the directions `a` and `b`: blocks of
    exponentials that would overflow for large ones."""
    alone(x)
    n = len(x)
    p, q = (np.max(np.abs(d), initial=0) + np.all(d == 0) for d in (a, b))
    big = np.zeros((3 * n, 3 * n), np.result_type(x, a, b))
    big[:n, :n] = big[n : 2 * n, n : 2 * n] = big[2 * n :, 2 * n :] = x
    big[:n, n : 2 * n], big[n : 2 * n, 2 * n :] = a / p, b / q
    one = linalg.expm(big)[:n, 2 * n :]
    big[:n, n : 2 * n], big[n : 2 * n, 2 * n :] = b / q, a / p
    return (one + linalg.expm(big)[:n, 2 * n :]) * p * q


def unlogm(dy: Array, x: Array) -> Array:
    """The adjoint of `x` in `logm(x)`: a block of the logarithm of a larger matrix."""
    alone(x)
    if np.isrealobj(x) and np.iscomplexobj(dy):
        # Each in real numbers, where a negative eigenvalue is on the cut exactly.
        return unlogm(dy.real, x) + 1j * unlogm(dy.imag, x)
    n = len(x)
    scale = np.max(np.abs(dy), initial=0) + np.all(dy == 0)
    big = np.zeros((2 * n, 2 * n), np.result_type(x, dy))
    big[:n, :n] = big[n:, n:] = np.transpose(x)
    big[:n, n:] = np.conj(dy) / scale
    return np.conj(linalg.logm(big)[:n, n:]) * scale


def unsqrtm(dy: Array, y: Array) -> Array:
    """The adjoint of `x` in `y = sqrtm(x)`, by a Sylvester equation."""
    alone(y)
    z = np.conj(np.transpose(y))
    return linalg.solve_sylvester(z, z, dy)


def unpolar(dy: Any, x: Array, y: Any) -> Array:
    """The adjoint of `x` in `u, p = polar(x)`, for a matrix of full column rank."""
    alone(x)
    if len(x) < np.shape(x)[1]:
        raise ValueError("the gradient of polar needs a matrix of full column rank")
    u, p = y
    du, dp = dy
    back = np.transpose(np.linalg.solve(p, np.transpose(du)))
    d = dp - np.transpose(u) @ back
    s = linalg.solve_sylvester(p, p, (d + np.transpose(d)) / 2)
    return back + x @ (s + np.transpose(s))


# ---------------------------------------------------------------- bands and structure


def turned_bands(bands: Any, ab: Array) -> Any:
    """The bands of the transposed matrix."""
    low, up = (int(k) for k in bands)
    n = np.shape(ab)[1]
    turned = np.zeros_like(ab)
    for k in range(-low, up + 1):  # the k-th diagonal above the main one
        size = n - abs(k)
        source = ab[up - k, max(k, 0) : max(k, 0) + size]
        turned[low + k, max(-k, 0) : max(-k, 0) + size] = source
    return (up, low), turned


def unsolve_banded(dy: Array, bands: Any, ab: Array, y: Array) -> Any:
    """The adjoints of `ab` and `b` in `y = solve_banded(bands, ab, b)`."""
    alone(ab)
    low, up = (int(k) for k in bands)
    n = np.shape(ab)[1]
    w = linalg.solve_banded(*turned_bands(bands, ab), dy)
    dab = np.zeros_like(ab)
    for k in range(-low, up + 1):
        i, j = max(-k, 0), max(k, 0)
        size = n - abs(k)
        products = w[i : i + size] * y[j : j + size]
        products = products if np.ndim(y) == 1 else products.sum(axis=1)
        dab[up - k, j : j + size] = -products
    return dab, w


def untoeplitz(dy: Array, c: Array, r: Array = None) -> Any:
    """The adjoints of column and row in `toeplitz(c, r)`: sums over diagonals."""
    alone(dy)
    n, m = np.shape(dy)
    d = np.array([np.trace(dy, k) for k in range(-n + 1, m)])
    below, above = np.flip(d[:n]), d[n - 1 :]
    above = np.concatenate((0 * above[:1], above[1:]))
    if r is None:
        return np.reshape(below + above, np.shape(c)), 0.0
    return np.reshape(below, np.shape(c)), np.reshape(above, np.shape(r))


def uncirculant(dy: Array) -> Array:
    """The adjoint of `c` in `circulant(c)`."""
    alone(dy)
    return np.array([np.trace(np.roll(dy, -k, 0)) for k in range(len(dy))])


def unblock_diag(dy: Array, arrays: Any) -> Any:
    """The adjoints of the blocks."""
    i = j = 0
    parts = []
    for a in arrays:
        n, m = np.shape(np.atleast_2d(a))
        parts.append(np.reshape(dy[i : i + n, j : j + m], np.shape(a)))
        i, j = i + n, j + m
    return tuple(parts)
