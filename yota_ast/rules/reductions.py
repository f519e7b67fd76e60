"""Reductions: sum, mean, ..."""

from __future__ import annotations

import numpy as np

from ..runtime import count, unsum
from .rule import rule
from .shapes import reduction


@rule(linear=["x"], complex="written", fact=reduction(np.sum))
def sum(x, axis=None, *, keepdims=False, dy):
    y = np.sum(x, axis, keepdims=keepdims)
    dx = unsum(dy, x, axis=axis, keepdims=keepdims)


@rule(linear=["x"], complex="written", fact=reduction(np.mean))
def mean(x, axis=None, *, keepdims=False, dy):
    y = np.mean(x, axis, keepdims=keepdims)
    dx = unsum(dy / count(x, axis), x, axis=axis, keepdims=keepdims)
