"""The cosine and sine transforms of `scipy.fft` undone.

Helpers of generated text like those beside them, but on SciPy: this module is imported
with the chapter of rules that uses it, and by nothing before.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft

Array = Any


def scaled_ends(x: Array, axis: int, first: float, last: float = 1.0) -> Array:
    """`x` with its first and last elements along an axis multiplied."""
    z = np.moveaxis(np.array(x), axis, -1)
    z[..., 0] *= first
    z[..., -1] *= last
    return np.moveaxis(z, -1, axis)


def undct(dy: Array, type: int = 2, axis: int = -1, norm: Any = None) -> Array:  # noqa: A002
    """The adjoint of `x` in `dct(x, type, axis=axis, norm=norm)`."""
    if norm == "ortho":
        return fft.idct(dy, type, axis=axis, norm=norm)
    if norm == "forward":
        n = np.shape(dy)[axis]
        return undct(dy, type, axis) / (2 * n - 2 if type == 1 else 2 * n)
    if type == 1:
        return scaled_ends(
            fft.dct(scaled_ends(dy, axis, 2, 2), 1, axis=axis), axis, 0.5, 0.5
        )
    if type == 2:
        return fft.dct(scaled_ends(dy, axis, 2), 3, axis=axis)
    if type == 3:
        return scaled_ends(fft.dct(dy, 2, axis=axis), axis, 0.5)
    return fft.dct(dy, 4, axis=axis)


def undst(dy: Array, type: int = 2, axis: int = -1, norm: Any = None) -> Array:  # noqa: A002
    """The adjoint of `x` in `dst(x, type, axis=axis, norm=norm)`."""
    if norm == "ortho":
        return fft.idst(dy, type, axis=axis, norm=norm)
    if norm == "forward":
        n = np.shape(dy)[axis]
        return undst(dy, type, axis) / (2 * n + 2 if type == 1 else 2 * n)
    if type == 2:
        return fft.dst(scaled_ends(dy, axis, 1, 2), 3, axis=axis)
    if type == 3:
        return scaled_ends(fft.dst(dy, 2, axis=axis), axis, 1, 0.5)
    return fft.dst(dy, type, axis=axis)


def inverse_type(type: int) -> int:  # noqa: A002
    """The type of the transform that undoes one."""
    return (1, 3, 2, 4)[type - 1]


def swapped_norm(norm: Any) -> str:
    """The scaling with which the inverse transform is the adjoint."""
    return {"ortho": "ortho", "forward": "backward"}.get(norm, "forward")
