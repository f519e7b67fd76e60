# SPDX-License-Identifier: MIT
"""A rod that cools: which heat at the start gives the heat that is measured?"""

import numpy as np

from shapes.smooth import huber, neighbours

WEIGHT = 1e-3


def cooling(u0: np.ndarray, rate: float, steps: int, target: np.ndarray) -> float:
    """How far the rod is from the target, and how rough it was at the start."""
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + rate * neighbours(u)
    return np.sum(huber(u - target)) + WEIGHT * np.sum(neighbours(u0) ** 2)
