"""Splines of `scipy.interpolate`, at the points; their knots and weights are fixed."""

from __future__ import annotations

import numpy as np
from scipy import interpolate

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, fact_of_atom
from yota_ast.rules.inference.infer import as_array_fact
from yota_ast.rules.inference.shapes import array_result
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import signed
from yota_ast.runtime.scipy.spline_adjoints import over_grid, surface_slope

FIT = "there is no formula for the derivative in the knots and weights of a spline"


def _like_points(x: Atom) -> Fact:
    """An array of the shape of the points, with no axes where that has none."""
    return array_result(np.float64, as_array_fact(fact_of_atom(x)).shape)


def _grid(u: Atom, v: Atom) -> Fact:
    """A number for two numbers; else an array of the points of the grid."""
    ranks = [as_array_fact(fact_of_atom(a)).rank for a in (u, v)]
    if ranks == [0, 0]:
        return Fact("scalar", np.dtype(np.float64), ())
    return Fact("real", np.dtype(np.float64))


@rule(
    zero=["der", "ext"],
    refused={"tck": FIT},
    only={"ext": (0, 1, 2)},
    fact=_like_points,
)
def splev(x, tck, der=0, ext=0, *, dy):
    y = interpolate.splev(x, tck, der, ext)
    dx = dy * interpolate.splev(x, tck, signed(der) + 1, ext)


@rule(zero=["m", "n"], refused={"tck": FIT}, fact=_grid)
def bisplev(u, v, tck, m=0, n=0, *, dy):
    """M and n are SciPy's `dx` and `dy`, the orders of the derivative."""
    y = interpolate.bisplev(u, v, tck, m, n)
    du = over_grid(dy * surface_slope(u, v, tck, m, n, 0), u, v, 0)
    dv = over_grid(dy * surface_slope(u, v, tck, m, n, 1), u, v, 1)
