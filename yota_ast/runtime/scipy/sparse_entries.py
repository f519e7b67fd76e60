"""What is computed of a sparse matrix, as a function of its entries.

Each function gives its first argument, the value that SciPy has computed. Its rule says
how that depends on the entries that vary: `data`, at the places `rows` and `cols`. Two
entries at one place are added. They stand in no generated code: the value stands there.

>>> import numpy as np
>>> left, right = matching(np.array([0, 2]), np.array([2, 2, 0]))
>>> [(int(i), int(j)) for i, j in zip(left, right)]
[(0, 2), (1, 0), (1, 1)]
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def product_with_vector(
    value: Array, a: Any, x: Array, data: Array, rows: Array, cols: Array
) -> Array:
    """`a @ x` of a vector."""
    return value


def product_with_columns(
    value: Array, a: Any, x: Array, data: Array, rows: Array, cols: Array
) -> Array:
    """`a @ x` of a matrix."""
    return value


def solution_for_vector(
    value: Array, a: Any, b: Array, data: Array, rows: Array, cols: Array
) -> Array:
    """`spsolve(a, b)` of a vector."""
    return value


def solution_for_columns(
    value: Array, a: Any, b: Array, data: Array, rows: Array, cols: Array
) -> Array:
    """`spsolve(a, b)` of a matrix."""
    return value


def solved_for_vector(
    value: Array, lu: Any, b: Array, data: Array, rows: Array, cols: Array, trans: str
) -> Array:
    """`lu.solve(b, trans)` of a vector, of the factors of a matrix."""
    return value


def solved_for_columns(
    value: Array, lu: Any, b: Array, data: Array, rows: Array, cols: Array, trans: str
) -> Array:
    """`lu.solve(b, trans)` of a matrix, of the factors of a matrix."""
    return value


def sum_of_entries(value: Array, data: Array) -> Array:
    """`a.sum()`."""
    return value


def sums_of_entries(value: Array, data: Array, places: Array) -> Array:
    """`a.sum(axis)` as a vector; places: those of the entries along the other axis."""
    return value


def dense_of_entries(value: Array, data: Array, rows: Array, cols: Array) -> Array:
    """`a.toarray()`."""
    return value


def diagonal_of_entries(
    value: Array, data: Array, rows: Array, cols: Array, k: int
) -> Array:
    """`a.diagonal(k)`."""
    return value


def matching(u: Array, v: Array) -> tuple[Array, Array]:
    """All pairs of positions at which two arrays of whole numbers are equal."""
    order = np.argsort(v, kind="stable")
    first = np.searchsorted(v, u, "left", sorter=order)
    count = np.searchsorted(v, u, "right", sorter=order) - first
    left = np.repeat(np.arange(len(u)), count)
    within = np.arange(len(left)) - np.repeat(np.cumsum(count) - count, count)
    return left, order[np.repeat(first, count) + within]
