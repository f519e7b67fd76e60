"""Nearest points by trees, of `scipy.spatial`: the distances have a derivative, which
points are the nearest has none.
"""

from __future__ import annotations

import numpy as np
from scipy import spatial

from yota_ast.ir.abstract_values import Fact
from yota_ast.rules.inference.shapes import array_result
from yota_ast.rules.notation.rule import rule, settings
from yota_ast.runtime.scipy.neighbour_adjoints import points_of, unquery, unquery_points


def _tree() -> Fact:
    return Fact("model", cls=spatial.KDTree)


def _c_tree() -> Fact:
    return Fact("model", cls=spatial.cKDTree)


def _nearest() -> Fact:
    return Fact("tuple", items=(Fact("real", np.dtype(float)), Fact("real")), cls=tuple)


def _points() -> Fact:
    return array_result(float, (None, None))


ZERO = ["k", "eps", "distance_upper_bound", "workers"]


@rule(alias="maybe", zero=["leafsize", "boxsize"], fact=_tree)
def tree(
    data, leafsize=10, compact_nodes=True, copy_data=False, balanced_tree=True,
    boxsize=None, *, df,
):  # fmt: skip
    f = spatial.KDTree(data, leafsize, compact_nodes, copy_data, balanced_tree, boxsize)
    ddata = df


@rule(alias="maybe", zero=["leafsize", "boxsize"], fact=_c_tree)
def c_tree(
    data, leafsize=16, compact_nodes=True, copy_data=False, balanced_tree=True,
    boxsize=None, *, df,
):  # fmt: skip
    f = spatial.cKDTree(
        data, leafsize, compact_nodes, copy_data, balanced_tree, boxsize
    )
    ddata = df


@rule(
    sequences=["f"],
    also=[spatial.cKDTree.query],
    zero=ZERO,
    refused=settings("p"),
    fact=_nearest,
)
def nearest(f, x, k=1, eps=0.0, p=2.0, distance_upper_bound=np.inf, workers=1, *, dy):
    y = spatial.KDTree.query(f, x, k, eps, p, distance_upper_bound, workers)
    points = points_of(f)
    df = unquery_points(dy[0], y, points, x, p)
    dx = unquery(dy[0], y, points, x, p)


@rule(alias="view", sequences=["f"], fact=_points)
def points_of_tree(f, *, dy):
    y = points_of(f)
    df = dy


@rule(
    zero=["f", "x", "r", "p", "eps", "workers"], also=[spatial.cKDTree.query_ball_point]
)
def within_radius(
    f, x, r, p=2.0, eps=0, workers=1, return_sorted=None, return_length=False
):
    y = spatial.KDTree.query_ball_point(
        f, x, r, p, eps, workers, return_sorted, return_length
    )


@rule(zero=["f", "r", "p", "eps"], also=[spatial.cKDTree.query_pairs])
def close_pairs(f, r, p=2.0, eps=0, output_type="set"):
    y = spatial.KDTree.query_pairs(f, r, p, eps, output_type)
