"""Facts of covariances and counts.

>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.axis_lengths import Dim
>>> from yota_ast.ir.atoms import Var
>>> x = Var("x", array_fact("f8", (Dim("x.shape[0]", 0, 5),)))
>>> covariance(x, x)
ndarray[float64, 2]
"""

from __future__ import annotations

import numpy as np

from yota_ast.ir.abstract_values import UNKNOWN, Fact
from yota_ast.ir.atoms import Atom
from yota_ast.rules.inference.shapes import (
    array_of,
    array_result,
    known,
    scalar_or_array,
    value_of,
)

_FLOAT = np.dtype(float)


def covariance(m: Atom, other: Atom) -> Fact:
    """`np.cov`: a matrix; of one variable a number in an array."""
    given, second = array_of(m), array_of(other)
    if given.rank is None or given.dtype != np.float64:
        return Fact("real")
    single = known(other) and value_of(other) is None
    if not single and second.dtype != np.float64:
        return Fact("real")
    if given.rank < 2 and single:
        return Fact("real", _FLOAT, ())
    if given.rank == 2 and single:  # of one row, a number
        return Fact("real", _FLOAT)
    return scalar_or_array(_FLOAT, (None, None))


def counts_fact(x: Atom, density: Atom, weights: Atom) -> Fact:
    """`np.histogram`: the counts and the edges."""
    plain = known(density) and not value_of(density)
    plain = plain and known(weights) and value_of(weights) is None
    dtype = np.dtype(np.intp) if plain else None
    edges = _FLOAT if array_of(x).dtype == np.float64 else None
    if dtype is None and array_of(weights).dtype not in (None, np.float64):
        return UNKNOWN
    items = (array_result(dtype, (None,)), array_result(edges, (None,)))
    return Fact("tuple", items=items, cls=tuple)


def weighed() -> Fact:
    """`np.bincount` with weights: float64."""
    return array_result(_FLOAT, (None,))
