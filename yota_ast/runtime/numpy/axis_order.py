"""Axes put back in order, types put back."""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.runtime.numpy.broadcast_adjoints import unbroadcast

Array = Any


def untranspose(dy: Array, axes: Any = None) -> Array:
    """The adjoint of `x` in `transpose(x, axes)`."""
    if axes is None or len(axes) == 0 or axes[0] is None:
        return np.transpose(dy)
    if np.ndim(axes[0]):
        axes = axes[0]  # x.transpose((1, 0))
    return np.transpose(dy, np.argsort([k % np.ndim(dy) for k in axes]).tolist())


def unroll_axis(dy: Array, axis: int, start: int = 0) -> Array:
    """The adjoint of `x` in `rollaxis(x, axis, start)`."""
    n = np.ndim(dy)
    axis, start = axis % n, start + n if start < 0 else start
    return np.moveaxis(dy, start - 1 if start > axis else start, axis)


def uncast(dy: Array, x: Array, dtype: Any) -> Array:
    """The adjoint of `x` in `x.astype(dtype)`: 0 for a dtype of whole numbers."""
    if np.dtype(dtype).kind not in "fcO":
        return np.zeros_like(x, dtype=np.result_type(x, 0.0))
    d = dy if np.iscomplexobj(x) else np.real(dy)
    return np.reshape(d, np.shape(d)).astype(np.result_type(x, 0.0))


def uncast_array(dy: Array, x: Any, dtype: Any = None) -> Array:
    """The adjoint of `x` in `np.array(x, dtype)`: 0 for a dtype of whole numbers."""
    if dtype is None or np.dtype(dtype).kind in "fcO":
        d = np.reshape(dy, np.shape(x))
        d = d.astype(np.result_type(d, np.reshape(x, np.shape(x))), copy=False)
        return d if np.iscomplexobj(x) else np.real(d)
    return np.zeros_like(x, dtype=np.result_type(dy, 0.0))


def unlinspace(
    dy: Array, start: Array, stop: Array, num: int = 50, endpoint: bool = True
) -> Any:
    """The adjoints of `start` and `stop` in `linspace(start, stop, num, endpoint)`."""
    share = np.arange(num, like=dy) / max(int(num) - bool(endpoint), 1)
    share = share.astype(dy.dtype).reshape(-1, *(1,) * (np.ndim(dy) - 1))
    dstop = np.sum(dy * share, axis=0)
    return unbroadcast(np.sum(dy, axis=0) - dstop, start), unbroadcast(dstop, stop)
