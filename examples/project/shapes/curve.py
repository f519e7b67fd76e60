# SPDX-License-Identifier: MIT
"""A damped oscillation, fitted to measurements."""

import numpy as np

from shapes import curve_grad
from shapes.smooth import huber


def oscillation(p: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Height, decay, frequency and phase, at the times t."""
    return p[0] * np.exp(-p[1] * t) * np.cos(p[2] * t + p[3])


def misfit(p: np.ndarray, t: np.ndarray, y: np.ndarray) -> float:
    """How far the oscillation is from the measurements y."""
    return np.sum(huber(oscillation(p, t) - y))


def fit(p: np.ndarray, t: np.ndarray, y: np.ndarray, steps: int = 3000) -> np.ndarray:
    """Descend along the gradient that is checked in beside this file."""
    for _ in range(steps):
        _, dp = curve_grad.misfit_grad(p, t, y)
        p = p - 0.01 * dp
    return p
