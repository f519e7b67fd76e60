"""Distances to the nearest points, of `scipy.spatial`, undone: which points those are
has no slope.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def points_of(tree: Any) -> Array:
    """The points that a tree is made of."""
    if tree.boxsize is not None:
        raise ValueError("no gradient of distances in a periodic box")
    return np.asarray(tree.data)


def unquery(dy: Array, y: Any, points: Array, x: Array, p: float = 2.0) -> Array:
    """The adjoint of `x` in the distances of `y = tree.query(x, p=p)`; of a distance of
    0, which has no slope, 0."""
    near, _, slopes = steps_between(y, points, x, p)
    d = np.expand_dims(np.where(near, dy, 0.0), -1) * slopes
    return np.sum(d, -2) if np.ndim(y[0]) == np.ndim(x) else d


def unquery_points(dy: Array, y: Any, points: Array, x: Array, p: float = 2.0) -> Array:
    """The adjoint of the points of the tree, the same way."""
    near, found, slopes = steps_between(y, points, x, p)
    dpoints = np.zeros(np.shape(points))
    np.add.at(dpoints, found, -np.expand_dims(np.where(near, dy, 0.0), -1) * slopes)
    return dpoints


def steps_between(y: Any, points: Array, x: Array, p: float) -> Any:
    """Where there is a neighbour near enough, which it is, else the first, and the
    slopes of its distance."""
    if not np.isfinite(p):
        raise ValueError("no gradient of the largest difference, p=inf")
    x, distances = np.asarray(x), np.asarray(y[0])
    near = np.isfinite(distances) & (distances > 0)
    found = np.where(near, np.asarray(y[1]), 0)
    starts = np.expand_dims(x, -2) if np.ndim(distances) == x.ndim else x
    steps = starts - np.asarray(points)[found]
    size = np.expand_dims(np.where(near, distances, 1.0), -1)
    return near, found, np.sign(steps) * (np.abs(steps) / size) ** (p - 1)
