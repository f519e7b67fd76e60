"""Cotangents that meet a kink, marked for the second derivative.

A gradient that is differentiated again hands the cotangent of a norm, a root or a
deviation through `rooted`, that of `abs` through `bent`. They give what they are given;
their own derivatives refuse the points where there is no second derivative. A tangent
of `abs`, which is 0 at 0 whatever it is multiplied by, goes through `bent_along`.

>>> along_rooted(2.0, 0.5, 1.0)
1.0
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def rooted(d: Array, y: Array) -> Array:
    """`d`, the cotangent of a function without a second derivative where `y` is 0."""
    return d


def bent(d: Array, x: Array) -> Array:
    """`d`, the cotangent of a function that is straight on both sides of `x` = 0."""
    return d


def bent_along(d: Array, x: Array, v: Array) -> Array:
    """`d`, the tangent of such a function, `v` that of `x`."""
    return d


def valued(value: Array, d: Array) -> Array:
    """`value`, which is `d` but for rounding, with the derivative of `d`."""
    return value


def refuse_kinks(kinks: Array) -> None:
    """Refuse points where there is no second derivative."""
    if np.any(kinks):
        raise ValueError(
            "no second derivative is known where a root, a norm or a deviation is 0"
        )


def refuse_bends(bends: Array) -> None:
    """Refuse points where there is no second derivative of `abs`."""
    if np.any(bends):
        raise ValueError("no second derivative is known where abs is taken of 0")


def along_rooted(d: Array, y: Array, dd: Any = None) -> Array:
    """The tangent of `rooted(d, y)`: where `y` is 0, all that depends on it must be."""
    dd = np.zeros_like(d)[()] if dd is None else dd
    refuse_kinks((y == 0) & ((d != 0) | (dd != 0)))
    return dd


def along_modulus(d: Array, x: Array, dd: Any = None) -> Array:
    """The same of `bent(d, x)`, x being complex."""
    dd = np.zeros_like(d)[()] if dd is None else dd
    refuse_bends((x == 0) & ((d != 0) | (dd != 0)))
    return dd


def along_bent(d: Array, x: Array, dd: Any = None) -> Array:
    """The tangent of `bent(d, x)`; where `x` is 0, of a constant `d` alone, or of one
    that is not 0: else `d` may be what `abs(x)` makes 0."""
    if np.iscomplexobj(x):
        return along_modulus(d, x, dd)
    if dd is None:
        return np.zeros_like(d)[()]
    refuse_bends((x == 0) & (d == 0))
    return dd


def along_bent_along(
    d: Array, x: Array, v: Array, dd: Any = None, dx: Array = 0.0
) -> Array:
    """The tangent of `bent_along(d, x, v)`: `x` must not move through 0 twice."""
    if np.iscomplexobj(x):
        return along_modulus(d, x, dd)
    refuse_bends((x == 0) & (v != 0) & (dx != 0))
    return np.zeros_like(d)[()] if dd is None else dd


def unrooted(dz: Array, y: Array) -> Array:
    """The adjoint of a `d` that varies in `rooted(d, y)`: `y` must not be 0."""
    refuse_kinks(y == 0)
    return dz


def unrooted_at(dz: Array, d: Array, y: Array) -> Array:
    """The adjoint of `y` in `rooted(d, y)`: none, but where both are not 0."""
    refuse_kinks((y == 0) & (d != 0))
    return 0 * y


def unbent(dz: Array, d: Array, x: Array) -> Array:
    """The adjoint of a `d` that varies in `bent(d, x)`."""
    refuse_bends((x == 0) & (np.iscomplexobj(x) | (d == 0)))
    return dz


def unbent_at(dz: Array, d: Array, x: Array) -> Array:
    """The adjoint of `x` in `bent(d, x)`: none, of a real number."""
    refuse_bends((x == 0) & (d != 0) & np.iscomplexobj(x))
    return 0 * x


def unbent_along(dz: Array, x: Array, v: Array) -> Array:
    """The adjoint of `x` in `bent_along(d, x, v)`: none, where `x` stays or `dz` tells
    that there is a kink; where that is 0 `abs(x)` may be part of a square."""
    refuse_bends((x == 0) & (np.iscomplexobj(x) | ((v != 0) & (dz == 0))))
    return 0 * x


def power_root(u: Array, v: Array) -> Array:
    """0 where `u ** v` has no second derivative in `u`, else 1."""
    smooth = (v == 0) | (v == 1) | (v >= 2)
    return 1.0 - (u == 0) * (1.0 - smooth)


def power_root_of_both(u: Array, v: Array) -> Array:
    """0 where `u ** v` has no second derivative in `u` and `v`, else 1."""
    return 1.0 - (u == 0) * (v < 2)


def distance_root(y: Array, metric: str) -> Array:
    """0 where a distance has no second derivative, else not."""
    return y if metric == "euclidean" else np.ones_like(y)


def where_zero(y: Array, d: Array, other: Array) -> Array:
    """`d` where `y` is 0, else `other`."""
    chosen: Array = np.where(y == 0, d, other)
    return chosen[()]
