"""Rules of the helpers of `interp1d`: it is linear in its values, so that its tangent
is the interpolant of their tangents."""

from __future__ import annotations

from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import along_curve, signed
from yota_ast.runtime.scipy import interpolant_adjoints as rt


@rule(zero=["f"], linear=["d"])
def uninterpolated(d, f, x, *, dy):
    y = rt.uninterpolated(d, f, x)
    dd = rt.interpolated_values(dy, f, x)
    slope = rt.slope_of(rt.with_values(f, dy), x)
    dx = rt.along_interpolant(d, slope, rt.axes_of_points(f, x), x)


@rule(zero=["f"], linear=["d"])
def interpolated_values(d, f, x, *, dy):
    y = rt.interpolated_values(d, f, x)
    dd = rt.uninterpolated(dy, f, x)
    slope = rt.slope_of(rt.with_values(f, d), x)
    dx = rt.along_interpolant(dy, slope, rt.axes_of_points(f, x), x)


@rule(
    zero=["nu"],
    sequences=["f"],
    refused={"f": "the slope is not followed to the values"},
)
def slope_of(f, x, nu=1, *, dy):
    y = rt.slope_of(f, x, nu)
    dx = along_curve(dy, rt.slope_of(f, x, signed(nu) + 1), x)


@rule(zero=["x", "y", "axis"], linear=["d"])
def unsorted(d, x, y, axis=-1, *, dz):
    z = rt.unsorted(d, x, y, axis)
    dd = rt.in_order(dz, x, axis)


@rule(zero=["x", "axis"], linear=["d"])
def in_order(d, x, axis=-1, *, dy):
    y = rt.in_order(d, x, axis)
    dd = rt.unsorted(dy, x, d, axis)


@rule(zero=["f", "x"])
def axes_of_points(f, x):
    y = rt.axes_of_points(f, x)
