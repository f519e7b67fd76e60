"""The elementwise functions of NumPy."""

from __future__ import annotations

import math

import numpy as np

from .rule import elementwise


@elementwise(complex="holomorphic")
def exp(x, *, dy):
    y = np.exp(x)
    dx = dy * y
