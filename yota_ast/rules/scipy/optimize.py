"""Functions of `scipy.optimize` but the solvers."""

from __future__ import annotations

import numpy as np
from scipy import optimize

from yota_ast.ir.abstract_values import Fact, array_fact
from yota_ast.rules.notation.rule import rule


def _places() -> Fact:
    """What is known of the rows and the columns that are assigned."""
    return Fact("tuple", items=(array_fact("i8", (None,)),) * 2, cls=tuple)


@rule
def rosen(x, *, dy):
    """Along the first axis."""
    y = optimize.rosen(x)
    first = x[:-1]
    bends = x[1:] - first * first
    none = np.zeros_like(x[:1])
    above = np.concatenate((none, 200 * bends))
    dx = dy * (above - np.concatenate((400 * first * bends + 2 * (1 - first), none)))


@rule(zero=["cost_matrix", "maximize"], fact=_places)
def linear_sum_assignment(cost_matrix, maximize=False):
    """Which column is assigned to each row does not change a little."""
    y = optimize.linear_sum_assignment(cost_matrix, maximize)
