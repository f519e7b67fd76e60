"""Operators, and the ufuncs that are operators by another name."""

from __future__ import annotations

import operator

import numpy as np

from ..runtime import log_or_zero, power_slope
from .rule import elementwise

# ---------------------------------------------------------------- sums and products


@elementwise(also=[np.add], complex="written")
def add(u, v, *, dy):
    y = u + v
    du = dy
    dv = dy


@elementwise(also=[np.subtract], complex="written")
def subtract(u, v, *, dy):
    y = u - v
    du = dy
    dv = -dy


@elementwise(also=[np.multiply], linear=["u", "v"], complex="holomorphic")
def multiply(u, v, *, dy):
    y = u * v
    du = dy * v
    dv = dy * u


@elementwise(also=[np.divide], linear=["u"], complex="holomorphic")
def divide(u, v, *, dy):
    y = u / v
    du = dy / v
    dv = -dy * y / v


@elementwise(also=[np.negative], linear=["u"], complex="written")
def negative(u, *, dy):
    y = -u
    du = -dy


@elementwise(also=[np.positive], linear=["u"], complex="written")
def positive(u, *, dy):
    y = +u
    du = dy


# ---------------------------------------------------------------- powers


@elementwise(also=[np.power, np.float_power], complex="holomorphic")
def power(u, v, *, dy):
    y = u**v
    du = dy * power_slope(u, v)
    dv = dy * y * log_or_zero(u)


# ---------------------------------------------------------------- whole parts


@elementwise(also=[np.floor_divide], zero=["u", "v"])
def floor_divide(u, v):
    y = u // v


@elementwise(also=[np.remainder])
def remainder(u, v, *, dy):
    y = u % v
    du = dy
    dv = -dy * (u // v)


@elementwise(also=[divmod])
def divide_with_remainder(u, v, *, dy):
    y = np.divmod(u, v)
    du = dy[1]
    dv = -dy[1] * y[0]


# ---------------------------------------------------------------- logic, zero


@elementwise(also=[np.less], zero=["u", "v"], complex="written")
def less(u, v):
    y = u < v
