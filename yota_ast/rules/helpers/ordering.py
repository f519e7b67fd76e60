"""Rules of the helpers of `runtime.sorting`: what stands where has no slope."""

from __future__ import annotations

import numpy as np

from yota_ast import runtime as rt
from yota_ast.rules.inference.containers import item_along
from yota_ast.rules.inference.helperfacts import like_operands, matched
from yota_ast.rules.notation.rule import rule


@rule(zero=["x", "axis"], linear=["d"], fact=matched)
def unsort(d, x, axis=-1, *, dy):
    y = rt.unsort(d, x, axis)
    dd = rt.resort(dy, x, axis)


@rule(zero=["x", "axis"], linear=["d"])
def resort(d, x, axis=-1, *, dy):
    y = rt.resort(d, x, axis)
    dd = rt.unsort(dy, x, axis)


@rule(zero=["x", "y", "axis"], linear=["d"], fact=matched)
def unpartition(d, x, y, axis=-1, *, dz):
    z = rt.unpartition(d, x, y, axis)
    dd = rt.repartition(dz, x, y, axis)


@rule(zero=["x", "y"], linear=["d"], fact=matched)
def unmedian(d, x, y, axis=None, keepdims=False, *, dz):
    z = rt.unmedian(d, x, y, axis, keepdims)
    ends = rt.beside(x, y, axis, keepdims)
    low = np.mean(dz, axis, keepdims=keepdims, where=rt.ties(x, ends[0], axis, True))
    high = np.mean(dz, axis, keepdims=keepdims, where=rt.ties(x, ends[1], axis, True))
    dd = (low + high) / 2


@rule(zero=["x", "y"])
def beside(x, y, axis=None, keepdims=False):
    z = rt.beside(x, y, axis, keepdims)


@rule(
    zero=["x"],
    linear=["d"],
    refused={"q": "the slope of a quantile changes with its level by jumps"},
    fact=matched,
)
def unquantile(d, x, q, axis=None, method="linear", *, dy):
    y = rt.unquantile(d, x, q, axis, method)
    dd = np.reshape(rt.requantile(dy, x, q, axis, method), np.shape(d))


@rule(zero=["x", "axis"], linear=["d"], fact=matched)
def ununique(d, x, axis=None, *, dy):
    y = rt.ununique(d, x, axis)
    dd = rt.reunique(dy, x, axis)


@rule(zero=["operands", "y"], linear=["d"], sequences=["operands"], fact=like_operands)
def picked(d, operands, y, *, dz):
    z = rt.picked(d, operands, y)
    dd = rt.along_picked(operands, y, dz)


@rule(zero=["x", "y"], linear=["dx"], sequences=["x", "dx"], fact=item_along)
def along_picked(x, y, dx, *, dz):
    z = rt.along_picked(x, y, dx)
    ddx = rt.picked(dz, x, y)
