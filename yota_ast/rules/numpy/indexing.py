"""Subscripts, and functions that pick or place elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from yota_ast.ir.built_values import build_slice
from yota_ast.ops.result_memory import diagonal_of, element
from yota_ast.rules.inference.subscripts import (
    compressed,
    diag_fact,
    diagonal_fact,
    getitem_fact,
    grid_fact,
    like_indices,
    select_fact,
    strided_fact,
    taken,
    windows_fact,
)
from yota_ast.rules.notation.rule import elementwise, rule
from yota_ast.runtime import (
    along_strided,
    signed,
    strided,
    undiag,
    undiagonal,
    ungetitem,
    ungetitem_of_sequence,
    unselect,
    unslide,
    unstride,
    untake,
    untake_along_axis,
)

Grid: Any = type(np.mgrid).__mro__[1]
"""The class of `np.mgrid` and of `np.ogrid`."""
_NO_SLOPE = "use np.linspace, which has a rule"


@rule(
    alias=element,
    zero=["index"],
    linear=["x"],
    complex="written",
    fact=getitem_fact,
)
def getitem(x, index, *, dy):
    y = x[index]
    dx = ungetitem(dy, x, index)


@rule(
    zero=["index"],
    linear=["x"],
    sequences=["x"],
    complex="written",
    fact=getitem_fact,
)
def getitem_of_sequence(x: list | tuple | dict, index, *, dy):
    y = x[index]
    dx = ungetitem_of_sequence(dy, x, index)


@rule(refused=dict.fromkeys(("start", "stop", "step"), _NO_SLOPE))
def build_slice_of_floats(start, stop, step):
    """Of `np.mgrid[0:a]`; a slice of an array has ends that are whole."""
    y = build_slice(start, stop, step)


@rule(zero=["x"], refused={"index": _NO_SLOPE}, complex="written", fact=grid_fact)
def getitem_of_grid(x, index):
    """Of `np.mgrid` and `np.ogrid`."""
    y = Grid.__getitem__(x, index)


@rule(zero=["indices", "axis"], linear=["x"], complex="written", fact=taken)
def take(x, indices, axis=None, *, dy):
    y = np.take(x, indices, axis)
    dx = untake(dy, x, indices, axis)


@rule(zero=["indices", "axis"], linear=["x"], complex="written", fact=like_indices)
def take_along_axis(x, indices, axis=-1, *, dy):
    y = np.take_along_axis(x, indices, axis)
    dx = untake_along_axis(dy, x, indices, axis)


@rule(zero=["condition"], linear=["x"], complex="written", fact=compressed)
def compress(condition, x, axis=None, *, dy):
    y = np.compress(condition, x, axis)
    dx = untake(dy, x, np.flatnonzero(condition), axis)


@rule(zero=["condition"], linear=["x"], complex="written", fact=compressed)
def extract(condition, x, *, dy):
    y = np.extract(condition, x)
    dx = untake(dy, x, np.flatnonzero(condition))


@elementwise(linear=["u", "v"], zero=["c"], complex="written")
def where(c, u, v, *, dy):
    y = np.where(c, u, v)
    du = np.where(c, dy, 0)
    dv = np.where(c, 0, dy)


@rule(
    zero=["conditions"],
    sequences=["conditions", "choices"],
    complex="written",
    fact=select_fact,
)
def select(conditions, choices, default=0, *, dy):
    y = np.select(conditions, choices, default)
    parts = unselect(dy, conditions, choices, default)
    dchoices = parts[0]
    ddefault = parts[1]


@rule(alias=diagonal_of, zero=["k"], linear=["x"], complex="written", fact=diag_fact)
def diag(x, k=0, *, dy):
    y = np.diag(x, k)
    dx = undiag(dy, x, k)


@rule(
    zero=["offset", "axis1", "axis2"],
    linear=["x"],
    alias="view",
    complex="written",
    fact=diagonal_fact,
)
def diagonal(x, offset=0, axis1=0, axis2=1, *, dy):
    y = np.diagonal(x, offset, axis1, axis2)
    dx = undiagonal(dy, x, offset, axis1, axis2)


@rule(zero=["k"], linear=["x"], complex="written", fact=like_indices)
def diagflat(x, k=0, *, dy):
    y = np.diagflat(x, k)
    dx = np.reshape(np.diagonal(dy, signed(k)), np.shape(x))


@rule(
    zero=["window_shape", "axis"],
    linear=["x"],
    alias="view",
    complex="written",
    fact=windows_fact,
    only={"subok": (False,), "writeable": (False,)},
)
def sliding_window_view(
    x, window_shape, axis=None, *, subok=False, writeable=False, dy
):
    y = np.lib.stride_tricks.sliding_window_view(
        x, window_shape, axis, subok=subok, writeable=writeable
    )
    dx = unslide(dy, x, window_shape, axis)


@rule(
    zero=["own", "shape", "strides"],
    alias="view",
    complex="written",
    fact=strided_fact,
    tangent=along_strided,
)
def as_strided(x, own, shape, strides, *, dy):
    """Elements that are named by bytes: those of x that stand there."""
    y = strided(x, own, shape, strides)
    dx = unstride(dy, x, own, strides)
