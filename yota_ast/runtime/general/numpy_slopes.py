"""Slopes that need care at singular points, or have no name in NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any


def divided(d: Array, y: Array) -> Array:
    """`d / y`; where `y` is Python's 0 it is infinite, and nan if `d` is 0."""
    return d / y if hasattr(y, "dtype") or y != 0 else d * math.inf


def quotient_or_zero(d: Array, y: Array) -> Array:
    """`d / y`; 0 where `d` is 0, whatever `y`."""
    zero = d == 0
    if hasattr(d, "dtype") or hasattr(y, "dtype"):
        return d / np.where(zero, 1, y)
    return 0.0 if zero else divided(d, y)


def product_or_zero(d: Array, s: Array) -> Array:
    """`d * s`; 0 where `d` is 0, whatever `s`."""
    zero = d == 0
    if hasattr(d, "dtype") or hasattr(s, "dtype"):
        return d * np.where(zero, 0, s)
    return 0.0 if zero else d * s


def power_slope(u: Array, v: Array) -> Array:
    """`v * u ** (v - 1)`, the slope of `u ** v` in `u`: 0 where `v` is 0."""
    base = u if hasattr(u, "dtype") else np.asarray(u)
    return v * base ** (v + 0 - (v != 0))


def of_real(d: Array, x: Any) -> Array:
    """`d`; ValueError where `x` is complex, a power of a negative number."""
    if np.iscomplexobj(x):
        raise ValueError(
            "made for real numbers, but a power of a negative one is complex"
        )
    return d


def unpower(d: Array, u: Array, v: Array) -> Array:
    """`d * v * u ** (v - 1)`: 0 where `v` is 0, infinite where the slope is."""
    if hasattr(u, "dtype") or hasattr(v, "dtype") or u != 0 or not 0 < v < 1:
        return d * v * u ** (v + 0 - (v != 0))
    return divided(d * v, u)


def power_mixed(d: Array, u: Array, v: Array) -> Array:
    """`d` times the slope of `v * u ** (v - 1)` in `v`: 0 where `u` is 0."""
    zero = np.equal(u, 0)
    base = np.where(zero, 1, u)
    if np.iscomplexobj(base):
        log = np.log(base)
    else:
        log = np.where(base < 0, np.nan, np.log(np.where(base > 0, base, 1.0)))
    return np.where(zero, 0, d * base ** (v - 1.0) * (1 + v * log))[()]


def log_or_zero(u: Array) -> Array:
    """`log(u)`; 0 where `u` is 0, nan where it is negative."""
    if np.iscomplexobj(u):
        return np.log(u + (u == 0))
    if not hasattr(u, "dtype"):
        return math.log(u) if u > 0 else u if u == 0 else math.nan
    return np.where(u < 0, np.nan, np.log(np.where(u > 0, u, 1.0)))


def sinc_slope(x: Array) -> Array:
    """The slope of `sinc(x) = sin(pi x) / (pi x)`, near 0 by its series."""
    t = math.pi * x
    near = np.abs(t) < 0.5
    s = np.where(near, 1, t)
    q = t * t
    # The sum of (-1)**k 2k t**(2k - 1) / (2k + 1)!, to the last bit for |t| < 0.5.
    series = 1 - q / 88 * (1 - q / 130 * (1 - q / 180))
    series = -t / 3 * (1 - q / 10 * (1 - q / 28 * (1 - q / 54 * series)))
    return math.pi * np.where(near, series, (np.cos(s) - np.sin(s) / s) / s)


def sinc_curvature(x: Array) -> Array:
    """The slope of `sinc_slope`."""
    t = math.pi * x
    near = np.abs(t) < 0.5
    s = np.where(near, 1, t)
    q = t * t
    # The sum of (-1)**k 2k (2k - 1) t**(2k - 2) / (2k + 1)!.
    series = 1 - q * 9 / 616 * (1 - q * 11 / 1170 * (1 - q * 13 / 1980))
    series = -(1 - q * 3 / 10 * (1 - q * 5 / 84 * (1 - q * 7 / 270 * series))) / 3
    far = (2 * np.sin(s) / s - 2 * np.cos(s) - s * np.sin(s)) / (s * s)
    return math.pi**2 * np.where(near, series, far)


def polygamma(n: int, x: float) -> float:
    """The n-th derivative of digamma, the slope of `lgamma`.

    Recurrence up to x >= 16 + n, then the asymptotic series (DLMF 5.11.2, 5.15.8); for
    n = 0 and negative x by reflection (DLMF 5.5.4). Relative error below 1e-13 away
    from the zeros.
    """
    if n == 0 and x < 0:
        return polygamma(0, 1 - x) - math.pi / math.tan(math.pi * x)
    sign = (-1) ** (n + 1)
    total: float = 0.0
    while x < 16 + n:
        total += sign * math.factorial(n) / x ** (n + 1)
        x += 1
    head = math.log(x) if n == 0 else sign * math.factorial(n - 1) / x**n
    total += head + sign * math.factorial(n) / (2 * x ** (n + 1))
    bernoulli = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
    for k, b in enumerate(bernoulli, 1):
        term = b * math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        total += sign * term / x ** (2 * k + n)
    return total


def i0_slope(x: Array, k: int = 1) -> Array:
    """The slope of order `k` of `np.i0`, by Bessel's integral.

    The midpoint rule on 256 points, exact to rounding up to `abs(x)` of 700, where `i0`
    overflows (the integrand is periodic: what is left out is a Bessel function of
    order 512).
    """
    f = np.sinh if k % 2 else np.cosh
    total = 0 * x
    for c in np.cos((np.arange(128) + 0.5) * (math.pi / 256)).tolist():
        total = total + c**k * f(x * c)
    return total / 128
