"""Factors of `scipy.linalg` undone that NumPy has not.

>>> t, z = np.array([[2.0, 1.0], [0.0, 3.0]]), np.eye(2)
>>> unschur(np.eye(2), np.zeros((2, 2)), t, z)  # the trace
array([[1., 0.],
       [0., 1.]])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.runtime.numpy.factor_adjoints import one_triangle

Array = Any


def triangle_read(lower: bool = True) -> str:
    """Which triangle of a symmetric matrix SciPy reads, as NumPy says it."""
    return "L" if lower else "U"


def unsymmetric(w: Array, y: Array, lower: bool = False) -> Array:
    """The adjoint of a symmetric `a` in `y = solve(a, b)`: of the triangle read."""
    w, y = (v[:, np.newaxis] if np.ndim(v) == 1 else v for v in (w, y))
    return one_triangle(-w @ np.swapaxes(y, -1, -2), triangle_read(lower))


def unschur(dt: Array, dz: Array, t: Array, z: Array) -> Array:
    """The adjoint of `x` in `t, z = schur(x)`, of distinct real eigenvalues.

    `z` turns by a skew w, with which what comes to stand below the diagonal of `t` is
    0: a system of as many equations as there are places there.
    """
    n = len(t)
    if np.any(np.tril(t, -1)):
        raise ValueError("the gradient of schur needs real eigenvalues")
    low = np.tril_indices(n, -1)
    turns = np.zeros((len(low[0]), n, n))
    turns[np.arange(len(low[0])), low[0], low[1]] = 1
    turns = turns - np.swapaxes(turns, 1, 2)
    moved = t @ turns - turns @ t
    upper = np.triu(dt)
    along = np.sum(moved * upper, axis=(1, 2)) + np.sum(turns * (z.T @ dz), axis=(1, 2))
    inner = np.array(upper)
    inner[low] -= np.linalg.solve(moved[:, low[0], low[1]], along)
    return z @ inner @ z.T
