"""The rules of quadrature of `scipy.integrate` undone."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate

from yota_ast.runtime.numpy.broadcast_adjoints import restored, unbroadcast
from yota_ast.runtime.numpy.reduction_adjoints import undiff

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
    return restored(dy, axis) * weights.astype(np.result_type(u, 0.0))


def unsimpson_points(dy: Array, u: Array, x: Array, axis: int = -1) -> Array:
    """The adjoint of `x` in `simpson(u, x=x, axis=axis)`.

    Of each pair of steps h and k between values a, b, c the integral is that of their
    parabola; an odd last step is that of the parabola of the last three (Cartwright
    2017).
    """
    u, d = np.moveaxis(np.asarray(u), axis, -1), restored(dy, -1)
    z = np.asarray(x) if np.ndim(x) == 1 else np.moveaxis(np.asarray(x), axis, -1)
    n = u.shape[-1]
    steps = np.broadcast_to(np.diff(z), (*u.shape[:-1], n - 1))
    dsteps = np.zeros(steps.shape, np.result_type(u, steps, np.float16))
    if n == 2:
        dsteps[...] = (u[..., 1:] + u[..., :-1]) / 2
    whole = n - 1 - (n + 1) % 2
    h, k = steps[..., 0:whole:2], steps[..., 1:whole:2]
    a, b, c = (u[..., j : j + whole - 1 : 2] for j in range(3))
    r, s = k / np.where(h == 0, 1, h), h / np.where(k == 0, 1, k)
    if n > 2:
        mid = (h + k) ** 2 / (h * k)
        dh = a * (2 + r * r) + b * mid * (3 - (h + k) / h) + c * (1 - 2 * s)
        dk = a * (1 - 2 * r) + b * mid * (3 - (h + k) / k) + c * (2 + s * s)
        dsteps[..., 0:whole:2] += dh / 6
        dsteps[..., 1:whole:2] += dk / 6
    if n > 2 and n % 2 == 0:
        h, k = steps[..., -2], steps[..., -1]
        a, b, c = u[..., -3], u[..., -2], u[..., -1]
        t = h + k
        dh = c * k**2 / t**2 - b * k**2 / h**2 + a * k**3 * (2 * h + k) / (h * t) ** 2
        dk = c * (2 * k**2 + 4 * h * k + 3 * h**2) / t**2 + b * (2 * k / h + 3)
        dk = dk - a * k**2 * (3 * h + 2 * k) / (h * t**2)
        dsteps[..., -2] += dh / 6
        dsteps[..., -1] += dk / 6
    dx = undiff(unbroadcast(d * dsteps, np.diff(z)), z, 1, -1)
    return dx if np.ndim(x) == 1 else np.moveaxis(dx, -1, axis)
