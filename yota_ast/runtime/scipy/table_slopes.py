"""The slopes of SciPy's surfaces and of its tables on a grid, at points.

In: a `BivariateSpline` or a `RegularGridInterpolator`, and the points at which it is
called.  Out: the slopes there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.runtime.numpy.broadcast_adjoints import unbroadcast
from yota_ast.runtime.scipy.spline_adjoints import along

Array = Any


def slope_of_surface(
    f: Any, u: Array, v: Array, m: int, n: int, grid: bool, axis: int
) -> Array:
    """The slope of `f(u, v, m, n, grid)` in `u` (axis 0) or `v` (axis 1).

    0 outside the surface, which goes on there as it is at its edge. FITPACK gives no
    slope of what is linear between the knots: that is a difference of its ends.
    """
    knots, degree = f.get_knots()[axis], f.degrees[axis]
    x = np.asarray(v if axis else u)
    if (m, n)[axis] + 1 < degree:
        y = f(u, v, m + (axis == 0), n + (axis == 1), grid)
    else:
        k = np.searchsorted(knots, x, "right")
        k = np.clip(k, degree + 1, len(knots) - degree - 1)
        ends = [(u, e) if axis else (e, v) for e in (knots[k - 1], knots[k])]
        low, high = (f(*e, m, n, grid) for e in ends)
        width = knots[k] - knots[k - 1]
        y = (high - low) / (along(width, axis, low.shape) if grid else width)
    inside = (knots[0] <= x) & (x <= knots[-1])
    return y * (along(inside, axis, y.shape) if grid else inside)


def slopes_of_table(f: Any, x: Array) -> Array:
    """The slopes of `f(x)` in each coordinate, along the last axis; on the knots of a
    table that is linear those to the right."""
    if f.values.ndim > len(f.grid) or np.iscomplexobj(f.values) or f.method == "pchip":
        raise ValueError("the slope of this table is unknown")
    if isinstance(x, tuple):
        x = np.stack(np.broadcast_arrays(*x), axis=-1)
    x = np.reshape(x, (-1, 1) if len(f.grid) == 1 and np.ndim(x) < 2 else np.shape(x))
    slopes = [slope_in_table(f, np.atleast_2d(x), k) for k in range(len(f.grid))]
    slope = np.stack(slopes, axis=-1)
    if f.bounds_error or f.fill_value is None:
        return slope
    low, high = (np.array([knots[end] for knots in f.grid]) for end in (0, -1))
    inside = np.all((low <= x) & (x <= high), axis=-1, keepdims=True)
    return np.where(inside, slope, 0.0)


def slope_in_table(f: Any, x: Array, k: int) -> Array:
    """The slope of `f(x)` in one coordinate."""
    if f.method == "nearest":
        return np.zeros(x.shape[:-1])
    if f.method != "linear":
        return f(x, nu=[int(k == j) for j in range(len(f.grid))])
    knots = f.grid[k]
    at = np.clip(np.searchsorted(knots, x[..., k], "right"), 1, len(knots) - 1)
    ends = []
    for end in (knots[at - 1], knots[at]):
        moved = np.array(x, float)
        moved[..., k] = end
        ends.append(f(moved))
    return (ends[1] - ends[0]) / (knots[at] - knots[at - 1])


def to_coordinates(d: Array, x: tuple[Array, ...]) -> tuple[Array, ...]:
    """What reaches each coordinate of points that are given as a tuple of them."""
    return tuple([unbroadcast(np.take(d, k, -1), part) for k, part in enumerate(x)])


def to_side(d: Array, x: Array, axis: int, grid: bool) -> Array:
    """What reaches `u` (axis 0) or `v` (axis 1) of their grid, or of their pairs."""
    return unbroadcast(np.sum(d, axis=1 - axis) if grid else d, x)
