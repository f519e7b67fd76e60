"""What NumPy's `ufunc.at` does, as loops: they are lowered like helpers of the user's.

>>> import numpy as np
>>> y = np.array([1.0, 2.0, 3.0])
>>> multiply_at(y, [0, 0, 2], np.array([2.0, 5.0, 3.0]))
>>> y
array([10.,  2.,  9.])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

Array = Any


def multiply_at(y: Array, index: Array, e: Array) -> None:
    """`np.multiply.at(y, index, e)`."""
    for j in range(len(index)):
        y[index[j]] *= e[j]


def divide_at(y: Array, index: Array, e: Array) -> None:
    """`np.divide.at(y, index, e)`."""
    for j in range(len(index)):
        y[index[j]] /= e[j]


def maximum_at(y: Array, index: Array, e: Array) -> None:
    """`np.maximum.at(y, index, e)`."""
    for j in range(len(index)):
        y[index[j]] = np.maximum(y[index[j]], e[j])


def minimum_at(y: Array, index: Array, e: Array) -> None:
    """`np.minimum.at(y, index, e)`."""
    for j in range(len(index)):
        y[index[j]] = np.minimum(y[index[j]], e[j])


def multiply_all_at(y: Array, index: Array, e: Array) -> None:
    """`np.multiply.at(y, index, e)` of a number."""
    for j in range(len(index)):
        y[index[j]] *= e


def divide_all_at(y: Array, index: Array, e: Array) -> None:
    """`np.divide.at(y, index, e)` of a number."""
    for j in range(len(index)):
        y[index[j]] /= e


def maximum_all_at(y: Array, index: Array, e: Array) -> None:
    """`np.maximum.at(y, index, e)` of a number."""
    for j in range(len(index)):
        y[index[j]] = np.maximum(y[index[j]], e)


def minimum_all_at(y: Array, index: Array, e: Array) -> None:
    """`np.minimum.at(y, index, e)` of a number."""
    for j in range(len(index)):
        y[index[j]] = np.minimum(y[index[j]], e)


def negative_at(y: Array, index: Array) -> None:
    """`np.negative.at(y, index)`."""
    for j in range(len(index)):
        y[index[j]] = -y[index[j]]


LOOPS: Final[dict[object, tuple[Callable[..., None], ...]]] = {
    np.multiply: (multiply_at, multiply_all_at),
    np.divide: (divide_at, divide_all_at),
    np.maximum: (maximum_at, maximum_all_at),
    np.minimum: (minimum_at, minimum_all_at),
    np.negative: (negative_at,),
}
"""By the ufunc: the loop for an array of operands, that for a number."""
