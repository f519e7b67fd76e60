"""The elementwise functions of NumPy that are no operators."""

from __future__ import annotations

import math
import operator

import numpy as np

from yota_ast.ops.result_memory import conjugated, copying, imaginary, part_of_array
from yota_ast.rules.helpers.squares import power_of_abs, square_of_abs, square_of_hypot
from yota_ast.rules.inference.joins import real_if_real, same_shape
from yota_ast.rules.notation.rule import elementwise, rule
from yota_ast.runtime import i0_slope, real_like, sinc_slope, unangle, unimag

# ---------------------------------------------------------------- exponentials, logs


@elementwise(complex="holomorphic")
def exp(x, *, dy):
    y = np.exp(x)
    dx = dy * y


@elementwise(complex="holomorphic")
def exp2(x, *, dy):
    y = np.exp2(x)
    dx = dy * y * math.log(2)


@elementwise(complex="holomorphic")
def expm1(x, *, dy):
    y = np.expm1(x)
    dx = dy * np.exp(x)


@elementwise(complex="holomorphic")
def log(x, *, dy):
    y = np.log(x)
    dx = dy / x


@elementwise(complex="holomorphic")
def log2(x, *, dy):
    y = np.log2(x)
    dx = dy / (x * math.log(2))


@elementwise(complex="holomorphic")
def log10(x, *, dy):
    y = np.log10(x)
    dx = dy / (x * math.log(10))


@elementwise(complex="holomorphic")
def log1p(x, *, dy):
    y = np.log1p(x)
    dx = dy / (1 + x)


@elementwise
def logaddexp(u, v, *, dy):
    y = np.logaddexp(u, v)
    du = dy * np.exp(u - y)
    dv = dy * np.exp(v - y)


@elementwise
def logaddexp2(u, v, *, dy):
    y = np.logaddexp2(u, v)
    du = dy * np.exp2(u - y)
    dv = dy * np.exp2(v - y)


# ---------------------------------------------------------------- roots and powers


@elementwise(complex="holomorphic", root="y", square=operator.pos)
def sqrt(x, *, dy):
    y = np.sqrt(x)
    dx = dy / (2 * y)


@elementwise(root="y")
def cbrt(x, *, dy):
    y = np.cbrt(x)
    dx = dy / (3 * y * y)


@elementwise(complex="holomorphic")
def square(x, *, dy):
    y = np.square(x)
    dx = 2 * dy * x


@elementwise(complex="holomorphic")
def reciprocal(x, *, dy):
    y = np.reciprocal(x)
    dx = -dy * y * y


# ---------------------------------------------------------------- trigonometry


@elementwise(complex="holomorphic")
def sin(x, *, dy):
    y = np.sin(x)
    dx = dy * np.cos(x)


@elementwise(complex="holomorphic")
def cos(x, *, dy):
    y = np.cos(x)
    dx = -dy * np.sin(x)


@elementwise(complex="holomorphic")
def tan(x, *, dy):
    y = np.tan(x)
    dx = dy * (1 + y * y)


@elementwise(complex="holomorphic")
def arcsin(x, *, dy):
    y = np.arcsin(x)
    dx = dy / np.sqrt((1 - x) * (1 + x))


@elementwise(complex="holomorphic")
def arccos(x, *, dy):
    y = np.arccos(x)
    dx = -dy / np.sqrt((1 - x) * (1 + x))


@elementwise(complex="holomorphic")
def arctan(x, *, dy):
    y = np.arctan(x)
    dx = dy / (1 + x * x)


@elementwise(root="np.hypot(u, v)")
def arctan2(u, v, *, dy):
    """At the origin, where there is no slope, 0."""
    y = np.arctan2(u, v)
    r = np.hypot(u, v)
    s = r + (r == 0)
    du = dy * (v / s) / s
    dv = -dy * (u / s) / s


@elementwise(root="y", seminorm=True, square=square_of_hypot)
def hypot(u, v, *, dy):
    """At the origin, where there is no slope, 0."""
    y = np.hypot(u, v)
    du = dy * (u / (y + (y == 0)))
    dv = dy * (v / (y + (y == 0)))


@elementwise(also=[np.radians], linear=["x"])
def deg2rad(x, *, dy):
    y = np.deg2rad(x)
    dx = dy * (math.pi / 180)


@elementwise(also=[np.degrees], linear=["x"])
def rad2deg(x, *, dy):
    y = np.rad2deg(x)
    dx = dy * (180 / math.pi)


@elementwise
def sinc(x, *, dy):
    y = np.sinc(x)
    dx = dy * sinc_slope(x)


# ---------------------------------------------------------------- hyperbolic functions


@elementwise(complex="holomorphic")
def sinh(x, *, dy):
    y = np.sinh(x)
    dx = dy * np.cosh(x)


@elementwise(complex="holomorphic")
def cosh(x, *, dy):
    y = np.cosh(x)
    dx = dy * np.sinh(x)


@elementwise
def i0(x, *, dy):
    y = np.i0(x)
    dx = dy * i0_slope(x)


@elementwise(complex="holomorphic")
def tanh(x, *, dy):
    y = np.tanh(x)
    dx = dy * (1 - y * y)


@elementwise(complex="holomorphic")
def arcsinh(x, *, dy):
    y = np.arcsinh(x)
    dx = dy / np.sqrt(1 + x * x)


@elementwise(complex="holomorphic")
def arccosh(x, *, dy):
    y = np.arccosh(x)
    dx = dy / np.sinh(y)


@elementwise(complex="holomorphic")
def arctanh(x, *, dy):
    y = np.arctanh(x)
    dx = dy / ((1 - x) * (1 + x))


# ---------------------------------------------------------------- the larger of two


@elementwise
def maximum(u, v, *, dy):
    """A tie shares the weight evenly; an infinite `dy` does not reach the other."""
    y = np.maximum(u, v)
    du = np.where(u == v, dy / 2, np.where(u > v, dy, 0.0))
    dv = np.where(u == v, dy / 2, np.where(u < v, dy, 0.0))


@elementwise
def minimum(u, v, *, dy):
    """A tie shares the weight evenly."""
    y = np.minimum(u, v)
    du = np.where(u == v, dy / 2, np.where(u < v, dy, 0.0))
    dv = np.where(u == v, dy / 2, np.where(u > v, dy, 0.0))


@elementwise
def fmax(u, v, *, dy):
    """A tie shares the weight evenly; beside a nan the other gets all."""
    y = np.fmax(u, v)
    du = np.where(u == v, dy / 2, np.where((u > v) | np.isnan(v), dy, 0.0))
    dv = np.where(u == v, dy / 2, np.where((u < v) | np.isnan(u), dy, 0.0))


@elementwise
def fmin(u, v, *, dy):
    """A tie shares the weight evenly; beside a nan the other gets all."""
    y = np.fmin(u, v)
    du = np.where(u == v, dy / 2, np.where((u < v) | np.isnan(v), dy, 0.0))
    dv = np.where(u == v, dy / 2, np.where((u > v) | np.isnan(u), dy, 0.0))


@elementwise
def clip(x, lo=None, hi=None, *, dy):
    """On a bound the weight is that of `x`."""
    y = np.clip(x, lo, hi)
    dx = np.where(y == x, dy, 0.0)
    dlo = np.where((y == lo) & (y > x), dy, 0.0)
    dhi = np.where((y == hi) & (y != x), dy, 0.0)


@elementwise
def clip_named(x, *, min=None, max=None, dy):
    """On a bound the weight is that of `x`."""
    y = np.clip(x, min=min, max=max)
    dx = np.where(y == x, dy, 0.0)
    dmin = np.where((y == min) & (y > x), dy, 0.0)
    dmax = np.where((y == max) & (y != x), dy, 0.0)


# ---------------------------------------------------------------- signs


@elementwise(
    also=[np.fabs, abs],
    complex="written",
    bend="x",
    square=square_of_abs,
    power=power_of_abs,
)
def absolute(x, *, dy):
    """At 0, where there is no slope, 0; `np.sign(z)` is `z / abs(z)`."""
    y = np.absolute(x)
    dx = dy * np.sign(x)


@elementwise(zero=["v"])
def copysign(u, v, *, dy):
    y = np.copysign(u, v)
    du = np.copysign(dy, dy * v) * np.sign(u)


# ---------------------------------------------------------------- complex numbers


@elementwise(alias=conjugated, complex="written")
def conjugate(x, *, dy):
    y = np.conjugate(x)
    dx = np.conjugate(dy)


@elementwise(alias=part_of_array, complex="written")
def real(x, *, dy):
    y = np.real(x)
    dx = dy


@elementwise(alias=imaginary, complex="written")
def imag(x, *, dy):
    y = np.imag(x)
    dx = unimag(dy, x)


@elementwise(complex="written", zero=["deg"], root="x")
def angle(x, deg=False, *, dy):
    """At 0, where there is no slope, 0."""
    y = np.angle(x, deg)
    dx = unangle(dy, x, deg)


@elementwise(alias="maybe", complex="written", zero=["tol"], fact=real_if_real)
def real_if_close(x, tol=100, *, dy):
    y = np.real_if_close(x, tol)
    dx = real_like(dy, x)


# ---------------------------------------------------------------- parts of numbers


@elementwise
def modf(x, *, dy):
    y = np.modf(x)
    dx = dy[0]


@elementwise
def frexp(x, *, dy):
    y = np.frexp(x)
    dx = np.ldexp(dy[0], -y[1])


@elementwise(zero=["i"], linear=["x"])
def ldexp(x, i, *, dy):
    y = np.ldexp(x, i)
    dx = np.ldexp(dy, i)


@rule(zero=["axis"], fact=same_shape)
def unwrap(x, discont=None, axis=-1, *, period=2 * math.pi, dy):
    """Whole periods are added: their number has no slope."""
    y = np.unwrap(x, discont, axis, period=period)
    dx = dy
    dperiod = np.sum(dy * np.rint((y - x) / period))


@elementwise(alias=copying(1))
def nan_to_num(x, *, nan=0.0, posinf=None, neginf=None, dy):
    y = np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)
    dx = np.where(np.isfinite(x), dy, 0)
    dnan = dy * np.isnan(x)
    dposinf = dy * np.isposinf(x)
    dneginf = dy * np.isneginf(x)
