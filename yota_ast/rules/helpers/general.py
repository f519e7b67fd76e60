"""Rules of the helpers of `runtime`, so that gradients of gradients work.

Each helper is linear in the cotangent that comes first, and most in nothing else; the
arguments that give only shapes have no slope. Helpers without a rule here are inlined.
"""

from __future__ import annotations

import numpy as np

from yota_ast import runtime as rt
from yota_ast.rules.inference.helperfacts import (
    arrays_parts,
    compared,
    einsum_parts,
    like_arrays,
    like_d,
    like_joined,
    like_operands,
    like_s,
    like_u,
    like_v,
    like_x,
    matched,
    real_like_fact,
    signed_fact,
    untransposed,
    whole_number,
)
from yota_ast.rules.inference.subscripts import along_strided_fact
from yota_ast.rules.notation.rule import elementwise, rule

# ---------------------------------------------------------------- broadcasting, sums


@rule(zero=["x"], linear=["d"], alias="maybe", complex="written", fact=matched)
def unbroadcast(d, x, *, dy):
    y = rt.unbroadcast(d, x)
    dd = rt.expand(dy, d)


@rule(zero=["x"], linear=["d"], complex="written", fact=matched)
def unsum(d, x, axis=None, keepdims=False, *, dy):
    y = rt.unsum(d, x, axis, keepdims)
    dd = rt.unbroadcast(np.sum(dy, axis, keepdims=keepdims), d)


@rule(zero=["x", "rule"], linear=["d"], alias="same", complex="written", fact=matched)
def checked(d, x, rule, *, dy):
    y = rt.checked(d, x, rule)
    dd = dy


@rule(zero=["y", "x"], linear=["d"], alias="maybe", complex="written", fact=like_d)
def held(d, y, x=0.0, *, dz):
    z = rt.held(d, y, x)
    dd = rt.held(dz, y, x)


@rule(
    zero=["ndim", "kinds"], linear=["x"], alias="same", complex="written", fact=like_x
)
def numbers(x, ndim, kinds="biuf", *, dy):
    y = rt.numbers(x, ndim, kinds)
    dx = dy


@rule(zero=["x", "axis", "ddof"], complex="written", fact=whole_number)
def count(x, axis=None, ddof=0):
    y = rt.count(x, axis, ddof)


@rule(zero=["x"], complex="written")
def count_valid(x, axis=None, keepdims=False):
    y = rt.count_valid(x, axis, keepdims)


@rule(zero=["x"], alias="maybe", complex="written", fact=signed_fact)
def signed(x):
    y = rt.signed(x)


# ---------------------------------------------------------------- products


@rule(zero=["u"], linear=["d", "v"], complex="holomorphic", fact=like_u)
def unmatmul_left(d, u, v, *, dy):
    y = rt.unmatmul_left(d, u, v)
    dd = dy @ v
    dv = rt.unmatmul_right(d, dy, v)


@rule(zero=["v"], linear=["d", "u"], complex="holomorphic", fact=like_v)
def unmatmul_right(d, u, v, *, dy):
    y = rt.unmatmul_right(d, u, v)
    dd = u @ dy
    du = rt.unmatmul_left(d, u, dy)


@rule(zero=["u"], linear=["d", "v"], complex="holomorphic", fact=like_u)
def undot_left(d, u, v, *, dy):
    y = rt.undot_left(d, u, v)
    dd = np.dot(dy, v)
    dv = rt.undot_right(d, dy, v)


@rule(zero=["v"], linear=["d", "u"], complex="holomorphic", fact=like_v)
def undot_right(d, u, v, *, dy):
    y = rt.undot_right(d, u, v)
    dd = np.dot(u, dy)
    du = rt.undot_left(d, u, dy)


@rule(zero=["u"], linear=["d", "v"], complex="holomorphic", fact=like_u)
def uninner_left(d, u, v, *, dy):
    y = rt.uninner_left(d, u, v)
    dd = np.inner(dy, v)
    dv = rt.uninner_right(d, dy, v)


@rule(zero=["v"], linear=["d", "u"], complex="holomorphic", fact=like_v)
def uninner_right(d, u, v, *, dy):
    y = rt.uninner_right(d, u, v)
    dd = np.inner(u, dy)
    du = rt.uninner_left(d, u, dy)


@rule(zero=["u", "axes"], linear=["d", "v"], complex="holomorphic", fact=like_u)
def untensordot_left(d, u, v, axes=2, *, dy):
    y = rt.untensordot_left(d, u, v, axes)
    dd = np.tensordot(dy, v, axes)
    dv = rt.untensordot_right(d, dy, v, axes)


@rule(zero=["v", "axes"], linear=["d", "u"], complex="holomorphic", fact=like_v)
def untensordot_right(d, u, v, axes=2, *, dy):
    y = rt.untensordot_right(d, u, v, axes)
    dd = np.tensordot(u, dy, axes)
    du = rt.untensordot_left(d, u, dy, axes)


@rule(zero=["u"], linear=["d", "v"], complex="holomorphic", fact=like_u)
def unkron_left(d, u, v, *, dy):
    y = rt.unkron_left(d, u, v)
    dd = np.kron(dy, v)
    dv = rt.unkron_right(d, dy, v)


@rule(zero=["v"], linear=["d", "u"], complex="holomorphic", fact=like_v)
def unkron_right(d, u, v, *, dy):
    y = rt.unkron_right(d, u, v)
    dd = np.kron(u, dy)
    du = rt.unkron_left(d, u, dy)


@rule(
    zero=["subscripts"],
    linear=["d"],
    sequences=["operands"],
    complex="written",
    fact=like_operands,
)
def uneinsum(d, subscripts, operands, *, dy):
    y = rt.uneinsum(d, subscripts, operands)
    parts = rt.reeinsum(dy, d, subscripts, operands)
    dd = parts[0]
    doperands = parts[1]


@rule(
    linear=["d"], sequences=["arrays"], complex="written", fact=like_arrays
)  # fmt: skip
def unmulti_dot(d, arrays, *, dy):
    y = rt.unmulti_dot(d, arrays)
    parts = rt.remulti_dot(dy, d, arrays)
    dd = parts[0]
    darrays = parts[1]


@rule(
    sequences=["dz", "arrays"], fact=arrays_parts,
    refused=dict.fromkeys(("dz", "d", "arrays"), "a third slope has no rule"),
)  # fmt: skip
def remulti_dot(dz, d, arrays):
    y = rt.remulti_dot(dz, d, arrays)


@rule(zero=["axis"], complex="holomorphic", fact=like_x)
def prod_of_others(x, axis=None, *, dy):
    y = rt.prod_of_others(x, axis)
    dx = rt.prods_along(dy, x, axis)


@rule(zero=["axis"], linear=["d"], complex="holomorphic", fact=like_x)
def prods_along(d, x, axis=None, *, dy):
    y = rt.prods_along(d, x, axis)
    dd = rt.prods_along(dy, x, axis)
    dx = rt.prods_along_both(dy, d, x, axis)


@rule(
    zero=["axis"], linear=["d", "e"], complex="holomorphic", fact=like_x,
    refused={"x": "a fourth slope of products has no rule"},
)  # fmt: skip
def prods_along_both(d, e, x, axis=None, *, dy):
    y = rt.prods_along_both(d, e, x, axis)
    dd = rt.prods_along_both(dy, e, x, axis)
    de = rt.prods_along_both(d, dy, x, axis)


@rule(
    zero=["subscripts"], sequences=["dz", "operands"], fact=einsum_parts,
    refused=dict.fromkeys(("dz", "d", "operands"), "a third slope has no rule"),
)  # fmt: skip
def reeinsum(dz, d, subscripts, operands):
    y = rt.reeinsum(dz, d, subscripts, operands)


@rule(zero=["uplo"], linear=["s"], complex="written", fact=like_s)
def one_triangle(s, uplo="L", *, dy):
    y = rt.one_triangle(s, uplo)
    ds = rt.both_triangles(dy, uplo)


@rule(zero=["uplo"], linear=["s"], complex="written", fact=like_s)
def both_triangles(s, uplo="L", *, dy):
    y = rt.both_triangles(s, uplo)
    ds = rt.one_triangle(dy, uplo)


# ---------------------------------------------------------------- picking


@rule(zero=["x", "index"], linear=["d"], complex="written", fact=matched)
def ungetitem(d, x, index, *, dy):
    y = rt.ungetitem(d, x, index)
    dd = dy[index]


@rule(zero=["x", "indices"], linear=["d"], complex="written", fact=matched)
def untake(d, x, indices, axis=None, *, dy):
    y = rt.untake(d, x, indices, axis)
    dd = np.take(dy, indices, axis)


@rule(zero=["x", "indices", "axis"], linear=["d"], complex="written", fact=matched)
def untake_along_axis(d, x, indices, axis=-1, *, dy):
    y = rt.untake_along_axis(d, x, indices, axis)
    dd = np.take_along_axis(dy, indices, axis)


@rule(
    zero=["x", "offset", "axis1", "axis2"],
    linear=["d"],
    complex="written",
    fact=matched,
)
def undiagonal(d, x, offset=0, axis1=0, axis2=1, *, dy):
    y = rt.undiagonal(d, x, offset, axis1, axis2)
    dd = np.diagonal(dy, offset, axis1, axis2)


@rule(zero=["x", "window_shape", "axis"], linear=["d"], complex="written", fact=matched)
def unslide(d, x, window_shape, axis=None, *, dy):
    y = rt.unslide(d, x, window_shape, axis)
    dd = np.lib.stride_tricks.sliding_window_view(dy, window_shape, axis)


@rule(zero=["x", "own", "strides"], linear=["d"], complex="written", fact=matched)
def unstride(d, x, own, strides, *, dy):
    y = rt.unstride(d, x, own, strides)
    dd = rt.along_strided(x, own, np.shape(d), strides, dy)


@rule(
    zero=["x", "own", "shape", "strides"],
    linear=["dx"],
    complex="written",
    fact=along_strided_fact,
)
def along_strided(x, own, shape, strides, dx, *, dy):
    y = rt.along_strided(x, own, shape, strides, dx)
    ddx = rt.unstride(dy, x, own, strides)


@rule(alias="maybe", zero=["x", "k"], linear=["d"], complex="written", fact=matched)
def undiag(d, x, k=0, *, dy):
    y = rt.undiag(d, x, k)
    dd = np.diag(dy, k)


@rule(
    zero=["x", "offset", "axis1", "axis2"],
    linear=["d"],
    complex="written",
    fact=matched,
)
def untrace(d, x, offset=0, axis1=0, axis2=1, *, dy):
    y = rt.untrace(d, x, offset, axis1, axis2)
    dd = np.trace(dy, offset, axis1, axis2)


# ---------------------------------------------------------------- order, type, length


@rule(alias="maybe", zero=["axes"], linear=["d"], complex="written", fact=untransposed)
def untranspose(d, axes=None, *, dy):
    y = rt.untranspose(d, axes)
    dd = np.transpose(dy, axes)


@rule(alias="maybe", zero=["axis", "start"], linear=["d"], complex="written")
def unroll_axis(d, axis, start=0, *, dy):
    y = rt.unroll_axis(d, axis, start)
    dd = np.rollaxis(dy, axis, start)


@rule(zero=["x", "dtype"], linear=["d"], complex="written", fact=matched)
def uncast(d, x, dtype, *, dy):
    y = rt.uncast(d, x, dtype)
    dd = rt.uncast(dy, d, dtype)


@rule(zero=["x"], linear=["d"], complex="written", fact=matched)
def uncumsum(d, x, axis=None, *, dy):
    y = rt.uncumsum(d, x, axis)
    dd = np.cumsum(dy, axis)


@rule(
    alias="maybe",
    zero=["x", "n", "axis"],
    linear=["d"],
    complex="written",
    fact=matched,
)
def undiff(d, x, n=1, axis=-1, *, dy):
    y = rt.undiff(d, x, n, axis)
    dd = np.diff(dy, n, axis)


@rule(zero=["x", "reps"], linear=["d"], complex="written", fact=matched)
def untile(d, x, reps, *, dy):
    y = rt.untile(d, x, reps)
    dd = np.tile(dy, reps)


@rule(zero=["x", "repeats"], linear=["d"], complex="written", fact=matched)
def unrepeat(d, x, repeats, axis=None, *, dy):
    y = rt.unrepeat(d, x, repeats, axis)
    dd = np.repeat(dy, repeats, axis)


@rule(
    alias="maybe",
    zero=["x", "pad_width"],
    linear=["d"],
    complex="written",
    fact=matched,
)
def unpad(d, x, pad_width, *, dy):
    y = rt.unpad(d, x, pad_width)
    dd = np.pad(dy, pad_width)


@rule(
    alias="maybe",
    zero=["arrays", "axis"],
    linear=["d"],
    sequences=["arrays"],
    complex="written",
    fact=like_joined,
)
def unstack(d, arrays, axis=0, *, dy):
    y = rt.unstack(d, arrays, axis)
    dd = np.stack(dy, axis)


@rule(
    alias="maybe",
    zero=["arrays", "axis"],
    linear=["d"],
    sequences=["arrays"],
    complex="written",
    fact=like_joined,
)
def unconcatenate(d, arrays, axis=0, *, dy):
    y = rt.unconcatenate(d, arrays, axis)
    dd = np.concatenate(dy, axis)


# ---------------------------------------------------------------- extremes, slopes


@rule(zero=["x", "y"], linear=["d"], fact=matched)
def unmax(d, x, y, axis=None, keepdims=False, *, dz):
    z = rt.unmax(d, x, y, axis, keepdims)
    hit = rt.ties(x, y, axis, keepdims)
    dd = np.mean(dz, axis, keepdims=keepdims, where=hit)


@rule(zero=["x", "y"], fact=compared)
def ties(x, y, axis=None, keepdims=False):
    z = rt.ties(x, y, axis, keepdims)


@elementwise(linear=["d"], complex="holomorphic")
def divided(d, u, *, dy):
    y = rt.divided(d, u)
    dd = rt.divided(dy, u)
    du = -rt.divided(dy * y, u)


@elementwise(linear=["d"], complex="holomorphic")
def quotient_or_zero(d, u, *, dy):
    y = rt.quotient_or_zero(d, u)
    dd = rt.quotient_or_zero(dy, u)
    du = -rt.quotient_or_zero(rt.product_or_zero(y, dy), u)


@elementwise(linear=["d", "s"], complex="holomorphic")
def product_or_zero(d, s, *, dy):
    y = rt.product_or_zero(d, s)
    dd = rt.product_or_zero(dy, s)
    ds = rt.product_or_zero(d, dy)


@elementwise(complex="holomorphic")
def power_slope(u, v, *, dy):
    y = rt.power_slope(u, v)
    du = dy * v * rt.power_slope(u, v - (v != 0))
    dv = rt.power_mixed(dy, u, v)


@elementwise(linear=["d"], complex="holomorphic")
def unpower(d, u, v, *, dy):
    y = rt.unpower(d, u, v)
    dd = rt.unpower(dy, u, v)
    du = rt.unpower(dy * d * v, u, v - (v != 0))
    dv = rt.power_mixed(dy * d, u, v)


@elementwise(complex="holomorphic")
def log_or_zero(u, *, dy):
    y = rt.log_or_zero(u)
    du = dy / (u + (u == 0))


@elementwise
def sinc_slope(x, *, dy):
    y = rt.sinc_slope(x)
    dx = dy * rt.sinc_curvature(x)


@elementwise(zero=["k"])
def i0_slope(x, k=1, *, dy):
    y = rt.i0_slope(x, k)
    dx = dy * rt.i0_slope(x, rt.signed(k) + 1)


@elementwise(zero=["n"])
def polygamma(n, x, *, dy):
    y = rt.polygamma(n, x)
    dx = dy * rt.polygamma(rt.signed(n) + 1, x)


# ---------------------------------------------------------------- complex numbers


@rule(alias="maybe", zero=["x"], complex="written", fact=real_like_fact)
def real_like(d, x, *, dy):
    y = rt.real_like(d, x)
    dd = rt.real_like(dy, d)
