"""What NumPy's functions of functions do, in Python: lowered like the user's helpers.

The values are those of NumPy bit for bit, in the cases that `frontend.numpys` lets
through.

>>> import numpy as np
>>> apply_along_axis(np.cumsum, 0, np.ones((2, 2)))
array([[1., 1.],
       [2., 2.]])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = Any
Function = Callable[..., Any]


def apply_along_axis(
    func1d: Function, axis: int, arr: Array, *args: Any, **kwargs: Any
) -> Array:
    """`np.apply_along_axis` of an array of two or more axes."""
    lines = np.moveaxis(arr, axis, -1)
    flat = lines.reshape(-1, lines.shape[-1])
    parts = np.array([func1d(line, *args, **kwargs) for line in flat])
    shape = lines.shape[:-1] + parts.shape[1:]
    if parts.ndim == 1:
        return parts.reshape(shape)
    return np.moveaxis(parts.reshape(shape), -1, axis)


def apply_over_axes(func: Function, a: Array, axes: Sequence[int]) -> Array:
    """`np.apply_over_axes` of known axes."""
    for axis in axes:
        part = func(a, axis)
        a = part if part.ndim == a.ndim else np.expand_dims(part, axis)
    return a


def fromfunction(
    function: Function, shape: Any, *, dtype: Any = float, **kwargs: Any
) -> Array:
    """`np.fromfunction` of a known number of axes."""
    grid = np.indices(shape, dtype=dtype)
    return function(*[grid[k] for k in range(len(shape))], **kwargs)


class Poly1d:
    """`np.poly1d` of coefficients."""

    def __init__(self, coefficients: Array) -> None:
        self.coeffs = np.trim_zeros(np.atleast_1d(coefficients), "f")
        self.c = self.coeffs

    def __call__(self, x: Array) -> Array:
        """Its value at x."""
        return np.polyval(self.coeffs, x)

    def deriv(self, m: int = 1) -> Poly1d:
        """The derivative of order m."""
        return Poly1d(np.polyder(self.coeffs, m))

    def integ(self, m: int = 1, k: Any = 0) -> Poly1d:
        """The integral of order m."""
        return Poly1d(np.polyint(self.coeffs, m, k))


class Polynomial:
    """`np.polynomial.Polynomial` of coefficients."""

    def __init__(self, coefficients: Array) -> None:
        self.coef = np.asarray(coefficients)

    def __call__(self, x: Array) -> Array:
        """Its value at x."""
        return np.polynomial.polynomial.polyval(0.0 + 1.0 * x, self.coef)


def reduced(function: Function, items: Sequence[Any]) -> Any:
    """`functools.reduce` of items whose number is not known."""
    total = items[0]
    for item in items[1:]:
        total = function(total, item)
    return total


def reduced_from(function: Function, items: Sequence[Any], start: Any) -> Any:
    """`functools.reduce` with a value to start from."""
    total = start
    for item in items:
        total = function(total, item)
    return total


def vectorized(f: Function, x: Array) -> Array:
    """`f` of each element of an array of floats."""
    flat = np.reshape(x, -1)
    values = np.zeros(len(flat))
    for k in range(len(flat)):
        values[k] = f(float(flat[k]))
    return values.reshape(np.shape(x))


def vectorized_pair(f: Function, x: Array, y: Array) -> Array:
    """`f` of each pair of elements of two arrays that broadcast together."""
    both = np.broadcast_arrays(x, y)
    first, second = np.reshape(both[0], -1), np.reshape(both[1], -1)
    values = np.zeros(len(first))
    for k in range(len(first)):
        values[k] = f(float(first[k]), float(second[k]))
    return values.reshape(np.shape(both[0]))
