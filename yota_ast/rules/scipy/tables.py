"""Surfaces and tables on a grid of `scipy.interpolate`, at the points: what they go
through is fixed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from yota_ast.ir.abstract_values import UNKNOWN, Fact, array_fact
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.rules.inference.dims import broadcast
from yota_ast.rules.inference.infer import as_array_fact
from yota_ast.rules.inference.shapes import array_result
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import unbroadcast
from yota_ast.runtime.scipy.table_slopes import (
    slope_of_surface,
    slopes_of_table,
    to_coordinates,
    to_side,
)

FITTED = "there is no formula for the derivative in the values of a table"
SIDES = (None, None, None, None)


def made(cls: type) -> Any:
    """The fact of an object that is made of values."""

    def fact() -> Fact:
        return Fact("model", cls=cls, element=array_fact(np.float64, None))

    return fact


def _pairs(u: Atom, v: Atom) -> Fact:
    shapes = [as_array_fact(fact_of_atom(a)).shape for a in (u, v)]
    return array_result(np.float64, broadcast(shapes))


def _grid_or_pairs(u: Atom, v: Atom, grid: Atom) -> Fact:
    """The points of a grid have two axes, whatever its sides have."""
    if grid == Const(False):
        return _pairs(u, v)
    return array_fact(np.float64, (None, None))


def _in_table(f: Atom, x: Atom) -> Fact:
    """A number at each point; one of one coordinate is given as a number."""
    data: Any = f.value if isinstance(f, Const) else None
    if isinstance(data, interpolate.RegularGridInterpolator) and (
        data.values.ndim > len(data.grid) or data.values.dtype.kind == "c"
    ):
        return UNKNOWN
    known = fact_of_atom(x)
    if known.kind == "tuple" and known.items is not None:
        shapes = [as_array_fact(item).shape for item in known.items]
        return array_result(np.float64, broadcast(shapes))
    rank = as_array_fact(known).rank
    return array_fact(np.float64, None if rank is None else (None,) * max(rank - 1, 1))


@rule(
    alias="maybe",
    zero=["bbox", "kx", "ky", "s", "maxit"],
    refused={"x": FITTED, "y": FITTED, "z": FITTED},
    fact=made(interpolate.RectBivariateSpline),
)
def surface(x, y, z, bbox=SIDES, kx=3, ky=3, s=0, maxit=20, *, df):
    f = interpolate.RectBivariateSpline(x, y, z, bbox, kx, ky, s, maxit)


@rule(
    zero=["m", "n"],
    refused={"f": FITTED},
    only={"grid": (True, False)},
    fact=_grid_or_pairs,
)
def of_surface(f, u, v, m=0, n=0, grid=True, *, dy):
    """M and n are SciPy's `dx` and `dy`, the orders of the derivative."""
    y = interpolate.BivariateSpline.__call__(f, u, v, m, n, grid)
    du = to_side(dy * slope_of_surface(f, u, v, m, n, grid, 0), u, 0, grid)
    dv = to_side(dy * slope_of_surface(f, u, v, m, n, grid, 1), v, 1, grid)


@rule(zero=["m", "n"], refused={"f": FITTED}, fact=_pairs)
def of_surface_ev(f, u, v, m=0, n=0, *, dy):
    y = interpolate.BivariateSpline.ev(f, u, v, m, n)
    du = unbroadcast(dy * slope_of_surface(f, u, v, m, n, False, 0), u)
    dv = unbroadcast(dy * slope_of_surface(f, u, v, m, n, False, 1), v)


@rule(
    alias="maybe",
    zero=["method"],
    sequences=["points"],
    refused={
        "points": FITTED,
        "values": FITTED,
        "fill_value": "what it fills is not followed",
    },
    fact=made(interpolate.RegularGridInterpolator),
)
def table(points, values, method="linear", bounds_error=True, fill_value=np.nan, *, df):
    f = interpolate.RegularGridInterpolator(
        points, values, method, bounds_error, fill_value
    )


@rule(sequences=["x"], refused={"f": FITTED}, only={"method": (None,)}, fact=_in_table)
def in_table_at_coordinates(f, x: tuple, method=None, *, dy):
    """On the knots the slope to the right."""
    y = interpolate.RegularGridInterpolator.__call__(f, x, method)
    dx = to_coordinates(np.expand_dims(dy, -1) * slopes_of_table(f, x), x)


@rule(refused={"f": FITTED}, only={"method": (None,)}, fact=_in_table)
def in_table(f, x, method=None, *, dy):
    y = interpolate.RegularGridInterpolator.__call__(f, x, method)
    dx = np.reshape(np.expand_dims(dy, -1) * slopes_of_table(f, x), np.shape(x))
