"""The distances of `scipy.spatial.distance` undone; 0 between equal points."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import distance

from yota_ast.runtime.numpy.broadcast_adjoints import unsum

Array = Any


def pulls(dy: Array, y: Array, a: Array, b: Array, metric: str) -> Array:
    """The adjoint of `a` in `y = cdist(a, b, metric)`."""
    if metric == "cityblock":
        signs = np.sign(a[:, np.newaxis] - b[np.newaxis])
        return np.sum(dy[..., np.newaxis] * signs, axis=1)
    if metric == "cosine":
        p, q = (np.linalg.norm(v, axis=1, keepdims=True) for v in (a, b))
        cosines = (dy * (1 - y)).sum(axis=1, keepdims=True)
        return cosines * a / p**2 - (dy @ (b / q)) / p
    w = 2 * dy if metric == "sqeuclidean" else dy / (y + (y == 0)) * (y != 0)
    return w.sum(axis=1, keepdims=True) * a - w @ b


def unsquareform(dy: Array, x: Array) -> Array:
    """The adjoint of `x` in `squareform(x)`, which reads of a matrix what is above its
    diagonal."""
    if np.ndim(x) == 1:
        i, j = np.triu_indices(len(dy), 1)
        return dy[i, j] + dy[j, i]
    return np.triu(distance.squareform(dy))


def unpdist(dy: Array, y: Array, x: Array, metric: str) -> Array:
    """The adjoint of `x` in `y = pdist(x, metric)`."""
    if len(x) == 0:
        return np.zeros_like(x)
    d, z = distance.squareform(dy), distance.squareform(y)
    return pulls(d, z, x, x, metric)


def unjensenshannon(dy: Array, p: Array, q: Array, y: Array, axis: Any) -> Array:
    """The adjoint of `p` in `y = jensenshannon(p, q, axis=axis)`.

    `y**2` is half the sum of `a * log(a / m) + b * log(b / m)`, with the shares a of p
    and b of q, and their mean m: its slope in a is `log(a / m) / 2`.
    """
    total = np.sum(p, axis=axis, keepdims=True)
    a, b = p / total, q / np.sum(q, axis=axis, keepdims=True)
    da = unsum(dy / (4 * (y + (y == 0))), a, axis) * np.log(2 * a / (a + b))
    return (da - np.sum(da * a, axis=axis, keepdims=True)) / total
