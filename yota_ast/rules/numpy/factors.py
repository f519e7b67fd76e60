"""Factorizations, eigenvalues, powers, least squares, and products of vectors.

What reads one triangle of a matrix alone has a gradient in that triangle alone.
"""

from __future__ import annotations

import numpy as np

from yota_ast.rules.helpers.squares import power_of_norm, square_of_norm
from yota_ast.rules.inference.factorings import (
    condition,
    eig_fact,
    eigenvalues_fact,
    eigh_fact,
    eigvals_fact,
    lstsq_fact,
    multiplied,
    qr_fact,
    singular_values,
    svd_fact,
    vector_norm_fact,
    vectors_product,
)
from yota_ast.rules.inference.layouts import matrices_transposed, matrix_powered
from yota_ast.rules.inference.products import cross_fact
from yota_ast.rules.inference.shapes import like_matrix
from yota_ast.rules.notation.rule import rule, settings
from yota_ast.runtime import (
    along_eigvalsh,
    along_svdvals,
    both_triangles,
    one_triangle,
    unbroadcast,
    uncond,
    uncross,
    uncross_along,
    undiagonal,
    uneig,
    uneigh,
    uneigvals,
    uneigvalsh,
    unlower,
    unlstsq,
    unmatrix_power,
    unmulti_dot,
    unnorm,
    unpinv,
    unpinv_cut,
    unqr,
    unqr_of_r,
    unsvd,
    unsvdvals,
    untensorinv,
    untensorsolve,
    untrace,
    unvecdot,
    unvector_norm,
)

# ---------------------------------------------------------------- eigenvalues


@rule(complex="written", fact=eigh_fact, parts={0: along_eigvalsh})
def eigh(x, UPLO="L", *, dy):
    """Of distinct eigenvalues."""
    y = np.linalg.eigh(x, UPLO)
    dx = uneigh(dy[0], dy[1], y[0], y[1], UPLO)


@rule(complex="written", fact=eigenvalues_fact, tangent=along_eigvalsh)
def eigvalsh(x, UPLO="L", *, dy):
    y = np.linalg.eigvalsh(x, UPLO)
    dx = uneigvalsh(dy, x, UPLO)


@rule(complex="written", fact=eig_fact)
def eig(x, *, dy):
    """Of simple eigenvalues."""
    y = np.linalg.eig(x)
    dx = uneig(dy[0], dy[1], x, y[0], y[1])


@rule(complex="written", fact=eigvals_fact)
def eigvals(x, *, dy):
    """Of simple eigenvalues."""
    y = np.linalg.eigvals(x)
    dx = uneigvals(dy, x, y)


# ---------------------------------------------------------------- singular values


@rule(
    complex="written",
    only={"hermitian": (False,)},
    fact=singular_values,
    tangent=along_svdvals,
)
def svd_values(x, full_matrices=True, compute_uv=True, hermitian=False, *, dy):
    y = np.linalg.svd(x, full_matrices, compute_uv, hermitian)
    dx = unsvdvals(dy, x)


@rule(
    complex="written",
    only={"compute_uv": (True,), "hermitian": (False,)},
    fact=svd_fact,
    parts={1: along_svdvals},
)
def svd(x, full_matrices=True, compute_uv=True, hermitian=False, *, dy):
    """Of distinct singular values."""
    y = np.linalg.svd(x, full_matrices, compute_uv, hermitian)
    dx = unsvd(dy[0], dy[1], dy[2], y[0], y[1], y[2])


@rule(complex="written", fact=singular_values, tangent=along_svdvals)
def svdvals(x, *, dy):
    y = np.linalg.svdvals(x)
    dx = unsvdvals(dy, x)


@rule(fact=condition)
def cond(x, p=None, *, dy):
    y = np.linalg.cond(x, p)
    dx = uncond(dy, x, y, p)


@rule(zero=["rcond", "rtol"], only={"hermitian": (False,)}, fact=matrices_transposed)
def pinv_cut(x, rcond=None, hermitian=False, *, rtol=None, dy):
    y = np.linalg.pinv(x, rcond, hermitian, rtol=rtol)
    dx = unpinv_cut(dy, x, y)


@rule(only={"rcond": (None,), "hermitian": (False,)}, fact=matrices_transposed)
def pinv(x, rcond=None, hermitian=False, *, dy):
    """Golub and Pereyra 1973, for matrices of constant rank."""
    y = np.linalg.pinv(x, rcond, hermitian)
    dx = unpinv(dy, x, y)


@rule(zero=["rcond", "rtol"], only={"hermitian": (True,)}, fact=matrices_transposed)
def pinv_symmetric(x, rcond=None, hermitian=False, *, rtol=None, dy):
    """In the lower triangle, which alone is read."""
    y = np.linalg.pinv(x, rcond, hermitian, rtol=rtol)
    dx = one_triangle(unpinv_cut(dy, both_triangles(x), y))


@rule(zero=["rcond"], fact=lstsq_fact)
def lstsq(a, b, rcond=None, *, dy):
    """For matrices of constant rank."""
    y = np.linalg.lstsq(a, b, rcond)
    both = unlstsq(dy, a, b, y)
    da = both[0]
    db = both[1]


# ---------------------------------------------------------------- factors


@rule(fact=like_matrix(np.linalg.cholesky))
def cholesky(x, *, upper=False, dy):
    """Murray 2016, Differentiation of the Cholesky decomposition."""
    y = np.linalg.cholesky(x, upper=upper)
    dx = unlower(dy, y, upper=upper)


@rule(complex="written", only={"mode": ("r",)}, fact=qr_fact)
def qr_of_r(x, mode="reduced", *, dy):
    """Of full rank."""
    y = np.linalg.qr(x, mode)
    dx = unqr_of_r(dy, x)


@rule(complex="written", only={"mode": ("reduced", "complete")}, fact=qr_fact)
def qr(x, mode="reduced", *, dy):
    """Of full rank."""
    y = np.linalg.qr(x, mode)
    dx = unqr(dy[0], dy[1], x, y[0], y[1])


# ---------------------------------------------------------------- powers, products


@rule(alias="maybe", zero=["n"], complex="written", fact=matrix_powered)
def matrix_power(x, n, *, dy):
    y = np.linalg.matrix_power(x, n)
    dx = unmatrix_power(dy, x, n)


@rule(sequences=["arrays"], complex="written", fact=multiplied)
def multi_dot(arrays, *, dy):
    y = np.linalg.multi_dot(arrays)
    darrays = unmulti_dot(dy, arrays)


@rule(zero=["axis"], complex="written", fact=vectors_product)
def vecdot_of_arrays(u, v, *, axis=-1, dy):
    y = np.linalg.vecdot(u, v, axis=axis)  # type: ignore[call-overload]
    du = unvecdot(np.conj(dy), v, u, axis)
    dv = unvecdot(dy, u, v, axis)


@rule(zero=["axis"], complex="written", fact=vectors_product)
def vecdot(u, v, *, axis=-1, dy):
    y = np.vecdot(u, v, axis=axis)  # type: ignore[call-overload]
    du = unvecdot(np.conj(dy), v, u, axis)
    dv = unvecdot(dy, u, v, axis)


@rule
def matvec(u, v, *, dy):
    y = np.matvec(u, v)
    du = unbroadcast(np.expand_dims(dy, -1) * np.expand_dims(v, -2), u)
    dv = unbroadcast(np.matvec(np.matrix_transpose(u), dy), v)


@rule
def vecmat(u, v, *, dy):
    y = np.vecmat(u, v)
    du = unbroadcast(np.matvec(v, dy), u)
    dv = unbroadcast(np.expand_dims(u, -1) * np.expand_dims(dy, -2), v)


@rule(zero=["axisa", "axisb", "axisc"])
def cross_along(u, v, axisa=-1, axisb=-1, axisc=-1, axis=None, *, dy):
    y = np.cross(u, v, axisa, axisb, axisc, axis)
    both = uncross_along(dy, u, v, axisa, axisb, axisc, axis)
    du = both[0]
    dv = both[1]


@rule(
    linear=["u", "v"],
    zero=["axis"],
    only={"axis": (-1,)},
    complex="holomorphic",
    fact=cross_fact,
)
def cross_along_the_last(u, v, *, axis, dy):
    """Of vectors of any length, of which those of two are refused."""
    y = np.cross(u, v, axis=axis)
    both = uncross(dy, u, v)
    du = both[0]
    dv = both[1]


@rule(linear=["u", "v"], zero=["axis"], fact=cross_fact)
def cross_of_arrays(u, v, *, axis=-1, dy):
    y = np.linalg.cross(u, v, axis=axis)
    both = uncross(dy, u, v, axis, axis, axis)
    du = both[0]
    dv = both[1]


@rule(linear=["u", "v"], complex="holomorphic", fact=cross_fact)
def cross(u, v, *, dy):
    y = np.cross(u, v)
    du = unbroadcast(np.cross(v, dy), u)
    dv = unbroadcast(np.cross(dy, u), v)


# ---------------------------------------------------------------- tensors, norms


@rule(zero=["axes"], linear=["b"])
def tensorsolve(a, b, axes=None, *, dy):
    y = np.linalg.tensorsolve(a, b, axes)
    both = untensorsolve(dy, a, b, y, axes)
    da = both[0]
    db = both[1]


@rule(zero=["ind"])
def tensorinv(x, ind=2, *, dy):
    y = np.linalg.tensorinv(x, ind)
    dx = untensorinv(dy, x, y)


@rule(
    zero=["ord"],
    refused=settings("ord"),
    complex="written",
    root="y",
    seminorm=True,
    square=square_of_norm,
    power=power_of_norm,
)
def matrix_norm(x, *, keepdims=False, ord="fro", dy):
    """Where the norm is 0 and there is no slope, 0."""
    y = np.linalg.matrix_norm(x, keepdims=keepdims, ord=ord)
    dx = unnorm(dy, x, y, ord, (-2, -1), keepdims)


@rule(
    zero=["ord"],
    refused=settings("ord"),
    complex="written",
    fact=vector_norm_fact,
    root="y",
    seminorm=True,
    square=square_of_norm,
    power=power_of_norm,
)
def vector_norm(x, *, axis=None, keepdims=False, ord=2, dy):
    """Where the norm is 0 and there is no slope, 0."""
    y = np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)
    dx = unvector_norm(dy, x, y, axis, keepdims, ord)


@rule(alias="view", zero=["offset"], linear=["x"], complex="written")
def diagonal_of_matrices(x, *, offset=0, dy):
    y = np.linalg.diagonal(x, offset=offset)
    dx = undiagonal(dy, x, offset, -2, -1)


@rule(zero=["offset"], linear=["x"], complex="written")
def trace_of_matrices(x, *, offset=0, dtype=None, dy):
    y = np.linalg.trace(x, offset=offset, dtype=dtype)
    dx = untrace(dy, x, offset, -2, -1)
