"""Real and imaginary parts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any


def real_like(d: Array, x: Array) -> Array:
    """The real part of `d` where `x` is real."""
    return d if np.iscomplexobj(x) else np.real(d)


def conjugate(x: Array) -> Array:
    """`conj(x)`; a real `x` itself."""
    return np.conj(x) if np.iscomplexobj(x) else x


def unsign(dy: Array, x: Array, y: Array) -> Array:
    """The adjoint of `x` in `y = sign(x)`, of complex numbers `x / abs(x)`."""
    r = np.abs(x)
    along = y * np.real(np.conj(y) * dy)
    return (dy - along) / (r + (r == 0)) if np.iscomplexobj(x) else 0 * dy


def unimag(dy: Array, x: Array) -> Array:
    """The adjoint of `x` in `imag(x)`: 0 for a real one."""
    return 1j * dy if np.iscomplexobj(x) else 0 * dy


def unangle(dy: Array, x: Array, deg: bool = False) -> Array:
    """The adjoint of `x` in `angle(x)`: 0 for a real one, and at 0."""
    if not np.iscomplexobj(x):
        return 0 * dy
    r = np.abs(x)
    s = r + (r == 0)
    return (180 / math.pi if deg else 1) * 1j * dy * (x / s) / s


def with_real(x: Array, part: Array) -> Array:
    """The complex array `x` with another real part."""
    y = np.copy(x)
    y.real = part
    return y


def with_imag(x: Array, part: Array) -> Array:
    """The complex array `x` with another imaginary part."""
    y = np.copy(x)
    y.imag = part
    return y
