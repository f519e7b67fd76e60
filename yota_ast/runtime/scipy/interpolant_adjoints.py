"""Splines and interpolants that SciPy makes of values, undone.

The adjoint of a piecewise polynomial is that of its coefficients `f.c`; the adjoint of
an `interp1d` is that of its values `f.y`, in the order of `f.x`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import interpolate

from yota_ast.runtime.numpy.broadcast_adjoints import along_curve

Array = Any


def uncubic(dc: Array, x: Array, y: Array, bc_type: str = "not-a-knot") -> Array:
    """The adjoint of `y` in `CubicSpline(x, y, bc_type=bc_type)`: the coefficients are
    linear in the values."""
    matrix = interpolate.CubicSpline(x, np.eye(len(x)), bc_type=bc_type).c
    dc = np.broadcast_to(dc, (*matrix.shape[:2], *np.shape(y)[1:]))
    return np.tensordot(matrix, dc, ((0, 1), (0, 1)))


def unpiecewise(dy: Array, f: Any, x: Array, nu: int = 0) -> Array:
    """The adjoint of the coefficients in `f(x, nu)`."""
    x = np.asarray(x)
    at = np.clip(np.searchsorted(f.x, x, "right") - 1, 0, len(f.x) - 2)
    s = np.reshape(x - f.x[at], x.shape + (1,) * (f.c.ndim - 2))
    dc: Any = np.zeros(f.c.shape)
    for k in range(len(f.c)):
        p = len(f.c) - 1 - k
        if p >= nu:
            np.add.at(dc[k], at, dy * math.perm(p, nu) * s ** (p - nu))
    return dc


def unpiecewise_derivative(dc: Array, f: Any, nu: int = 1) -> Array:
    """The adjoint of the coefficients in `f.derivative(nu)`."""
    d = np.zeros(f.c.shape)
    for k in range(len(f.c) - nu):
        d[k] = math.perm(len(f.c) - 1 - k, nu) * np.broadcast_to(dc, f.c[nu:].shape)[k]
    return d


def unpiecewise_integral(dy: Array, f: Any, a: float, b: float) -> Array:
    """The adjoint of the coefficients in `f.integrate(a, b)`."""
    low, high = np.array(f.x[:-1]), np.array(f.x[1:])
    low[0], high[-1] = -np.inf, np.inf
    ends = [np.clip(e, low, high) - f.x[:-1] for e in (a, b)]
    dc = np.zeros(f.c.shape)
    for k in range(len(f.c)):
        p = len(f.c) - k
        part = (ends[1] ** p - ends[0] ** p) / p
        dc[k] = np.multiply.outer(part, dy)
    return dc


def unsorted(d: Array, x: Array, y: Array, axis: int = -1) -> Array:
    """The adjoint of `y` in `interp1d(x, y, axis=axis)`, which sorts the points."""
    order = np.argsort(x, kind="mergesort")
    sorted_, dy = np.broadcast_to(d, np.shape(y)), np.zeros(np.shape(y))
    np.moveaxis(dy, axis, 0)[order] = np.moveaxis(sorted_, axis, 0)
    return dy


def in_order(d: Array, x: Array, axis: int = -1) -> Array:
    """Values in the order in which `interp1d(x, y, axis=axis)` sorts them."""
    return np.take(d, np.argsort(x, kind="mergesort"), axis)


def inside(f: Any, x: Array) -> Array:
    """Where an `interp1d` is not the constant that it is beyond its ends."""
    return f._extrapolate | ((f.x[0] <= x) & (x <= f.x[-1]))


def uninterpolated(dy: Array, f: Any, x: Array) -> Array:
    """The adjoint of the values in `f(x)` of an `interp1d`, which is linear in them."""
    x = np.asarray(x)
    kind = f._spline.k if f._kind == "spline" else f._kind
    unit = interpolate.interp1d(
        f.x, np.eye(len(f.x)), kind, 0, bounds_error=False, fill_value="extrapolate"
    )
    shares = np.where(inside(f, x)[..., np.newaxis], unit(x), 0.0)
    d = np.moveaxis(dy, range(f.axis, f.axis + x.ndim), range(x.ndim))
    axes = tuple(range(x.ndim))
    return np.moveaxis(np.tensordot(shares, d, (axes, axes)), 0, f.axis)


def with_values(f: Any, d: Array) -> Any:
    """An `interp1d` as `f` is, of the values `d`; 0 where `f` is constant beyond its
    ends."""
    kind = f._spline.k if f._kind == "spline" else f._kind
    beyond = "extrapolate" if f._extrapolate else 0.0
    return interpolate.interp1d(
        f.x, d, kind, f.axis, bounds_error=False, fill_value=beyond
    )


def interpolated_values(d: Array, f: Any, x: Array) -> Array:
    """The tangent of `f(x)` of an `interp1d` whose values have the tangent `d`."""
    return with_values(f, d)(x)


def slope_of(f: Any, x: Array, nu: int = 1) -> Array:
    """The derivative of an `interp1d`; on the knots of a line that to the right."""
    x = np.asarray(x)
    values = np.moveaxis(f.y, f.axis, 0)
    if f._kind not in ("linear", "spline"):
        slope = np.zeros(x.shape + values.shape[1:])
    else:
        degree = f._spline.k if f._kind == "spline" else 1
        slope = interpolate.make_interp_spline(f.x, values, degree)(x, nu)
    at = inside(f, x)
    return slope * np.reshape(at, at.shape + (1,) * (np.ndim(slope) - at.ndim))


def slope_of_fitted(f: Any, x: Array, nu: int) -> Array:
    """The derivative of a fitted spline; 0 where it is constant beyond its ends."""
    d, knots = f(x, nu), f.get_knots()
    beyond = (x < knots[0]) | (x > knots[-1])
    return np.where(beyond, 0.0, d) if f.ext == 3 else d


def along_interpolant(
    dy: Array, slope: Array, axes: tuple[int, ...], x: Array
) -> Array:
    """The adjoint of `x` in `f(x)` of an `interp1d`, of the axes that points have."""
    return along_curve(np.moveaxis(dy, axes, tuple(range(np.ndim(x)))), slope, x)


def axes_of_points(f: Any, x: Array) -> tuple[int, ...]:
    """The axes of the points in the value of an `interp1d`."""
    return tuple(range(f.axis, f.axis + np.ndim(x)))
