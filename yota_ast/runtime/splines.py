"""The splines of `scipy.interpolate` undone."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def over_grid(d: Array, u: Array, v: Array, axis: int) -> Array:
    """What reaches `u` (axis 0) or `v` (axis 1) of all points of their grid."""
    grid = np.reshape(d, (np.size(u), np.size(v)))
    return np.reshape(grid.sum(axis=1 - axis), np.shape(u if axis == 0 else v))[()]
