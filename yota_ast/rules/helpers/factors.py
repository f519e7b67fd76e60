"""Rules of the helpers of `runtime.factors`: in the cotangent they are tangents.

In what they are besides linear, they have no rule: third slopes are refused.
"""

from __future__ import annotations

import numpy as np

from yota_ast import runtime as rt
from yota_ast.rules.inference.helperfacts import like_vectors, like_x, like_y, matched
from yota_ast.rules.notation.rule import rule

THIRD = "a second slope of this factorization has no rule"


def _refused(*names: str) -> dict[str, str]:
    return dict.fromkeys(names, THIRD)


@rule(
    linear=["dw", "dv"],
    complex="written",
    fact=like_vectors,
    refused=_refused("w", "v"),
)
def uneigh(dw, dv, w, v, uplo="L", *, dz):
    z = rt.uneigh(dw, dv, w, v, uplo)
    turn = rt.reeigh(dz, w, v, uplo)
    ddw = turn[0]
    ddv = turn[1]


@rule(linear=["d"], complex="written", fact=matched, tangent=rt.along_uneigvalsh)
def uneigvalsh(d, x, uplo="L", *, dz):
    z = rt.uneigvalsh(d, x, uplo)
    dd = rt.reeigvalsh(dz, x, uplo)
    dx = rt.uneigvalsh_at(dz, d, x, uplo)


@rule(zero=["w"], linear=["d"], complex="written", tangent=rt.along_uneigvals)
def uneigvals(d, x, w, *, dz):
    z = rt.uneigvals(d, x, w)
    dd = rt.reeigvals(dz, x, w)
    dx = rt.uneigvals_at(dz, d, x, w)


@rule(linear=["d"], complex="written", fact=matched, tangent=rt.along_unsvdvals)
def unsvdvals(d, x, *, dz):
    z = rt.unsvdvals(d, x)
    dd = rt.resvdvals(dz, x)
    dx = rt.unsvdvals_at(dz, d, x)


@rule(linear=["d"], fact=like_y, refused=_refused("y"))
def unlower(d, y, upper=False, *, dz):
    z = rt.unlower(d, y, upper)
    dd = rt.relower(dz, y, upper)


@rule(zero=["n"], linear=["d"], complex="written", fact=matched, refused=_refused("x"))
def unmatrix_power(d, x, n, *, dz):
    z = rt.unmatrix_power(d, x, n)
    dd = rt.rematrix_power(dz, x, n)


@rule(linear=["d"], fact=matched, refused=_refused("x", "y"), also=[rt.unpinv_cut])
def unpinv(d, x, y, *, dz):
    z = rt.unpinv(d, x, y)
    dd = rt.repinv(dz, x, y)


@rule(
    zero=["ord", "axis"],
    linear=["d"],
    complex="written",
    fact=matched,
    refused=_refused("x", "y"),
)
def unnorm(d, x, y, ord=None, axis=None, keepdims=False, *, dz):
    z = rt.unnorm(d, x, y, ord, axis, keepdims)
    slope = np.conj(rt.unnorm(np.ones_like(y), x, y, ord, axis, keepdims))
    dd = np.sum(np.real(slope * dz), axis, keepdims=keepdims)


@rule(linear=["d"], refused=_refused("x", "y"))
def uncond(d, x, y, p=None, *, dz):
    z = rt.uncond(d, x, y, p)
    dd = np.sum(rt.uncond(np.ones_like(y), x, y, p) * dz, (-2, -1))


@rule(linear=["d"], refused=_refused("x"))
def unvander(d, x, increasing=False, *, dz):
    z = rt.unvander(d, x, increasing)
    dd = rt.revander(dz, d, x, increasing)


# ---------------------------------------------------------------- determinants


@rule(complex="holomorphic", fact=like_x)
def cofactors(x, *, dz):
    z = rt.cofactors(x)
    dx = rt.cofactors_along(dz, x)


@rule(linear=["d"], complex="holomorphic", fact=like_x)
def cofactors_along(d, x, *, dz):
    z = rt.cofactors_along(d, x)
    dd = rt.cofactors_along(dz, x)
    dx = rt.cofactors_along_both(dz, d, x)


@rule(
    linear=["d", "e"], complex="holomorphic", fact=like_x,
    refused={"x": "a fourth slope of determinants has no rule"},
)  # fmt: skip
def cofactors_along_both(d, e, x, *, dz):
    z = rt.cofactors_along_both(d, e, x)
    dd = rt.cofactors_along_both(dz, e, x)
    de = rt.cofactors_along_both(d, dz, x)


# ---------------------------------------------------------------- their tangents


@rule(complex="written", refused=_refused("x", "dx"))
def along_eigvalsh(x, UPLO="L", dx=0.0):
    y = rt.along_eigvalsh(x, UPLO, dx)


@rule(complex="written", refused=_refused("x", "dx"))
def along_values_read(x, lower=True, dx=0.0):
    y = rt.along_values_read(x, lower, dx)


@rule(complex="written", refused=_refused("x", "dx"))
def along_svdvals(x, dx=0.0):
    y = rt.along_svdvals(x, dx)


@rule(complex="written", refused=_refused("d", "x", "dd", "dx"))
def along_uneigvalsh(d, x, uplo="L", dd=0.0, dx=0.0):
    y = rt.along_uneigvalsh(d, x, uplo, dd, dx)


@rule(zero=["w"], complex="written", refused=_refused("d", "x", "dd", "dx"))
def along_uneigvals(d, x, w, dd=0.0, dx=0.0):
    y = rt.along_uneigvals(d, x, w, dd, dx)


@rule(complex="written", fact=matched, refused=_refused("d", "x", "dd", "dx"))
def along_unsvdvals(d, x, dd=0.0, dx=0.0):
    y = rt.along_unsvdvals(d, x, dd, dx)


@rule(complex="written", refused=_refused("c", "d", "x"))
def uneigvalsh_at(c, d, x, uplo="L"):
    y = rt.uneigvalsh_at(c, d, x, uplo)


@rule(zero=["w"], complex="written", refused=_refused("c", "d", "x"))
def uneigvals_at(c, d, x, w):
    y = rt.uneigvals_at(c, d, x, w)


@rule(complex="written", refused=_refused("c", "d", "x"))
def unsvdvals_at(c, d, x):
    y = rt.unsvdvals_at(c, d, x)
