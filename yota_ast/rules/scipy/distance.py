"""Distances of `scipy.spatial.distance`."""

from __future__ import annotations

import numpy as np
from scipy.spatial import distance

from yota_ast.rules.notation.rule import rule
from yota_ast.runtime.scipy.distance_adjoints import pulls, unpdist, unsquareform

METRICS = ("euclidean", "sqeuclidean", "cityblock", "cosine")


@rule(only={"metric": METRICS}, root="distance_root(y, metric)")
def cdist(a, b, metric="euclidean", *, dy):
    """Between equal points, where there is no slope, 0."""
    y = distance.cdist(a, b, metric)
    da = pulls(dy, y, a, b, metric)
    db = pulls(np.transpose(dy), np.transpose(y), b, a, metric)


@rule(only={"metric": METRICS}, root="distance_root(y, metric)")
def pdist(x, metric="euclidean", *, dy):
    """Between equal points, where there is no slope, 0."""
    y = distance.pdist(x, metric)
    dx = unpdist(dy, y, x, metric)


@rule(linear=["x"], only={"force": ("no",)})
def squareform(x, force="no", checks=True, *, dy):
    y = distance.squareform(x, force, checks)
    dx = unsquareform(dy, x)
