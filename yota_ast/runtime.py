"""The helpers that generated text may call: NumPy only, each self-contained.

In general text a helper stands for what depends on ranks, kinds and settings; where
facts decide, the text has the specific form instead (`db = dz.sum(axis=0)`).  A helper
is copied into the text with those it calls.  `un<op>` undoes `op` for a cotangent,
which is its first argument.

>>> unbroadcast(np.ones((2, 3)), np.zeros((1, 3)))
array([[2., 2., 2.]])
>>> unbroadcast(np.ones((2, 3)), 1.5)
6.0
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Axis = Any
Array = Any

# ---------------------------------------------------------------- broadcasting


def unbroadcast(d: Array, x: Array) -> Array:
    """`d` summed over the axes that broadcasting gave to `x`."""
    shape = np.shape(x)
    if np.shape(d) == shape:
        return d
    lead = np.ndim(d) - len(shape)
    if lead < 0:  # float(x) of an array of one element
        return np.reshape(d, shape)
    axes = [k for k, n in enumerate(shape, lead) if n == 1 and d.shape[k] != 1]
    d = d.sum(axis=(*range(lead), *axes)).reshape(shape)
    return d if hasattr(x, "dtype") else d.item()


def unsum(dy: Array, x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """`dy` repeated over the axes that a reduction of `x` took away."""
    if axis is not None and not keepdims:
        dy = np.expand_dims(dy, axis)
    return np.zeros_like(x) + dy


def expand(d: Array, x: Array) -> Array:
    """`d` repeated to the shape of `x`, in memory of its own."""
    return np.zeros_like(x) + d


def like(d: Array, x: Array) -> Array:
    """The gradient `d` with the shape, dtype and kind of `x`, in memory of its own."""
    if not hasattr(x, "dtype"):
        return float(d)
    dtype = x.dtype if x.dtype.kind in "fc" else np.float64
    if np.iscomplexobj(d) and dtype.kind != "c":
        d = np.real(d)
    d = np.array(np.broadcast_to(d, x.shape), dtype)
    return d if isinstance(x, np.ndarray) else d[()]


def count(x: Array, axis: Axis = None, ddof: int = 0) -> Any:
    """How many elements of `x` a reduction over `axis` puts together, less `ddof`; at
    least 1."""
    shape = np.shape(x)
    axes = range(len(shape)) if axis is None else axis
    axes = axes if hasattr(axes, "__iter__") else (axes,)
    return max(math.prod([shape[k] for k in axes]) - ddof, 1)


# ---------------------------------------------------------------- products


def unmatmul_left(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `u` in `u @ v`, whatever the ranks."""
    if np.ndim(v) == 1:
        du = np.expand_dims(dy, -1) * v
    elif np.ndim(u) == 1:
        du = (np.expand_dims(dy, -2) @ np.swapaxes(v, -1, -2)).reshape(-1, len(u))
        return du.sum(axis=0)
    else:
        du = dy @ np.swapaxes(v, -1, -2)
    return unbroadcast(du, u)


def unmatmul_right(dy: Array, u: Array, v: Array) -> Array:
    """The adjoint of `v` in `u @ v`, whatever the ranks."""
    if np.ndim(u) == 1:
        dv = u.reshape(-1, 1) * np.expand_dims(dy, -2) if np.ndim(v) > 1 else u * dy
    elif np.ndim(v) == 1:
        dv = np.swapaxes(u, -1, -2) @ np.expand_dims(dy, -1)
        return dv.reshape(-1, len(v)).sum(axis=0)
    else:
        dv = np.swapaxes(u, -1, -2) @ dy
    return unbroadcast(dv, v)


# ---------------------------------------------------------------- indexing


def ungetitem(dy: Array, x: Array, index: Any) -> Array:
    """Zeros like `x` with `dy` added at `index`, once for each time it is repeated."""
    dx = np.zeros_like(x, dtype=np.result_type(x, dy, np.float16))
    np.add.at(dx, index, dy)
    return dx


def unset(d: Array, index: Any) -> Array:
    """The adjoint `d` of an array, as it was before the array was stored to at `index`."""
    d = d.copy()
    d[index] = 0
    return d


# ---------------------------------------------------------------- singular points


def power_slope(u: Array, v: Array) -> Array:
    """`v * u ** (v - 1)`, the slope of `u ** v` in `u`: 0 where `v` is 0."""
    if np.ndim(v) == 0:
        return v * u ** (v - 1) if v != 0 else 0.0 * u
    return v * u ** np.where(v == 0, 1, v - 1)


def log_or_zero(u: Array) -> Array:
    """`log(u)`; 0 where `u` is 0, nan where it is negative."""
    if np.iscomplexobj(u):
        return np.log(u + (u == 0))
    return np.log(np.where(u > 0, u, np.where(u == 0, 1, np.nan)))


# ---------------------------------------------------------------- singular slopes


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


# ---------------------------------------------------------------- complex numbers


def real_like(d: Array, x: Array) -> Array:
    """The real part of `d` where `x` is real."""
    return d if np.iscomplexobj(x) else np.real(d)


def unimag(dy: Array, x: Array) -> Array:
    """The adjoint of `x` in `imag(x)`: 0 for a real one."""
    return 1j * dy if np.iscomplexobj(x) else 0 * dy


def unangle(dy: Array, x: Array, deg: bool = False) -> Array:
    """The adjoint of `x` in `angle(x)`: 0 for a real one, and at 0."""
    if not np.iscomplexobj(x):
        return 0 * dy
    r = np.abs(x)
    s = r + (r == 0)
    return (180 / math.pi if deg else 1) * 1j * dy * (x / s) / s


# ---------------------------------------------------------------- sequences


def unrepeat_sequence(dy: Any, u: Any) -> list[Any]:
    """The adjoints of the items of `u` in `u * n`, the sequence repeated."""
    return [sum(dy[k :: len(u)]) for k in range(len(u))]


def picked(dy: Any, items: Any, y: Any) -> list[Any]:
    """The adjoints of `items` where the first that is `y` was picked."""
    first = list(items).index(y)
    return [dy if k == first else 0.0 for k in range(len(items))]


def picked_products(dy: Any, x: Any) -> list[Any]:
    """The adjoints of the factors of `math.prod(x)`."""
    return [dy * math.prod(x[:k]) * math.prod(x[k + 1 :]) for k in range(len(x))]


def unsum_sequence(dy: Any, x: Any) -> list[Any]:
    """The adjoints of the items of `sum(x)`."""
    return [unbroadcast(dy, item) for item in x]


def unhypot(dy: Any, coordinates: Any, y: Any) -> list[Any]:
    """The adjoints of the arguments of `math.hypot`; 0 at the origin."""
    return [dy * (x / (y + (y == 0))) for x in coordinates]


def undist(dy: Any, p: Any, q: Any, y: Any) -> list[Any]:
    """The adjoints of the coordinates `p` of `math.dist(p, q)`; 0 at distance 0."""
    return [dy * ((a - b) / (y + (y == 0))) for a, b in zip(p, q, strict=True)]


# ---------------------------------------------------------------- special functions


def polygamma(n: int, x: float) -> float:
    """The n-th derivative of digamma, the slope of `lgamma`.

    Recurrence up to x >= 16 + n, then the asymptotic series (DLMF 5.11.2, 5.15.8); for
    n = 0 and negative x by reflection (DLMF 5.5.4). Relative error below 1e-13 away
    from the zeros.
    """
    if n == 0 and x < 0:
        return polygamma(0, 1 - x) - math.pi / math.tan(math.pi * x)
    sign = (-1) ** (n + 1)
    total = 0.0
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
