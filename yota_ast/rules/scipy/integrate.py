"""Quadrature of samples, of `scipy.integrate`."""

from __future__ import annotations

import numpy as np
from scipy import integrate

from yota_ast.rules.inference.shapes import trapezoid_fact
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import untrapezoid
from yota_ast.runtime.scipy.quadrature_adjoints import (
    uncumulative_trapezoid,
    unsimpson,
    unsimpson_points,
)


@rule(linear=["u"], zero=["axis"], fact=trapezoid_fact)
def trapezoid(u, x=None, h=1.0, axis=-1, *, dy):
    """H is SciPy's `dx`, the spacing where there is no `x`."""
    y = integrate.trapezoid(u, x, h, axis)
    parts = untrapezoid(dy, u, x, h, axis)
    du = parts[0]
    dx = parts[1]
    dh = parts[2]


@rule(linear=["u"], zero=["axis"], only={"initial": (None, 0)})
def cumulative_trapezoid(u, x=None, h=1.0, axis=-1, initial=None, *, dy):
    """H is SciPy's `dx`, the spacing where there is no `x`."""
    y = integrate.cumulative_trapezoid(u, x, h, axis, initial)
    parts = uncumulative_trapezoid(dy, u, x, h, axis, initial)
    du = parts[0]
    dx = parts[1]
    dh = parts[2]


@rule(linear=["u"], zero=["axis"], only={"x": (None,)})
def simpson(u, x=None, *, dx=1.0, axis=-1, dy):
    y = integrate.simpson(u, x=x, dx=dx, axis=axis)
    du = unsimpson(dy, u, x, dx, axis)
    ddx = np.sum(dy * y) / dx


@rule(linear=["u"], zero=["axis"])
def simpson_at_points(u, x, *, axis=-1, dy):
    y = integrate.simpson(u, x=x, axis=axis)
    du = unsimpson(dy, u, x, 1.0, axis)
    dx = unsimpson_points(dy, u, x, axis)
