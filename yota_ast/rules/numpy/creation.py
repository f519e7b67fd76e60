"""Arrays made from values, lists, shapes and ranges."""

from __future__ import annotations

import numpy as np

from yota_ast.ops.result_memory import converted, copying
from yota_ast.rules.inference.creations import (
    arange_by_fact,
    arange_fact,
    arange_from_fact,
    array_fact_of,
    contiguous_fact,
    eye_fact,
    filled_fact,
    full_fact,
    full_like_fact,
    full_like_shaped_fact,
    identity_fact,
    like_fact,
    linspace_fact,
    shaped,
    tri_fact,
)
from yota_ast.rules.inference.layouts import scalar_cast
from yota_ast.rules.notation.rule import elementwise, rule
from yota_ast.runtime import (
    held,
    real_like,
    unbroadcast,
    uncast,
    uncast_array,
    unlinspace,
)

# ---------------------------------------------------------------- from values


@rule(
    alias=copying(2),
    linear=["x"],
    sequences=["x"],
    complex="written",
    fact=array_fact_of,
)
def array_or_same(x, dtype=None, *, copy=True, order="K", subok=False, dy):
    y = np.array(x, dtype, copy=copy, order=order, subok=subok)
    dx = uncast_array(dy, x, dtype)


@rule(
    linear=["x"],
    sequences=["x"],
    complex="written",
    fact=array_fact_of,
)
def asarray_ordered(x, dtype=None, order=None, *, dy):
    y = np.asarray(x, dtype, order)
    dx = uncast_array(dy, x, dtype)


@rule(
    zero=["like"],
    linear=["x"],
    sequences=["x"],
    complex="written",
    fact=array_fact_of,
)
def asarray_alike(x, dtype=None, *, like=None, dy):
    y = np.asarray(x, dtype, like=like)
    dx = uncast_array(dy, x, dtype)


@rule(linear=["x"], sequences=["x"], complex="written", fact=array_fact_of)
def array(x, dtype=None, *, dy):
    y = np.array(x, dtype)
    dx = uncast_array(dy, x, dtype)


@rule(
    alias=converted,
    also=[np.asanyarray],
    linear=["x"],
    sequences=["x"],
    complex="written",
    fact=array_fact_of,
)
def asarray(x, dtype=None, *, dy):
    y = np.asarray(x, dtype)
    dx = uncast_array(dy, x, dtype)


@rule(
    also=[np.asfortranarray, np.asarray_chkfinite],
    linear=["x"],
    sequences=["x"],
    alias="maybe",
    complex="written",
    fact=contiguous_fact,
)
def ascontiguousarray(x, dtype=None, *, dy):
    y = np.ascontiguousarray(x, dtype)
    dx = uncast_array(dy, x, dtype)


@elementwise(linear=["x"])
def float64(x, *, dy):
    y = np.float64(x)
    dx = dy


@elementwise(linear=["x"])
def float32(x, *, dy):
    y = np.float32(x)
    dx = uncast(dy, x, np.float32)


@elementwise(
    linear=["x"],
    complex="written",
    fact=scalar_cast(np.complex128),
)
def complex128(x, *, dy):
    y = np.complex128(x)
    dx = real_like(dy, x)


@elementwise(
    linear=["x"],
    complex="written",
    fact=scalar_cast(np.complex64),
)
def complex64(x, *, dy):
    y = np.complex64(x)
    dx = uncast(dy, x, np.complex64)


@elementwise(zero=["x"])
def int64(x):
    y = np.int64(x)


@elementwise(zero=["x"])
def int32(x):
    y = np.int32(x)


@elementwise(zero=["x"])
def bool_(x):
    y = np.bool(x)


@rule(zero=["shape"], linear=["value"], complex="written", fact=filled_fact)
def full(shape, value, *, dy):
    y = np.full(shape, value)
    dvalue = unbroadcast(dy, value)


@rule(zero=["shape", "dtype"], linear=["value"], complex="written", fact=full_fact)
def full_typed(shape, value, dtype, *, dy):
    y = np.full(shape, value, dtype)
    dvalue = uncast(unbroadcast(dy, value), value, y.dtype)


@rule(
    zero=["x", "shape"],
    linear=["value"],
    complex="written",
    fact=full_like_shaped_fact,
)
def full_like_shaped(x, value, dtype=None, *, shape, dy):
    y = np.full_like(x, value, dtype, shape=shape)
    dvalue = uncast(unbroadcast(dy, value), value, y.dtype)


@rule(zero=["x"], linear=["value"], complex="written", fact=full_like_fact)
def full_like(x, value, dtype=None, *, dy):
    y = np.full_like(x, value, dtype)
    dvalue = uncast(unbroadcast(dy, value), value, y.dtype)


@rule(zero=["num"], jointly=["start", "stop"], complex="written", fact=linspace_fact)
def linspace(start, stop, num=50, endpoint=True, *, dy):
    y = np.linspace(start, stop, num, endpoint)
    parts = unlinspace(dy, start, stop, num, endpoint)
    dstart = parts[0]
    dstop = parts[1]


# ---------------------------------------------------------------- constants of a shape


@rule(zero=["shape"], complex="written", fact=shaped)
def zeros(shape, dtype=float, order="C"):
    y = np.zeros(shape, dtype, order)


@rule(zero=["shape"], complex="written", fact=shaped)
def ones(shape, dtype=float, order="C"):
    y = np.ones(shape, dtype, order)


@rule(zero=["shape"], complex="written", fact=shaped)
def empty(shape, dtype=float, order="C"):
    y = np.empty(shape, dtype, order)


@rule(zero=["x"], complex="written", fact=like_fact)
def zeros_like(x, dtype=None, *, shape=None):
    y = np.zeros_like(x, dtype, shape=shape)


@rule(zero=["x"], complex="written", fact=like_fact)
def ones_like(x, dtype=None, *, shape=None):
    y = np.ones_like(x, dtype, shape=shape)


@rule(zero=["x"], complex="written", fact=like_fact)
def empty_like(x, dtype=None, *, shape=None):
    y = np.empty_like(x, dtype, shape=shape)


@rule(zero=["n", "m", "k", "like"], complex="written", fact=eye_fact)
def eye(n, m=None, k=0, dtype=float, *, like=None):
    y = np.eye(n, m, k, dtype, like=like)


@rule(zero=["n"], complex="written", fact=identity_fact)
def identity(n, dtype=float):
    y = np.identity(n, dtype)


@rule(zero=["n", "m", "k"], complex="written", fact=tri_fact)
def tri(n, m=None, k=0, dtype=float):
    y = np.tri(n, m, k, dtype)


# ---------------------------------------------------------------- ranges


@rule(zero=["like"], complex="written", fact=arange_fact)
def arange(stop, *, dtype=None, like=None, dy):
    """Whole steps from 0: the length changes with `stop`, the elements do not."""
    y = np.arange(stop, dtype=dtype, like=like)
    dstop = np.sum(dy) * 0


@rule(zero=["like"], complex="written", fact=arange_from_fact)
def arange_from(start, stop, *, dtype=None, like=None, dy):
    y = np.arange(start, stop, dtype=dtype, like=like)
    dstart = held(np.sum(dy), y, start)
    dstop = np.sum(dy) * 0


@rule(zero=["like"], complex="written", fact=arange_by_fact)
def arange_by(start, stop, step, *, dtype=None, like=None, dy):
    y = np.arange(start, stop, step, dtype=dtype, like=like)
    dstart = held(np.sum(dy), y, start)
    dstop = np.sum(dy) * 0
    dstep = held(np.sum(dy * np.arange(len(dy))), y, step)
