"""Fourier transforms undone."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def opposite(norm: Any) -> Any:
    """The scaling with which the inverse transform is the adjoint."""
    return {"ortho": "ortho", "forward": "backward"}.get(norm, "forward")


def fitted(d: Array, x: Array, axes: Any) -> Array:
    """`d` cut, or with zeros added, to the lengths of `x` along `axes`."""
    for k in axes:
        n, have = np.shape(x)[k], np.shape(d)[k]
        d = np.moveaxis(d, k, 0)[:n]
        if have < n:
            more = np.zeros_like(d, shape=(n - have, *d.shape[1:]))
            d = np.concatenate((d, more))
        d = np.moveaxis(d, 0, k)
    return d


def axes_of(x: Array, s: Any, axes: Any) -> Any:
    """The axes of a transform of several: the last `len(s)`, or all."""
    if axes is not None:
        return [int(k) for k in axes]
    return list(range(-(np.ndim(x) if s is None else len(s)), 0))


def unfft(dy: Array, x: Array, axis: int = -1, norm: Any = None) -> Array:
    """The adjoint of `x` in `fft(x, n, axis, norm)`."""
    return fitted(np.fft.ifft(dy, None, axis, opposite(norm)), x, [axis])


def unifft(dy: Array, x: Array, axis: int = -1, norm: Any = None) -> Array:
    """The adjoint of `x` in `ifft(x, n, axis, norm)`."""
    return fitted(np.fft.fft(dy, None, axis, opposite(norm)), x, [axis])


def unfftn(
    dy: Array, x: Array, s: Any = None, axes: Any = None, norm: Any = None
) -> Array:
    """The adjoint of `x` in `fftn(x, s, axes, norm)`."""
    axes = axes_of(x, s, axes)
    return fitted(np.fft.ifftn(dy, None, axes, opposite(norm)), x, axes)


def unifftn(
    dy: Array, x: Array, s: Any = None, axes: Any = None, norm: Any = None
) -> Array:
    """The adjoint of `x` in `ifftn(x, s, axes, norm)`."""
    axes = axes_of(x, s, axes)
    return fitted(np.fft.fftn(dy, None, axes, opposite(norm)), x, axes)


def unrfft(
    dy: Array, x: Array, n: Any = None, axis: int = -1, norm: Any = None
) -> Array:
    """The adjoint of `x` in `rfft(x, n, axis, norm)`: half of a spectrum."""
    n = np.shape(x)[axis] if n is None else n
    d = np.moveaxis(dy, axis, -1).copy()
    d[..., 1 : (n + 1) // 2] /= 2
    d = np.fft.irfft(d, n, norm=opposite(norm))
    return fitted(np.moveaxis(d, -1, axis), x, [axis])


def unirfft(dy: Array, x: Array, axis: int = -1, norm: Any = None) -> Array:
    """The adjoint of `x` in `irfft(x, n, axis, norm)`: all but the ends count twice."""
    n = np.shape(dy)[axis]
    d = np.moveaxis(np.fft.rfft(dy, n, axis, opposite(norm)), axis, -1)
    twice = np.full_like(d, 2, shape=d.shape[-1])
    twice[0] = 1
    twice[(n + 1) // 2 :] = 1
    return fitted(np.moveaxis(d * twice, -1, axis), x, [axis])


def unrfftn(
    dy: Array, x: Array, s: Any = None, axes: Any = None, norm: Any = None
) -> Array:
    """The adjoint of `x` in `rfftn(x, s, axes, norm)`."""
    *others, last = axes_of(x, s, axes)
    d = np.fft.ifftn(dy, None, others, opposite(norm)) if others else dy
    d = fitted(d, x, others)
    return unrfft(d, x, None if s is None else s[-1], last, norm)


def unirfftn(
    dy: Array, x: Array, s: Any = None, axes: Any = None, norm: Any = None
) -> Array:
    """The adjoint of `x` in `irfftn(x, s, axes, norm)`."""
    *others, last = axes_of(x, s, axes)
    d = unirfft(dy, x, last, norm)
    d = np.fft.fftn(d, None, others, opposite(norm)) if others else d
    return fitted(d, x, others)
