"""Facts of interpolated, differenced and convolved samples.

>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.axis_lengths import Dim
>>> from yota_ast.ir.atoms import Const, Var
>>> x = Var("x", array_fact("f8", (Dim("x.shape[0]", 0, 5),)))
>>> interpolated(x, Const([0.0, 1.0]), Const([2.0, 3.0])).shape
(Dim(base='x.shape[0]', offset=0, size=5, terms=(), uncut=None),)
"""

from __future__ import annotations

import numpy as np

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom
from yota_ast.rules.inference.shapes import (
    array_of,
    array_result,
    dtype_of,
    known,
    running_shape,
    value_of,
)


def interpolated(x: Atom, xp: Atom, fp: Atom) -> Fact:
    """`np.interp`: float64, of the shape of x; of a number a NumPy scalar."""
    given, values = array_of(x), array_of(fp)
    real = values.dtype is not None and values.dtype.kind != "c"
    dtype = np.dtype(float) if real or values.is_python else None
    if given.shape == ():
        return Fact("real", None, ())
    if given.kind == "array":
        return array_result(dtype, given.shape)
    return Fact("real", dtype, given.shape)


def gradient_fact(f: Atom, axis: Atom) -> Fact:
    """`np.gradient`: an array of the shape of f, or one for each axis."""
    given = array_of(f)
    dtype = given.dtype if given.dtype == np.float64 else None
    one = array_result(dtype, given.shape)
    axes = value_of(axis)
    if not known(axis) or (axes is None and given.rank is None):
        return Fact("unknown")
    if isinstance(axes, int) or (axes is None and given.rank == 1):
        return one
    count = (given.rank or 0) if axes is None else len(axes)
    if count == 1:
        return one
    kind = type(np.gradient(np.eye(2)))
    items = (one,) * count
    return Fact("tuple" if kind is tuple else "list", items=items, cls=kind)


def running_fact(x: Atom, axis: Atom, dtype: Atom, include_initial: Atom) -> Fact:
    """`np.cumulative_sum`."""
    given = array_of(x)
    whole = known(include_initial) and not value_of(include_initial)
    same = known(dtype) and value_of(dtype) is None
    result = dtype_of(np.cumsum, given) if same else None
    if not isinstance(given.shape, tuple):
        return Fact("array", result)
    shape = running_shape(given)
    return array_result(result, shape if whole else (None,) * len(shape or ()))


def convolved(u: Atom, v: Atom) -> Fact:
    """`np.convolve`: a vector."""
    a, b = array_of(u), array_of(v)
    return array_result(dtype_of(np.multiply, a, b), (None,))
