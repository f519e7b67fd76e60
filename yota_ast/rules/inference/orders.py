"""Facts of what is sorted, and of what is picked by order.

>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.axis_lengths import Dim
>>> from yota_ast.ir.atoms import Const, Var
>>> x = Var("x", array_fact("f8", (Dim("x.shape[0]", 0, 5), Dim("x.shape[1]", 0, 3))))
>>> quantile_fact(np.quantile)(x, Const([0.1, 0.9]), Const(0), Const(False)).rank
2
"""

from __future__ import annotations

import numpy as np

from yota_ast.ir.abstract_values import UNKNOWN, Fact
from yota_ast.ir.atoms import Atom
from yota_ast.rules.inference.shapes import (
    FactFn,
    array_of,
    array_result,
    dtype_of,
    known,
    reduced_shape,
    scalar_or_array,
    value_of,
)


def sorted_fact(x: Atom, axis: Atom) -> Fact:
    """`np.sort(x, axis)`: of the shape of x; without an axis, flat."""
    given = array_of(x)
    if not given.is_numeric or not known(axis):
        return UNKNOWN
    flat = value_of(axis) is None and given.rank != 1
    dtype = dtype_of(np.asarray, given)
    return array_result(dtype, (None,) if flat else given.shape)


def partitioned(x: Atom, axis: Atom) -> Fact:
    """`np.partition(x, kth, axis)`."""
    return sorted_fact(x, axis)


def different(x: Atom) -> Fact:
    """`np.setdiff1d(x, y)`: some of the values of x."""
    given = array_of(x)
    if not given.is_numeric:
        return UNKNOWN
    return array_result(dtype_of(np.asarray, given), (None,))


def quantile_fact(fn: object) -> FactFn:
    """`fn(x, q, axis, keepdims=keepdims)`: the axes of `q` come first."""

    def fact(x: Atom, q: Atom, axis: Atom, keepdims: Atom) -> Fact:
        given, levels = array_of(x), array_of(q)
        rest = reduced_shape(given.shape, axis, keepdims)
        dtype = None
        if given.dtype == np.float64 and (levels.is_python or levels.dtype == "f8"):
            dtype = given.dtype
        if not isinstance(rest, tuple) or not isinstance(levels.shape, tuple):
            return Fact("real", dtype)
        return scalar_or_array(dtype, (*levels.shape, *rest))

    return fact
