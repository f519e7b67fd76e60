"""Derivatives of what is found by solving equations.

>>> jacobian(lambda w: w @ np.array([[1.0, 2.0], [3.0, 4.0]]), np.zeros(2))
array([[1., 2.],
       [3., 4.]])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = Any


def jacobian(pullback: Callable[[Array], Array], x: Array) -> Array:
    """The Jacobian of a function of a vector, row by row, from its pullback."""
    return np.array([pullback(row) for row in np.eye(len(x))])


def check_found(x: Array, value: Array, slope: Array) -> None:
    """Raise where the value of the function whose root is `x` is not 0 there.

    It is taken for 0 where Newton's step would move `x` by less than 1e-4, relative to
    1 + |x|: so far the solver may be from it.
    """
    step = value / slope if np.ndim(slope) == 0 else np.linalg.solve(slope, value)
    if not np.all(np.abs(step) <= 1e-4 * (1 + np.abs(x))):
        raise ValueError("the solution is at a kink or a jump, or is not accurate")
