"""Facts of covariances and counts.

>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.axis_lengths import Dim
>>> from yota_ast.ir.atoms import Var
>>> x = Var("x", array_fact("f8", (Dim("x.shape[0]", 0, 5),)))
>>> from yota_ast.ir.atoms import Const
>>> covariance(x, x, Const(True))
ndarray[float64, 2]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.ir.abstract_values import UNKNOWN, Fact
from yota_ast.ir.atoms import Atom, fact_of_atom
from yota_ast.rules.inference.dims import taken_for_several
from yota_ast.rules.inference.shapes import (
    array_of,
    array_result,
    known,
    length_argument,
    scalar_or_array,
    value_of,
)

_FLOAT = np.dtype(float)


def covariance(m: Atom, other: Atom, rowvar: Atom) -> Fact:
    """`np.cov`: a matrix; of one variable a number in an array."""
    given, second = array_of(m), array_of(other)
    if given.rank is None or given.dtype != np.float64:
        return Fact("real")
    single = known(other) and value_of(other) is None
    if not single and second.dtype != np.float64:
        return Fact("real")
    if given.rank < 2 and single:
        return Fact("real", _FLOAT, ())
    if given.rank == 2 and single:
        return _of_variables(given, rowvar)
    return scalar_or_array(_FLOAT, (None, None))


def _of_variables(given: Fact, rowvar: Atom) -> Fact:
    """Of the rows of a matrix, or of its columns: of one of them, a number."""
    if known(rowvar) and isinstance(given.shape, tuple):
        count = given.shape[0 if value_of(rowvar) else 1]
        if taken_for_several(count):
            return array_result(_FLOAT, (count, count))
    return Fact("real", _FLOAT)


def counts_fact(x: Atom, bins: Atom, density: Atom, weights: Atom) -> Fact:
    """`np.histogram`: the counts and the edges."""
    given, weighed_by = array_of(x), array_of(weights)
    plain = known(density) and not value_of(density)
    dtype: np.dtype[Any] | None = None
    of_weights = weighed_by.dtype
    if plain and known(weights) and value_of(weights) is None:
        dtype = np.dtype(np.intp)
    elif plain and of_weights and of_weights.kind == "f" and of_weights.isnative:
        dtype = of_weights
    edges = _FLOAT if given.dtype == np.float64 else None
    if dtype is None and of_weights and of_weights.kind != "f":
        return UNKNOWN
    count = length_argument(bins) if fact_of_atom(bins).kind == "int" else None
    ends = None if count is None else count.shifted(1)
    items = (array_result(dtype, (count,)), array_result(edges, (ends,)))
    return Fact("tuple", items=items, cls=tuple)


def weighed() -> Fact:
    """`np.bincount` with weights: float64."""
    return array_result(_FLOAT, (None,))
