"""The routines of `scipy.linalg.lapack` and `scipy.linalg.blas` undone.

A routine of LAPACK says by the number `info` whether it came to its end. Where it did
not, what it gives has no slope.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import lapack

from yota_ast.runtime.numpy.factor_adjoints import uncho_factor, unfactor
from yota_ast.runtime.numpy.system_adjoints import outer_last
from yota_ast.runtime.scipy.matrix_adjoints import unlu_factor

Array = Any


def as_taken(x: Array, trans: Any) -> Array:
    """The matrix that a routine takes, which is turned where `trans` is set."""
    return np.transpose(x) if trans else x


def mirrored(a: Array, lower: Any) -> Array:
    """The symmetric matrix of which a routine reads one triangle."""
    low = np.tril(a, -1) if lower else np.transpose(np.triu(a, 1))
    return low + np.transpose(low) + np.diag(np.diag(a))


def folded(d: Array, lower: Any) -> Array:
    """The adjoint of the triangle that is read of a symmetric matrix."""
    both = d + np.transpose(d)
    return (np.tril(both) if lower else np.triu(both)) - np.diag(np.diag(d))


def symmetric_part(dy: Array, lower: Any) -> Array:
    """The symmetric adjoint of a matrix of which one triangle is written."""
    part = np.tril(dy) if lower else np.triu(dy)
    return (part + np.transpose(part)) / 2


def left_out(dy: Array, info: int) -> bool:
    """Whether a routine failed, of which nothing may be read then."""
    if info and np.any(dy):
        raise ValueError("no gradient where a routine of LAPACK failed")
    return info != 0


def unpotrf(dy: Array, y: Any, lower: Any = 0, clean: Any = 1) -> Array:
    """The adjoint of `a` in `y = dpotrf(a, lower, clean)`."""
    if left_out(dy, y[1]):
        return np.zeros_like(dy)
    if clean:
        return unfactor(dy, y[0], lower)
    return uncho_factor(dy, y[0], lower)


def unpotri(dy: Array, c: Array, y: Any, lower: Any = 0) -> Array:
    """The adjoint of the factor in `y = dpotri(c, lower)`, which writes a triangle."""
    if left_out(dy, y[1]):
        return np.zeros_like(dy)
    inverse = mirrored(y[0], lower)
    da = -2 * inverse @ symmetric_part(dy, lower) @ inverse
    if lower:
        return np.tril(da @ np.tril(c)) + np.triu(dy, 1)
    return np.triu(np.triu(c) @ da) + np.tril(dy, -1)


def unpotrs(w: Array, c: Array, y: Array, lower: Any = 0) -> Array:
    """The adjoint of the factor in `y = dpotrs(c, b, lower)`, by that of `b`."""
    s = outer_last(w, y, y)
    s = -(s + np.transpose(s))
    return np.tril(s @ np.tril(c)) if lower else np.triu(np.triu(c) @ s)


def ungesv(dy: Any, y: Any) -> Any:
    """The adjoints of `a` and `b` in `y = dgesv(a, b)`: lu, pivots, solution, info."""
    lu, pivots, x, info = y
    if left_out(dy[2], info) or left_out(dy[0], info):
        return np.zeros_like(lu), np.zeros_like(x)
    w = lapack.dgetrs(lu, pivots, dy[2], 1)[0]
    da = -outer_last(w, x, x)
    if np.any(dy[0]):
        da = da + unlu_factor((dy[0], None), (lu, pivots))
    return da, w


def untrtri(dy: Array, y: Array, lower: Any = 0) -> Array:
    """The adjoint of `c` in `y = dtrtri(c, lower)[0]`, which inverts a triangle."""
    if lower:
        inverse = np.tril(y)
        rest = np.triu(dy, 1)
        return rest - np.tril(np.transpose(inverse) @ np.tril(dy) @ inverse.T)
    inverse = np.triu(y)
    rest = np.tril(dy, -1)
    return rest - np.triu(np.transpose(inverse) @ np.triu(dy) @ inverse.T)
