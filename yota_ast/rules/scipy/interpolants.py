"""Splines and interpolants of `scipy.interpolate`, made of values and called.

They are linear in the values; the points through which they go are fixed.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from scipy import interpolate

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.abstract_values import Fact, array_fact
from yota_ast.ir.atoms import Atom, Const, fact_of_atom
from yota_ast.rules.inference.infer import as_array_fact
from yota_ast.rules.inference.shapes import array_result
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import along_curve, signed
from yota_ast.runtime.scipy.interpolant_adjoints import (
    along_interpolant,
    axes_of_points,
    slope_of,
    slope_of_fitted,
    uncubic,
    uninterpolated,
    unpiecewise,
    unpiecewise_derivative,
    unpiecewise_integral,
    unsorted,
)

POINTS = "there is no formula for the derivative in the points of a spline"
SHAPE = "the curve is not linear in the values"
FITTED = "there is no formula for the derivative in the values of a fitted spline"
STRAIGHT = ("not-a-knot", "clamped", "natural")


def made(cls: type) -> Any:
    """The fact of an object that is made of values."""

    def fact(y: Atom) -> Fact:
        rank = as_array_fact(fact_of_atom(y)).rank
        shape = None if rank is None else (None,) * rank
        return Fact("model", cls=cls, element=array_fact(np.float64, shape))

    return fact


def _model(f: Atom) -> Fact:
    """What is known of an interpolant; of one of a module's it is looked at."""
    known = fact_of_atom(f)
    if known.kind == "model" or not isinstance(f, Const):
        return known
    data: Any = f.value
    rank = None
    if isinstance(data, interpolate.PPoly):
        rank = data.c.ndim - 1
    elif isinstance(data, interpolate.BSpline):
        rank = data.c.ndim
    elif isinstance(data, interpolate.interp1d):
        rank = data.y.ndim
    elif isinstance(data, interpolate.UnivariateSpline):
        rank = 1
    shape = None if rank is None else (None,) * rank
    return Fact("model", cls=type(data), element=array_fact(np.float64, shape))


def _values(f: Atom, x: Atom) -> Fact:
    """An array: of the shape of the points where each value is a number."""
    values, points = _model(f).element, as_array_fact(fact_of_atom(x))
    if values is not None and values.rank == 1:
        return array_result(np.float64, points.shape)
    return Fact("real" if points.rank == 0 else "array", np.dtype(np.float64))


def _same(f: Atom) -> Fact:
    """The derivative of a piecewise polynomial."""
    return replace(_model(f), cls=interpolate.PPoly)


def _whole(f: Atom) -> Fact:
    """The integral of a piecewise polynomial: an array."""
    values = _model(f).element
    rank = None if values is None or values.rank is None else values.rank - 1
    return array_fact(np.float64, None if rank is None else (None,) * rank)


@rule(
    alias="maybe",
    zero=["axis"],
    linear=["y"],
    refused={"x": POINTS},
    only={"axis": (0,), "bc_type": STRAIGHT, "extrapolate": (None, True)},
    fact=made(interpolate.CubicSpline),
)
def cubic_spline(x, y, axis=0, bc_type="not-a-knot", extrapolate=None, *, df):
    f = interpolate.CubicSpline(x, y, axis, bc_type, extrapolate)
    dy = uncubic(df, x, y, bc_type)


@rule(
    alias="maybe",
    zero=["axis"],
    refused={"x": POINTS, "y": SHAPE},
    only={"axis": (0,), "extrapolate": (None, True)},
    fact=made(interpolate.PchipInterpolator),
)
def pchip(x, y, axis=0, extrapolate=None, *, df):
    f = interpolate.PchipInterpolator(x, y, axis, extrapolate)


@rule(
    alias="maybe",
    zero=["axis"],
    refused={"x": POINTS, "y": SHAPE},
    only={"axis": (0,)},
    fact=made(interpolate.Akima1DInterpolator),
)
def akima(x, y, axis=0, *, df):
    f = interpolate.Akima1DInterpolator(x, y, axis)


@rule(
    alias="maybe",
    zero=["bbox", "k", "s", "ext"],
    refused={"x": POINTS, "y": FITTED, "w": FITTED},
    fact=made(interpolate.UnivariateSpline),
)
def smoothing_spline(
    x, y, w=None, bbox=(None, None), k=3, s=None, ext=0, check_finite=False, *, df
):
    f = interpolate.UnivariateSpline(x, y, w, bbox, k, s, ext, check_finite)


@rule(
    alias="maybe",
    zero=["bbox", "k", "ext"],
    refused={"x": POINTS, "y": FITTED, "w": FITTED},
    fact=made(interpolate.InterpolatedUnivariateSpline),
)
def interpolating_spline(
    x, y, w=None, bbox=(None, None), k=3, ext=0, check_finite=False, *, df
):
    f = interpolate.InterpolatedUnivariateSpline(x, y, w, bbox, k, ext, check_finite)


@rule(zero=["nu"], refused={"f": FITTED}, only={"ext": (None,)}, fact=_values)
def of_fitted_spline(f, x, nu=0, ext=None, *, dy):
    y = interpolate.UnivariateSpline.__call__(f, x, nu, ext)
    dx = along_curve(dy, slope_of_fitted(f, x, signed(nu) + 1), x)


@rule(
    zero=["nu"],
    refused={"f": FITTED},
    only={"extrapolate": (None, True)},
    fact=_values,
)
def of_basis_splines(f, x, nu=0, extrapolate=None, *, dy):
    y = interpolate.BSpline.__call__(f, x, nu, extrapolate)
    dx = along_curve(dy, operator.call(f, x, signed(nu) + 1), x)


@rule(
    linear=["f"],
    sequences=["f"],
    zero=["nu"],
    only={"extrapolate": (None, True)},
    fact=_values,
)
def piecewise(f, x, nu=0, extrapolate=None, *, dy):
    y = interpolate.PPoly.__call__(f, x, nu, extrapolate)
    df = unpiecewise(dy, f, x, nu)
    dx = along_curve(dy, operator.call(f, x, signed(nu) + 1), x)


@rule(alias="maybe", linear=["f"], sequences=["f"], zero=["nu"], fact=_same)
def derivative(f, nu=1, *, dy):
    y = interpolate.PPoly.derivative(f, nu)
    df = unpiecewise_derivative(dy, f, nu)


@rule(
    linear=["f"],
    sequences=["f"],
    only={"extrapolate": (None, True)},
    fact=_whole,
)
def integral(f, a, b, extrapolate=None, *, dy):
    y = interpolate.PPoly.integrate(f, a, b, extrapolate)
    df = unpiecewise_integral(dy, f, a, b)
    da = -np.sum(dy * operator.call(f, a))
    db = np.sum(dy * operator.call(f, b))


@rule(
    alias="maybe",
    zero=["axis"],
    refused={"x": POINTS, "fill_value": "what it fills is not followed"},
    fact=made(interpolate.interp1d),
)
def interpolant(
    x,
    y,
    kind="linear",
    axis=-1,
    copy=True,
    bounds_error=None,
    fill_value=np.nan,
    assume_sorted=False,
    *,
    df,
):
    f = interpolate.interp1d(
        x, y, kind, axis, copy, bounds_error, fill_value, assume_sorted
    )
    dy = unsorted(df, x, y, axis)


@rule(sequences=["f"], fact=_values)
def interpolated(f: interpolate.interp1d, x, *, dy):
    """On the knots of a line the slope to the right."""
    y = interpolate.interp1d.__call__(f, x)
    df = uninterpolated(dy, f, x)
    dx = along_interpolant(dy, slope_of(f, x), axes_of_points(f, x), x)
