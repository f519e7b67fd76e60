"""Squares of roots as the smooth functions that they are: `abs(x)**2`, `norm(x)**2`.

The rule of a root names the function that gives its square, which is differentiated in
the place of the power. No generated code calls the functions here.

>>> square_of_hypot(3.0, 4.0)
np.float64(25.0)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from yota_ast.rules.notation.rule import elementwise, rule
from yota_ast.runtime import scaled_items, unsum

Array = Any


def square_of_abs(x: Array) -> Array:
    """Return `abs(x) ** 2`, of real and of complex numbers."""
    return np.abs(x) ** 2


def square_of_hypot(u: Array, v: Array) -> Array:
    """Return `hypot(u, v) ** 2`."""
    return np.hypot(u, v) ** 2


def square_of_length(*coordinates: float) -> float:
    """Return `math.hypot(*coordinates) ** 2`."""
    return math.hypot(*coordinates) ** 2


def square_of_distance(p: Any, q: Any) -> float:
    """Return `math.dist(p, q) ** 2`."""
    return math.dist(p, q) ** 2


def square_of_norm(x: Array, axis: Any = None, keepdims: bool = False) -> Array:
    """Return the sum of the squares of absolute values over axes."""
    return np.linalg.norm(x, None, axis, keepdims) ** 2


def power_of_abs(x: Array, n: Array, p: float, less: float) -> Array:
    """Return `n ** p`, where n is `abs(x)`; less: p - 2."""
    return n**p


def power_of_norm(
    x: Array, n: Array, p: float, less: float, axis: Any = None, keepdims: bool = False
) -> Array:
    """Return `n ** p`, where n is a norm of `x` over axes; less: p - 2."""
    return n**p


@elementwise(complex="written")
def of_abs(x, *, dy):
    y = square_of_abs(x)
    dx = 2 * dy * x


@elementwise
def of_hypot(u, v, *, dy):
    y = square_of_hypot(u, v)
    du = 2 * dy * u
    dv = 2 * dy * v


@rule
def of_length(*coordinates, dy):
    y = square_of_length(*coordinates)
    dcoordinates = scaled_items(2 * dy, coordinates)


@rule
def of_distance(p, q, *, dy):
    y = square_of_distance(p, q)
    dp = 2 * dy * (p - q)
    dq = 2 * dy * (q - p)


@rule(complex="written")
def of_norm(x, axis=None, keepdims=False, *, dy):
    y = square_of_norm(x, axis, keepdims)
    dx = 2 * unsum(dy, x, axis=axis, keepdims=keepdims) * x


@elementwise(zero=["n", "p", "less"], complex="written")
def powers_of_abs(x, n, p, less, *, dy):
    y = power_of_abs(x, n, p, less)
    dx = p * dy * n**less * x


@rule(zero=["n", "p", "less"], complex="written")
def powers_of_norm(x, n, p, less, axis=None, keepdims=False, *, dy):
    y = power_of_norm(x, n, p, less, axis, keepdims)
    dx = unsum(p * dy * n**less, x, axis=axis, keepdims=keepdims) * x
