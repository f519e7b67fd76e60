"""The splines of `scipy.interpolate` undone."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

Array = Any


def surface_slope(u: Array, v: Array, tck: Any, m: int, n: int, axis: int) -> Array:
    """The slope of `bisplev(u, v, tck, m, n)` in `u` (axis 0) or `v` (axis 1).

    0 outside the surface, which goes on there as it is at its edge. FITPACK gives no
    slope of what is linear between the knots: that is a difference of its ends.
    """
    m, n = int(m), int(n)
    knots, degree = tck[axis], tck[3 + axis]
    x = np.asarray(v if axis else u)
    if (m, n)[axis] + 1 < degree:
        y = interpolate.bisplev(u, v, tck, m + (axis == 0), n + (axis == 1))
    else:
        k = np.searchsorted(knots, x, "right")
        k = np.clip(k, degree + 1, len(knots) - degree - 1)
        ends = [(u, e) if axis else (e, v) for e in (knots[k - 1], knots[k])]
        low, high = (interpolate.bisplev(*e, tck, m, n) for e in ends)
        y = (high - low) / along(knots[k] - knots[k - 1], axis, np.shape(low))
    inside = (knots[0] <= x) & (x <= knots[-1])
    return y * along(inside, axis, np.shape(y))


def along(x: Array, axis: int, shape: tuple[int, ...]) -> Array:
    """`x` as it lies along an axis of a grid, if the grid has that axis."""
    return np.reshape(x, (-1, 1)) if axis == 0 and len(shape) == 2 else x


def over_grid(d: Array, u: Array, v: Array, axis: int) -> Array:
    """What reaches `u` (axis 0) or `v` (axis 1) of all points of their grid."""
    grid = np.reshape(d, (np.size(u), np.size(v)))
    return np.reshape(grid.sum(axis=1 - axis), np.shape(u if axis == 0 else v))[()]
