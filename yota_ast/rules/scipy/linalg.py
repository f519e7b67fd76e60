"""Linear algebra of `scipy.linalg`."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from yota_ast.rules.helpers.squares import power_of_norm, square_of_norm
from yota_ast.rules.inference.factorings import (
    factors_of,
    riccati_fact,
    scipy_lstsq_fact,
    solved_by_bands,
    solved_by_factors,
)
from yota_ast.rules.inference.joins import real_or_complex
from yota_ast.rules.inference.shapes import (
    like_matrix,
    norm_fact,
    of_matrices,
    solve_fact,
)
from yota_ast.rules.notation.rule import rule, settings
from yota_ast.runtime import (
    both_triangles,
    cofactors,
    one_triangle,
    outer_last,
    real_like,
    unbroadcast,
    uncho_factor,
    uncho_solve,
    unfactor,
    unlstsq,
    unnorm,
    unpinv,
    unpinv_cut,
    unsolve,
)
from yota_ast.runtime.scipy.eigen_adjoints import triangle_read
from yota_ast.runtime.scipy.matrix_adjoints import (
    expm_curvature,
    unblock_diag,
    uncirculant,
    unexpm,
    unlogm,
    unlu,
    unlu_factor,
    unlu_solve,
    unpolar,
    unsolve_banded,
    unsolve_triangular,
    unsqrtm,
    untoeplitz,
)

# ---------------------------------------------------------------- systems


@rule(linear=["b"], only={"assume_a": (None, "gen")}, fact=solve_fact)
def solve(a, b, *, assume_a=None, check_finite=True, dy):
    y = linalg.solve(a, b, assume_a=assume_a, check_finite=check_finite)
    w = unsolve(dy, a, b)
    da = unbroadcast(-outer_last(w, y, b), a)
    db = unbroadcast(w, b)


@rule(fact=like_matrix(np.linalg.inv))
def inv(x, *, check_finite=True, dy):
    y = linalg.inv(x, check_finite=check_finite)
    dx = -np.swapaxes(y, -1, -2) @ dy @ np.swapaxes(y, -1, -2)


@rule(fact=of_matrices(np.linalg.det))
def det(x, *, check_finite=True, dy):
    """Of singular matrices too."""
    y = linalg.det(x, check_finite=check_finite)
    dx = np.expand_dims(dy, (-1, -2)) * cofactors(x)


@rule(linear=["b"], zero=["trans", "lower"], fact=solve_fact)
def solve_triangular(
    a, b, trans=0, lower=False, unit_diagonal=False, *, check_finite=True, dy
):
    """In the triangle that is read."""
    y = linalg.solve_triangular(
        a, b, trans, lower, unit_diagonal, check_finite=check_finite
    )
    both = unsolve_triangular(dy, a, y, trans, lower, unit_diagonal)
    da = both[0]
    db = both[1]


@rule(
    linear=["b"],
    zero=["trans", "lower"],
    only={"trans": (0,), "lower": (True,), "unit_diagonal": (False,)},
    fact=solve_fact,
)
def solve_lower(
    a, b, trans=0, lower=False, unit_diagonal=False, *, check_finite=True, dy
):
    y = linalg.solve_triangular(
        a, b, trans, lower, unit_diagonal, check_finite=check_finite
    )
    w = linalg.solve_triangular(a, dy, trans=1, lower=True)
    da = -np.tril(outer_last(w, y, b))
    db = w


@rule(
    linear=["b"],
    zero=["trans", "lower"],
    only={"trans": (0,), "lower": (False,), "unit_diagonal": (False,)},
    fact=solve_fact,
)
def solve_upper(
    a, b, trans=0, lower=False, unit_diagonal=False, *, check_finite=True, dy
):
    y = linalg.solve_triangular(
        a, b, trans, lower, unit_diagonal, check_finite=check_finite
    )
    w = linalg.solve_triangular(a, dy, trans=1)
    da = -np.triu(outer_last(w, y, b))
    db = w


@rule(zero=["atol", "rtol"])
def pinv_cut(x, *, atol=None, rtol=None, check_finite=True, dy):
    y = linalg.pinv(x, atol=atol, rtol=rtol, check_finite=check_finite)
    dx = unpinv_cut(dy, x, y)


@rule
def pinv(x, *, check_finite=True, dy):
    """Golub and Pereyra 1973, for matrices of constant rank."""
    y = linalg.pinv(x, check_finite=check_finite)
    dx = unpinv(dy, x, y)


@rule(
    zero=["atol", "rtol", "lower"],
    only={"return_rank": (False,)},
    fact=like_matrix(linalg.pinvh),
)
def pinvh_cut(
    x, atol=None, rtol=None, lower=True, return_rank=False, *, check_finite=True, dy
):
    y = linalg.pinvh(x, atol, rtol, lower, return_rank, check_finite=check_finite)
    both = both_triangles(x, triangle_read(lower))
    dx = one_triangle(unpinv_cut(dy, both, y), triangle_read(lower))


@rule(zero=["lower"], only={"return_rank": (False,)}, fact=like_matrix(linalg.pinvh))
def pinvh(x, *, lower=True, return_rank=False, check_finite=True, dy):
    """As `pinv` of the symmetric matrix, in the triangle that is read."""
    y = linalg.pinvh(x, lower=lower, return_rank=return_rank, check_finite=check_finite)
    both = both_triangles(x, triangle_read(lower))
    dx = one_triangle(unpinv(dy, both, y), triangle_read(lower))


@rule(zero=["cond"], fact=scipy_lstsq_fact)
def lstsq(a, b, cond=None, *, check_finite=True, dy):
    """For matrices of constant rank."""
    y = linalg.lstsq(a, b, cond, check_finite=check_finite)
    both = unlstsq(dy, a, b, y)
    da = both[0]
    db = both[1]


@rule(zero=["bands"], linear=["b"], fact=solved_by_bands)
def solve_banded(bands, ab, b, *, check_finite=True, dy):
    y = linalg.solve_banded(bands, ab, b, check_finite=check_finite)
    both = unsolve_banded(dy, bands, ab, y)
    dab = both[0]
    db = both[1]


@rule(linear=["q"], complex="holomorphic")
def solve_sylvester(a, b, q, *, dy):
    y = linalg.solve_sylvester(a, b, q)
    w = linalg.solve_sylvester(np.matrix_transpose(a), np.matrix_transpose(b), dy)
    da = unbroadcast(-w @ np.matrix_transpose(y), a)
    db = unbroadcast(-np.matrix_transpose(y) @ w, b)
    dq = unbroadcast(w, q)


@rule(linear=["q"], also=[linalg.solve_lyapunov])
def solve_continuous_lyapunov(a, q, *, dy):
    y = linalg.solve_continuous_lyapunov(a, q)
    w = linalg.solve_continuous_lyapunov(np.matrix_transpose(a), dy)
    da = unbroadcast(-w @ np.matrix_transpose(y) - np.matrix_transpose(w) @ y, a)
    dq = unbroadcast(w, q)


@rule(linear=["q"], only={"method": (None,)})
def solve_discrete_lyapunov(a, q, method=None, *, dy):
    y = linalg.solve_discrete_lyapunov(a, q, method)
    w = linalg.solve_discrete_lyapunov(np.matrix_transpose(a), dy)
    da = unbroadcast(w @ a @ np.matrix_transpose(y) + np.matrix_transpose(w) @ a @ y, a)
    dq = unbroadcast(w, q)


@rule(only={"e": (None,), "s": (None,)}, fact=riccati_fact)
def solve_continuous_are(a, b, q, r, e=None, s=None, balanced=True, *, dy):
    """By the equation of the closed loop, in which the gain is stationary."""
    y = linalg.solve_continuous_are(a, b, q, r, e, s, balanced)
    gain = np.linalg.solve(np.atleast_2d(r), np.matrix_transpose(np.atleast_2d(b)) @ y)
    w = linalg.solve_continuous_lyapunov(
        a - np.atleast_2d(b) @ gain, -(dy + np.matrix_transpose(dy)) / 2
    )
    da = unbroadcast(2 * y @ w, a)
    db = unbroadcast(-2 * y @ w @ np.matrix_transpose(gain), b)
    dq = unbroadcast(w, q)
    dr = unbroadcast(gain @ w @ np.matrix_transpose(gain), r)


@rule(only={"e": (None,), "s": (None,)}, fact=riccati_fact)
def solve_discrete_are(a, b, q, r, e=None, s=None, balanced=True, *, dy):
    """By the equation of the closed loop, in which the gain is stationary."""
    y = linalg.solve_discrete_are(a, b, q, r, e, s, balanced)
    gain = np.linalg.solve(
        r + np.matrix_transpose(np.atleast_2d(b)) @ y @ np.atleast_2d(b),
        np.matrix_transpose(np.atleast_2d(b)) @ y @ np.atleast_2d(a),
    )
    w = linalg.solve_discrete_lyapunov(
        a - np.atleast_2d(b) @ gain, (dy + np.matrix_transpose(dy)) / 2
    )
    da = unbroadcast(2 * y @ (a - np.atleast_2d(b) @ gain) @ w, a)
    db = unbroadcast(
        -2 * y @ (a - np.atleast_2d(b) @ gain) @ w @ np.matrix_transpose(gain), b
    )
    dq = unbroadcast(w, q)
    dr = unbroadcast(gain @ w @ np.matrix_transpose(gain), r)


# ---------------------------------------------------------------- factors


@rule(fact=like_matrix(np.linalg.cholesky))
def cholesky(x, lower=False, *, check_finite=True, dy):
    """Murray 2016, Differentiation of the Cholesky decomposition."""
    y = linalg.cholesky(x, lower, check_finite=check_finite)
    dx = unfactor(dy, y, lower)


if linalg.cho_factor(np.eye(2) + 1)[0][1, 0]:

    @rule(fact=factors_of(linalg.cho_factor))
    def cho_factor(x, lower=False, *, check_finite=True, dy):
        """Outside the triangle the result is what `x` is there."""
        y = linalg.cho_factor(x, lower, check_finite=check_finite)
        dx = uncho_factor(dy[0], y[0], lower)

else:  # from SciPy 1.18 on

    @rule(fact=factors_of(linalg.cho_factor))
    def cho_factor(x, lower=False, *, check_finite=True, dy):
        """Outside the triangle the result is 0."""
        y = linalg.cho_factor(x, lower, check_finite=check_finite)
        dx = unfactor(dy[0], y[0], lower)


@rule(sequences=["factor"], linear=["b"], fact=solved_by_factors)
def cho_solve(factor, b, *, check_finite=True, dy):
    y = linalg.cho_solve(factor, b, check_finite=check_finite)
    w = linalg.cho_solve(factor, dy)
    dfactor = uncho_solve(w, factor, y)
    db = w


@rule(only={"permute_l": (False,), "p_indices": (False,)})
def lu(x, permute_l=False, *, check_finite=True, p_indices=False, dy):
    """Of square matrices; where the rows go has no slope."""
    y = linalg.lu(x, permute_l, check_finite=check_finite, p_indices=p_indices)
    dx = y[0] @ unlu(dy[1], dy[2], y[1], y[2])


@rule(fact=factors_of(linalg.lu_factor))
def lu_factor(x, *, check_finite=True, dy):
    y = linalg.lu_factor(x, check_finite=check_finite)
    dx = unlu_factor(dy, y)


@rule(
    sequences=["factor"],
    zero=["trans"],
    linear=["b"],
    only={"trans": (0, 1)},
    fact=solved_by_factors,
)
def lu_solve(factor, b, trans=0, *, check_finite=True, dy):
    y = linalg.lu_solve(factor, b, trans, check_finite=check_finite)
    w = linalg.lu_solve(factor, dy, 1 - trans)
    dfactor = unlu_solve(w, factor, y, trans)
    db = w


@rule(only={"side": ("right",)}, fact=factors_of(linalg.polar))
def polar(x, side="right", *, dy):
    """For matrices of full column rank."""
    y = linalg.polar(x, side)
    dx = unpolar(dy, x, y)


# ---------------------------------------------------------------- functions of matrices


@rule(fact=like_matrix(np.linalg.inv))
def expm(x, *, dy):
    """The Frechet derivative at `x.T` (Higham, Functions of Matrices, 3.2)."""
    y = linalg.expm(x)
    dx = unexpm(dy, x)


@rule(linear=["e"], only={"method": (None,), "compute_expm": (False,)})
def expm_frechet(x, e, method=None, compute_expm=True, *, check_finite=True, dy):
    y = linalg.expm_frechet(x, e, method, compute_expm, check_finite=check_finite)
    dx = expm_curvature(np.transpose(x), np.transpose(e), dy)
    de = unexpm(dy, x)


@rule(only={"method": (None,), "compute_expm": (True,)})
def expm_and_frechet(x, e, method=None, compute_expm=True, *, check_finite=True, dy):
    y = linalg.expm_frechet(x, e, method, compute_expm, check_finite=check_finite)
    along = expm_curvature(np.transpose(x), np.transpose(e), dy[1])
    dx = unexpm(dy[0], x) + along
    de = unexpm(dy[1], x)


@rule(linear=["d"])
def expm_undone(d, x, *, dy):
    y = unexpm(d, x)
    dd = linalg.expm_frechet(x, dy, compute_expm=False)
    dx = np.transpose(expm_curvature(x, np.transpose(d), dy))


@rule(complex="written", fact=real_or_complex)
def logm(x, *, dy):
    """Complex where an eigenvalue of a real matrix is negative."""
    y = linalg.logm(x)
    dx = real_like(unlogm(dy, x), x)


@rule(complex="written", fact=real_or_complex)
def sqrtm(x, *, dy):
    """Where no two eigenvalues of the root add up to 0; complex where an eigenvalue of
    a real matrix is negative."""
    y = linalg.sqrtm(x)
    dx = real_like(unsqrtm(dy, y), x)


# ---------------------------------------------------------------- norms, structure


@rule(
    zero=["ord", "axis"],
    refused=settings("ord"),
    fact=norm_fact,
    root="y",
    seminorm=True,
    square=square_of_norm,
    power=power_of_norm,
)
def norm(x, ord=None, axis=None, keepdims=False, check_finite=True, *, dy):
    """Where the norm is 0 and there is no slope, 0."""
    y = linalg.norm(x, ord, axis, keepdims, check_finite)
    dx = unnorm(dy, x, y, ord, axis, keepdims)


@rule(jointly=["c", "r"])
def toeplitz(c, r=None, *, dy):
    y = linalg.toeplitz(c, r)
    both = untoeplitz(dy, c, r)
    dc = both[0]
    dr = both[1]


@rule(linear=["c"])
def circulant(c, *, dy):
    y = linalg.circulant(c)
    dc = uncirculant(dy)


@rule(linear=["arrays"])
def block_diag(*arrays, dy):
    y = linalg.block_diag(*arrays)
    darrays = unblock_diag(dy, arrays)
