"""Operators, and the ufuncs that are operators by another name."""

from __future__ import annotations

import operator

import numpy as np

from yota_ast.rules.inference.containers import (
    added,
    always_bool,
    always_str,
    compared,
    repeated,
)
from yota_ast.rules.notation.rule import elementwise, rule
from yota_ast.runtime import log_or_zero, power_slope, unpower, unrepeat_sequence

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
    dv = -(dy / v) * y


@elementwise(also=[np.negative], linear=["u"], complex="written")
def negative(u, *, dy):
    y = -u
    du = -dy


@elementwise(also=[np.positive], linear=["u"], complex="written")
def positive(u, *, dy):
    y = +u
    du = dy


# ---------------------------------------------------------------- powers


@elementwise(also=[pow], complex="holomorphic", root="power_root(u, v)")
def power(u, v, *, dy):
    y = u**v
    du = unpower(dy, u, v)
    dv = dy * y * log_or_zero(u)


@elementwise(also=[np.float_power], complex="holomorphic", root="power_root(u, v)")
def power_of_numpy(u, v, *, dy):
    y = np.power(u, v)
    du = dy * power_slope(u, v)
    dv = dy * y * log_or_zero(u)


# ---------------------------------------------------------------- quotients and rests


@elementwise(also=[np.floor_divide], zero=["u", "v"])
def floor_divide(u, v):
    y = u // v


@rule(zero=["u", "v"], complex="written", fact=always_str)
def formatted(u: str, v):
    y = u % v


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


@elementwise
def fmod(u, v, *, dy):
    y = np.fmod(u, v)
    du = dy
    dv = -dy * np.trunc(u / v)


# ---------------------------------------------------------------- comparisons and bits


@elementwise(also=[np.less], zero=["u", "v"], complex="written")
def less(u, v):
    y = u < v


@elementwise(also=[np.less_equal], zero=["u", "v"], complex="written")
def less_equal(u, v):
    y = u <= v


@elementwise(also=[np.greater], zero=["u", "v"], complex="written")
def greater(u, v):
    y = u > v


@elementwise(also=[np.greater_equal], zero=["u", "v"], complex="written")
def greater_equal(u, v):
    y = u >= v


@elementwise(also=[np.bitwise_and], zero=["u", "v"])
def bitwise_and(u, v):
    y = u & v


@elementwise(also=[np.bitwise_or], zero=["u", "v"])
def bitwise_or(u, v):
    y = u | v


@elementwise(also=[np.bitwise_xor], zero=["u", "v"])
def bitwise_xor(u, v):
    y = u ^ v


@elementwise(also=[np.left_shift], zero=["u", "v"])
def left_shift(u, v):
    y = u << v


@elementwise(also=[np.right_shift], zero=["u", "v"])
def right_shift(u, v):
    y = u >> v


@elementwise(also=[np.invert], zero=["u"])
def invert(u):
    y = ~u


# Of any two objects, not of numbers alone.


@rule(also=[np.equal], zero=["u", "v"], complex="written", fact=compared)
def equal(u, v):
    y = u == v


@rule(also=[np.not_equal], zero=["u", "v"], complex="written", fact=compared)
def not_equal(u, v):
    y = u != v


@rule(zero=["u", "v"], complex="written", fact=always_bool)
def is_(u, v):
    y = u is v


@rule(zero=["u", "v"], complex="written", fact=always_bool)
def is_not(u, v):
    y = u is not v


@rule(zero=["u", "v"], complex="written", fact=always_bool)
def contains(u, v):
    y = v in u


@rule(also=[operator.truth], zero=["u"], complex="written", fact=always_bool)
def not_(u):
    y = not u


# ---------------------------------------------------------------- lists and tuples


@rule(
    linear=["u", "v"], jointly=["u", "v"], sequences=["u", "v"], complex="written",
    fact=added,
)  # fmt: skip
def add_sequences(u: list | tuple, v: list | tuple, *, dy):
    y = u + v  # type: ignore[operator]
    du = dy[: len(u)]
    dv = dy[len(u) :]


@rule(linear=["u"], zero=["v"], sequences=["u"], complex="written", fact=repeated)
def repeat_sequence(u: list | tuple, v: int, *, dy):
    y = u * v
    du = unrepeat_sequence(dy, u)
