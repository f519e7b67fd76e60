"""Products of matrices, and linear algebra."""

from __future__ import annotations

import operator

import numpy as np

from ..runtime import unmatmul_left, unmatmul_right
from .rule import rule
from .shapes import product


@rule(
    also=[np.matmul],
    linear=["u", "v"],
    complex="holomorphic",
    fact=product(operator.matmul),
)
def matmul(u, v, *, dy):
    y = u @ v
    du = unmatmul_left(dy, u, v)
    dv = unmatmul_right(dy, u, v)
