"""Splines and interpolants of `scipy.interpolate`, made of values and called.

They are linear in the values; the points through which they go are fixed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from ..facts import Fact
from ..runtime.interpolants import (
    along_curve,
    along_interpolant,
    uncubic,
    uninterpolated,
    unpiecewise,
    unpiecewise_derivative,
    unpiecewise_integral,
    unsorted,
)
from ..tape import Atom
from .bind import fact_of_atom
from .inference.infer import as_array_fact
from .rule import rule

POINTS = "there is no formula for the derivative in the points of a spline"
SHAPE = "the curve is not linear in the values"
STRAIGHT = ("not-a-knot", "clamped", "natural")


def made(cls: type) -> Any:
    """The fact of an object that is made of values."""
    return lambda: Fact("model", cls=cls)


def _values(x: Atom) -> Fact:
    """An array; of the shape of the points where each value is a number, which is not
    known: of the rank only that it is no less."""
    rank = as_array_fact(fact_of_atom(x)).rank
    return Fact("real" if rank == 0 else "array", np.dtype(np.float64))


@rule(
    zero=["axis"],
    refused={"x": POINTS},
    only={"axis": (0,), "bc_type": STRAIGHT, "extrapolate": (None, True)},
    fact=made(interpolate.CubicSpline),
)
def cubic_spline(x, y, axis=0, bc_type="not-a-knot", extrapolate=None, *, df):
    f = interpolate.CubicSpline(x, y, axis, bc_type, extrapolate)
    dy = uncubic(df, x, y, bc_type)


@rule(
    zero=["axis"],
    refused={"x": POINTS, "y": SHAPE},
    only={"axis": (0,), "extrapolate": (None, True)},
    fact=made(interpolate.PchipInterpolator),
)
def pchip(x, y, axis=0, extrapolate=None, *, df):
    f = interpolate.PchipInterpolator(x, y, axis, extrapolate)


@rule(
    zero=["axis"],
    refused={"x": POINTS, "y": SHAPE},
    only={"axis": (0,)},
    fact=made(interpolate.Akima1DInterpolator),
)
def akima(x, y, axis=0, *, df):
    f = interpolate.Akima1DInterpolator(x, y, axis)


@rule(sequences=["f"], zero=["nu"], only={"extrapolate": (None, True)}, fact=_values)
def piecewise(f, x, nu=0, extrapolate=None, *, dy):
    y = interpolate.PPoly.__call__(f, x, nu, extrapolate)
    df = unpiecewise(dy, f, x, nu)
    dx = along_curve(dy, interpolate.PPoly.__call__(f, x, nu + 1), x)


@rule(sequences=["f"], zero=["nu"], fact=made(interpolate.PPoly))
def derivative(f, nu=1, *, dy):
    y = interpolate.PPoly.derivative(f, nu)
    df = unpiecewise_derivative(dy, f, nu)


@rule(
    sequences=["f"],
    only={"extrapolate": (None, True)},
    fact=lambda: Fact("real", np.dtype(np.float64)),
)
def integral(f, a, b, extrapolate=None, *, dy):
    y = interpolate.PPoly.integrate(f, a, b, extrapolate)
    df = unpiecewise_integral(dy, f, a, b)
    da = -np.sum(dy * interpolate.PPoly.__call__(f, a))
    db = np.sum(dy * interpolate.PPoly.__call__(f, b))


@rule(
    zero=["axis", "fill_value"],
    refused={"x": POINTS},
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
    dx = along_interpolant(dy, f, x)
