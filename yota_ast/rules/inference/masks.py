"""Facts of reductions with settings, and of methods of ufuncs.

>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.axis_lengths import Dim
>>> from yota_ast.ir.atoms import Const, Var
>>> x = Var("x", array_fact("f8", (Dim("x.shape[0]", 0, 5), Dim("x.shape[1]", 0, 3))))
>>> masked(np.sum)(x=x, axis=Const(0), keepdims=Const(False), dtype=Const(None))
ndarray[float64, 1]
"""

from __future__ import annotations

import numpy as np

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom
from yota_ast.rules.inference.dims import broadcast
from yota_ast.rules.inference.shapes import (
    FactFn,
    array_of,
    array_result,
    dtype_of,
    known,
    reduced_shape,
    running_shape,
    scalar_or_array,
    value_of,
)
from yota_ast.rules.notation.rule_records import Fn


def masked(fn: Fn) -> FactFn:
    """`fn(x, axis, keepdims=keepdims)`, of a dtype that settings may change."""

    def fact(x: Atom, axis: Atom, keepdims: Atom) -> Fact:
        given = array_of(x)
        shape = reduced_shape(given.shape, axis, keepdims)
        plain = given.dtype == np.float64
        return scalar_or_array(dtype_of(fn, given) if plain else None, shape)

    def typed(x: Atom, axis: Atom, dtype: Atom, keepdims: Atom) -> Fact:
        found = fact(x, axis, keepdims)
        plain = known(dtype) and value_of(dtype) in (None, float, np.float64)
        return found if plain else Fact("real", None, found.shape)

    return fact if fn in (np.max, np.min, np.nanmax, np.nanmin) else typed


def about_mean(fn: Fn) -> FactFn:
    """`fn(x, axis, dtype, keepdims=keepdims, mean=mean)`: x is spread to the mean."""
    typed = masked(fn)

    def fact(x: Atom, axis: Atom, dtype: Atom, keepdims: Atom, mean: Atom) -> Fact:
        found = typed(x, axis, dtype, keepdims)
        if known(mean) and value_of(mean) is None:
            return found
        whole = broadcast([array_of(x).shape, array_of(mean).shape])
        return scalar_or_array(None, reduced_shape(whole, axis, keepdims))

    return fact


def accumulated(x: Atom) -> Fact:
    """An array of the shape of x."""
    given = array_of(x)
    dtype = given.dtype if given.dtype is not None and given.dtype.kind == "f" else None
    return array_result(dtype, given.shape)


def same_rank(x: Atom) -> Fact:
    """An array of the rank of x."""
    rank = array_of(x).rank
    return array_result(None, None if rank is None else (None,) * rank)


def typed_running(x: Atom, axis: Atom) -> Fact:
    """`np.cumsum(x, axis, dtype)`: of the shape of x; without an axis, flat."""
    given = array_of(x)
    flat = value_of(axis) is None
    if not known(axis):
        return Fact("array")
    return array_result(None, (None,) if flat else running_shape(given))
