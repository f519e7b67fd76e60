"""The functions of `math`, on Python floats."""

from __future__ import annotations

import math
import operator

import numpy as np

from yota_ast.rules.helpers.squares import (
    power_of_abs,
    square_of_abs,
    square_of_distance,
    square_of_hypot,
    square_of_length,
)
from yota_ast.rules.inference.containers import multiplied
from yota_ast.rules.inference.shapes import python_float
from yota_ast.rules.notation.rule import elementwise, rule
from yota_ast.runtime import (
    divided,
    log_or_zero,
    picked_products,
    polygamma,
    undist,
    unhypot,
    unpower,
)

# ---------------------------------------------------------------- exponentials, logs


@elementwise
def exp(x, *, dy):
    y = math.exp(x)
    dx = dy * y


@elementwise
def exp2(x, *, dy):
    y = math.exp2(x)
    dx = dy * y * math.log(2)


@elementwise
def expm1(x, *, dy):
    y = math.expm1(x)
    dx = dy * math.exp(x)


@elementwise
def log_to_base(x, base, *, dy):
    y = math.log(x, base)
    dx = dy / (x * math.log(base))
    dbase = -dy * y / (base * math.log(base))


@elementwise
def log(x, *, dy):
    y = math.log(x)
    dx = dy / x


@elementwise
def log2(x, *, dy):
    y = math.log2(x)
    dx = dy / (x * math.log(2))


@elementwise
def log10(x, *, dy):
    y = math.log10(x)
    dx = dy / (x * math.log(10))


@elementwise
def log1p(x, *, dy):
    y = math.log1p(x)
    dx = dy / (1 + x)


# ---------------------------------------------------------------- roots and powers


@elementwise(root="y", square=operator.pos)
def sqrt(x, *, dy):
    y = math.sqrt(x)
    dx = divided(dy, 2 * y)


@elementwise(root="y")
def cbrt(x, *, dy):
    y = math.cbrt(x)
    dx = divided(dy, 3 * y * y)


@elementwise(root="power_root(u, v)")
def pow(u, v, *, dy):
    y = math.pow(u, v)
    du = unpower(dy, u, v)
    dv = dy * y * log_or_zero(u)


@rule(zero=[], fact=python_float, root="y", seminorm=True, square=square_of_length)
def hypot_of_many(*coordinates, dy):
    y = math.hypot(*coordinates)
    dcoordinates = unhypot(dy, coordinates, y)


@elementwise(root="y", seminorm=True, square=square_of_hypot)
def hypot(u, v, *, dy):
    """At the origin, where there is no slope, 0."""
    y = math.hypot(u, v)
    du = dy * (u / (y + (y == 0)))
    dv = dy * (v / (y + (y == 0)))


@rule(
    sequences=["p", "q"],
    fact=python_float,
    root="y",
    seminorm=True,
    square=square_of_distance,
)
def dist(p, q, *, dy):
    y = math.dist(p, q)
    dp = undist(dy, p, q, y)
    dq = undist(dy, q, p, y)


# ---------------------------------------------------------------- trigonometry


@elementwise
def sin(x, *, dy):
    y = math.sin(x)
    dx = dy * math.cos(x)


@elementwise
def cos(x, *, dy):
    y = math.cos(x)
    dx = -dy * math.sin(x)


@elementwise
def tan(x, *, dy):
    y = math.tan(x)
    dx = dy * (1 + y * y)


@elementwise
def asin(x, *, dy):
    y = math.asin(x)
    dx = divided(dy, math.sqrt((1 - x) * (1 + x)))


@elementwise
def acos(x, *, dy):
    y = math.acos(x)
    dx = -divided(dy, math.sqrt((1 - x) * (1 + x)))


@elementwise
def atan(x, *, dy):
    y = math.atan(x)
    dx = dy / (1 + x * x)


@elementwise
def atan2(u, v, *, dy):
    """At the origin, where there is no slope, 0."""
    y = math.atan2(u, v)
    r = math.hypot(u, v)
    s = r + (r == 0)
    du = dy * (v / s) / s
    dv = -dy * (u / s) / s


@elementwise(linear=["x"])
def degrees(x, *, dy):
    y = math.degrees(x)
    dx = dy * (180 / math.pi)


@elementwise(linear=["x"])
def radians(x, *, dy):
    y = math.radians(x)
    dx = dy * (math.pi / 180)


# ---------------------------------------------------------------- hyperbolic functions


@elementwise
def sinh(x, *, dy):
    y = math.sinh(x)
    dx = dy * math.cosh(x)


@elementwise
def cosh(x, *, dy):
    y = math.cosh(x)
    dx = dy * math.sinh(x)


@elementwise
def tanh(x, *, dy):
    y = math.tanh(x)
    dx = dy * (1 - y * y)


@elementwise
def asinh(x, *, dy):
    y = math.asinh(x)
    dx = dy / math.hypot(1, x)


@elementwise
def acosh(x, *, dy):
    y = math.acosh(x)
    dx = divided(dy, math.sinh(y))


@elementwise
def atanh(x, *, dy):
    y = math.atanh(x)
    dx = dy / ((1 - x) * (1 + x))


# ---------------------------------------------------------------- special functions


@elementwise
def erf(x, *, dy):
    y = math.erf(x)
    dx = dy * (2 / math.sqrt(math.pi)) * math.exp(-x * x)


@elementwise
def erfc(x, *, dy):
    y = math.erfc(x)
    dx = -dy * (2 / math.sqrt(math.pi)) * math.exp(-x * x)


@elementwise
def gamma(x, *, dy):
    y = math.gamma(x)
    dx = dy * y * polygamma(0, x)


@elementwise
def lgamma(x, *, dy):
    y = math.lgamma(x)
    dx = dy * polygamma(0, x)


# ---------------------------------------------------------------- signs and rests


@elementwise(bend="x", square=square_of_abs, power=power_of_abs)
def fabs(x, *, dy):
    """At 0, where there is no slope, 0."""
    y = math.fabs(x)
    dx = dy * math.copysign(x != 0, x)


@elementwise(zero=["v"])
def copysign(u, v, *, dy):
    y = math.copysign(u, v)
    du = dy * math.copysign(u != 0, u) * math.copysign(1, v)


@elementwise
def fmod(u, v, *, dy):
    y = math.fmod(u, v)
    du = dy
    dv = -dy * ((u - y) / v)


@elementwise
def remainder(u, v, *, dy):
    y = math.remainder(u, v)
    du = dy
    dv = -dy * ((u - y) / v)


@elementwise
def modf(x, *, dy):
    y = math.modf(x)
    dx = dy[0]


@elementwise
def frexp(x, *, dy):
    y = math.frexp(x)
    dx = math.ldexp(dy[0], -y[1])


@elementwise(zero=["i"], linear=["x"])
def ldexp(x, i, *, dy):
    y = math.ldexp(x, i)
    dx = math.ldexp(dy, i)


# ---------------------------------------------------------------- sums and products


@rule(linear=["x"], sequences=["x"], fact=python_float)
def fsum(x: list | tuple, *, dy):
    y = math.fsum(x)
    dx = [dy] * len(x)


@rule(linear=["x"], fact=python_float)
def fsum_of_vector(x: np.ndarray, *, dy):
    y = math.fsum(x)
    dx = np.full(np.shape(x), dy, np.result_type(x, 0.0))


@rule(fact=multiplied)
def prod_of_vector(x: np.ndarray, *, start=1, dy):
    y = math.prod(x, start=start)
    dx = np.array(picked_products(dy * start, x))
    dstart = dy * math.prod(x)


@rule(sequences=["x"], fact=multiplied)
def prod(x: list | tuple, *, start=1, dy):
    y = math.prod(x, start=start)
    dx = picked_products(dy * start, x)
    dstart = dy * math.prod(x)


# ---------------------------------------------------------------- slope zero


@elementwise(zero=["x"])
def floor(x):
    y = math.floor(x)


@elementwise(zero=["x"])
def ceil(x):
    y = math.ceil(x)


@elementwise(zero=["x"])
def trunc(x):
    y = math.trunc(x)


@elementwise(zero=["x"])
def isnan(x):
    y = math.isnan(x)


@elementwise(zero=["x"])
def isinf(x):
    y = math.isinf(x)


@elementwise(zero=["x"])
def isfinite(x):
    y = math.isfinite(x)


@elementwise(zero=["u", "v", "rel_tol", "abs_tol"])
def isclose(u, v, *, rel_tol=1e-09, abs_tol=0.0):
    y = math.isclose(u, v, rel_tol=rel_tol, abs_tol=abs_tol)


@elementwise(zero=["n"])
def factorial(n):
    y = math.factorial(n)


@elementwise(zero=["n"])
def isqrt(n):
    y = math.isqrt(n)


@elementwise(zero=["n", "k"])
def comb(n, k):
    y = math.comb(n, k)


@elementwise(zero=["n", "k"])
def perm(n, k):
    y = math.perm(n, k)


@elementwise(zero=["n"])
def gcd(*n):
    y = math.gcd(*n)


@elementwise(zero=["n"])
def lcm(*n):
    y = math.lcm(*n)


@elementwise(zero=["x"])
def ulp(x):
    y = math.ulp(x)


@elementwise(zero=["v"])
def nextafter(u, v, *, dy):
    """As large as u but for the last digit."""
    y = math.nextafter(u, v)
    du = dy
