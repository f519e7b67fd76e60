"""Distances of `scipy.spatial.distance`."""

from __future__ import annotations

import numpy as np
from scipy.spatial import distance

from yota_ast.rules.notation.rule import rule, settings
from yota_ast.runtime import unnorm
from yota_ast.runtime.scipy.distance_adjoints import (
    pulls,
    unjensenshannon,
    unpdist,
    unsquareform,
)

METRICS = ("euclidean", "sqeuclidean", "cityblock", "cosine")
PLAIN = {"w": (None,)}


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


# ---------------------------------------------------------------- of two vectors


@rule(only=PLAIN, root="y")
def euclidean(u, v, w=None, *, dy):
    """Between equal points, where there is no slope, 0."""
    y = distance.euclidean(u, v, w)
    du = unnorm(dy, u - v, y)
    dv = unnorm(dy, v - u, y)


@rule(only=PLAIN)
def sqeuclidean(u, v, w=None, *, dy):
    y = distance.sqeuclidean(u, v, w)
    du = 2 * dy * (u - v)
    dv = 2 * dy * (v - u)


@rule(zero=["p"], refused=settings("p"), only=PLAIN, root="y")
def minkowski(u, v, p=2, w=None, *, dy):
    """Between equal points, where there is no slope, 0."""
    y = distance.minkowski(u, v, p, w)
    du = unnorm(dy, u - v, y, p)
    dv = unnorm(dy, v - u, y, p)


@rule(only=PLAIN)
def cityblock(u, v, w=None, *, dy):
    """In items that are equal, where there is no slope, 0."""
    y = distance.cityblock(u, v, w)
    du = dy * np.sign(u - v)
    dv = dy * np.sign(v - u)


@rule(only=PLAIN)
def chebyshev(u, v, w=None, *, dy):
    """Items that are equally far apart share the slope."""
    y = distance.chebyshev(u, v, w)
    du = unnorm(dy, u - v, y, np.inf)
    dv = unnorm(dy, v - u, y, np.inf)


@rule(only=PLAIN)
def canberra(u, v, w=None, *, dy):
    """The items are `|u - v| / (|u| + |v|)`; where both are 0, there is no slope: 0."""
    y = distance.canberra(u, v, w)
    size = np.abs(u) + np.abs(v) + ((np.abs(u) + np.abs(v)) == 0)
    t = np.abs(u - v) / size
    du = dy * (np.sign(u - v) - t * np.sign(u)) / size
    dv = dy * (np.sign(v - u) - t * np.sign(v)) / size


@rule(only=PLAIN)
def braycurtis(u, v, w=None, *, dy):
    """`y = sum(|u - v|) / sum(|u + v|)`."""
    y = distance.braycurtis(u, v, w)
    t = dy / np.sum(np.abs(u + v))
    du = t * (np.sign(u - v) - y * np.sign(u + v))
    dv = t * (np.sign(v - u) - y * np.sign(u + v))


@rule(only=PLAIN)
def cosine(u, v, w=None, *, dy):
    """`y = 1 - (u @ v) / (|u| * |v|)`."""
    y = distance.cosine(u, v, w)
    p = np.linalg.norm(u)
    q = np.linalg.norm(v)
    du = dy * ((1 - y) / p * (u / p) - v / (p * q))
    dv = dy * ((1 - y) / q * (v / q) - u / (p * q))


@rule(only=PLAIN | {"centered": (True,)})
def correlation(u, v, w=None, centered=True, *, dy):
    """The cosine distance of what is left without the means."""
    y = distance.correlation(u, v, w, centered)
    a = u - np.mean(u)
    b = v - np.mean(v)
    p = np.linalg.norm(a)
    q = np.linalg.norm(b)
    du = dy * ((1 - y) / p * (a / p) - b / (p * q))
    dv = dy * ((1 - y) / q * (b / q) - a / (p * q))


@rule(root="y")
def seuclidean(u, v, V, *, dy):
    """`y = sqrt(sum((u - v) ** 2 / V))`; between equal points, where there is no
    slope, 0."""
    y = distance.seuclidean(u, v, V)
    t = dy / (y + (y == 0)) * (u - v)
    du = t / V
    dv = -t / V
    dV = -t * (u - v) / (2 * V * V)


@rule(root="y")
def mahalanobis(u, v, VI, *, dy):
    """`y = sqrt((u - v) @ VI @ (u - v))`; between equal points, where there is no
    slope, 0."""
    y = distance.mahalanobis(u, v, VI)
    d = u - v
    t = dy / (2 * (y + (y == 0)))
    du = t * (np.dot(VI, d) + np.dot(d, VI))
    dv = -t * (np.dot(VI, d) + np.dot(d, VI))
    dVI = t * np.outer(d, d)


@rule(zero=["axis"], only={"base": (None,), "keepdims": (False,)}, root="y")
def jensenshannon(p, q, base=None, *, axis=0, keepdims=False, dy):
    """`y = sqrt((sum(a * log(a / m)) + sum(b * log(b / m))) / 2)` of the shares a, b of
    p, q and their mean m; between equal ones, where there is no slope, 0."""
    y = distance.jensenshannon(p, q, base, axis=axis, keepdims=keepdims)
    dp = unjensenshannon(dy, p, q, y, axis)
    dq = unjensenshannon(dy, q, p, y, axis)
