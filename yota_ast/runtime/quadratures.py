"""The rules of quadrature of `scipy.integrate` undone."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate

from .broadcasting import restored, unbroadcast
from .reductions import undiff

Array = Any


def simpson_weights(u: Array, x: Array, h: Array, axis: int) -> Array:
    """What `simpson` multiplies each element of `u` by."""
    n = np.shape(u)[axis]
    if x is None or np.ndim(x) == 1:
        weights = integrate.simpson(np.eye(n), x=x, dx=h, axis=-1)
        return np.reshape(
            weights, [n if k == axis % np.ndim(u) else 1 for k in range(np.ndim(u))]
        )
    z = np.moveaxis(np.asarray(x), axis, -1)
    z = np.broadcast_to(z[..., np.newaxis, :], (*z.shape, n))
    return np.moveaxis(
        integrate.simpson(np.broadcast_to(np.eye(n), z.shape), x=z), -1, axis
    )


def uncumulative_trapezoid(
    dy: Array, u: Array, x: Array, h: Array, axis: int = -1, initial: Any = None
) -> Any:
    """The adjoints of `u`, `x` and the spacing `h`; None for no `x`."""
    u, d = np.moveaxis(np.asarray(u), axis, -1), np.moveaxis(dy, axis, -1)
    d = d if initial is None else d[..., 1:]
    d = np.flip(np.cumsum(np.flip(d, -1), -1), -1)
    steps: Any = h
    if x is not None:
        steps = np.diff(x if np.ndim(x) == 1 else np.moveaxis(np.asarray(x), axis, -1))
    mean = (u[..., 1:] + u[..., :-1]) / 2
    du = np.zeros_like(u, dtype=np.result_type(u, d))
    du[..., 1:] += d * steps / 2
    du[..., :-1] += d * steps / 2
    du = np.moveaxis(du, -1, axis)
    if x is None:
        return du, None, unbroadcast(d * mean, h)
    dx = undiff(unbroadcast(d * mean, steps), x if np.ndim(x) == 1 else u, 1, -1)
    return du, dx if np.ndim(x) == 1 else np.moveaxis(dx, -1, axis), None


def unsimpson(dy: Array, u: Array, x: Array, h: Array, axis: int = -1) -> Array:
    """The adjoint of `u` in `simpson(u, x=x, dx=h, axis=axis)`."""
    weights = simpson_weights(u, x, h, axis)
    return restored(dy, axis) * weights.astype(np.result_type(u, np.float16))
