"""Functions of `scipy.optimize` that test what minimises."""

from __future__ import annotations

import numpy as np
from scipy import optimize

from yota_ast.rules.notation.rule import rule


@rule
def rosen(x, *, dy):
    """Along the first axis."""
    y = optimize.rosen(x)
    first = x[:-1]
    bends = x[1:] - first * first
    none = np.zeros_like(x[:1])
    above = np.concatenate((none, 200 * bends))
    dx = dy * (above - np.concatenate((400 * first * bends + 2 * (1 - first), none)))
