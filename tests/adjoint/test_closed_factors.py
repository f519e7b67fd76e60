"""What is solved with a Cholesky factor reaches the matrix in closed form."""

import numpy as np
import pytest
from scipy import linalg

import yota_ast as ya


def of_a_process(K, y):
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return 0.5 * y @ alpha + np.sum(np.log(np.diag(L)))


def of_a_density(K, y):
    L = np.linalg.cholesky(K)
    z = np.linalg.solve(L, y)
    return -0.5 * z @ z - 2.0 * np.log(np.diag(L)).sum()


def of_triangles(K, y):
    L = np.linalg.cholesky(K)
    z = linalg.solve_triangular(L, y, lower=True)
    return -0.5 * np.sum(z**2) - np.sum(np.log(np.diagonal(L)))


def of_triangles_of_scipy(K, y):
    L = linalg.cholesky(K, lower=True)
    z = linalg.solve_triangular(L, y, lower=True)
    return 3.0 * (y @ linalg.solve_triangular(L.T, z)) - np.sum(np.log(np.diag(L)))


def of_the_upper_triangle(K, y):
    R = linalg.cholesky(K)
    z = linalg.solve_triangular(R.T, y, lower=True)
    return y @ linalg.solve_triangular(R, z) + np.sum(np.log(np.diag(R)))


def of_upper_factors(K, y):
    c = linalg.cho_factor(K)
    return -0.5 * y @ linalg.cho_solve(c, y) - np.sum(np.log(np.diag(c[0])))


def of_lower_factors(K, y):
    c, low = linalg.cho_factor(K, lower=True)
    alpha = linalg.cho_solve((c, low), 2 * y)
    return -0.5 * y @ alpha + np.cos(y) @ linalg.cho_solve((c, low), y)


def of_a_factor_that_is_told(K, y):
    L = np.linalg.cholesky(K)
    return y @ linalg.cho_solve((L, True), y) - np.sum(np.log(np.diag(L)))


def of_two_sides(K, y):
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return np.sin(y) @ alpha + np.sum(alpha[1:])


def of_matrices(K, y):
    L = np.linalg.cholesky(K)
    Z = np.linalg.solve(L, np.outer(y, y) + np.eye(3))
    return np.sum(Z**2) - np.log(np.diag(L)).sum()


CLOSED = [
    of_a_process, of_a_density, of_triangles, of_triangles_of_scipy,
    of_the_upper_triangle, of_upper_factors, of_lower_factors,
    of_a_factor_that_is_told, of_two_sides, of_matrices,
]  # fmt: skip


def of_draws(K, y):
    return np.sum((np.linalg.cholesky(K) @ y) ** 2)


def of_the_diagonal(K, y):
    L = linalg.cholesky(K, lower=True)
    return np.sum(np.diag(L) * y) + np.sum(L[1:] ** 3)


def of_a_part(K, y):
    L = np.linalg.cholesky(K)
    z = np.linalg.solve(L, y)
    return np.sum(z[:2] ** 2) - np.sum(np.log(np.diag(L))[1:])


def outside_of_the_triangle(K, y):
    c, low = linalg.cho_factor(K, lower=True)
    return y @ linalg.cho_solve((c, low), y) + np.sum(c * y)


def by_place(K, y):
    L = np.linalg.cholesky(K)
    z = linalg.solve_triangular(L, y, 0, True)
    return y @ linalg.solve_triangular(L, z, 1, True) + np.sum(np.log(np.diag(L)))


def of_other_triangles(K, y):
    L = np.linalg.cholesky(K)
    z = linalg.solve_triangular(L.T, y, 1, True)
    w = linalg.solve_triangular(L, y, lower=True, unit_diagonal=True)
    return np.sum(z**2) + y @ linalg.solve_triangular(L.T, w, 0, False, True)


OTHER = [
    by_place, of_other_triangles, of_draws, of_the_diagonal, of_a_part,
    outside_of_the_triangle,
]  # fmt: skip
RNG = np.random.default_rng(2)
A, Y = RNG.normal(size=(3, 3)), RNG.normal(size=3)
K = A @ A.T + np.eye(3) + 0.1 * RNG.normal(size=(3, 3))  # one triangle alone is read


def differences(fn, K, y, *, step=1e-6):
    """The derivatives with respect to each element of K."""
    found = np.zeros_like(K)
    for at in np.ndindex(K.shape):
        more, less = K.copy(), K.copy()
        more[at] += step
        less[at] -= step
        found[at] = (fn(more, y) - fn(less, y)) / (2 * step)
    return found


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", [*CLOSED, *OTHER])
def test_factors(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    value, gradient = ya.grad(fn, K, Y)
    assert value == fn(K, Y)
    np.testing.assert_allclose(gradient["K"], differences(fn, K, Y), atol=1e-7)
    step = 1e-6 * RNG.normal(size=3)
    slope = fn(K, Y + step) - fn(K, Y - step)
    np.testing.assert_allclose(2 * gradient["y"] @ step, slope, atol=1e-12)


@pytest.mark.parametrize("fn", CLOSED)
def test_the_text_is_that_of_the_formula(fn):
    source = ya.simplegrad(fn, K, Y).source
    assert "def un" not in source
    assert source.count("np.tril(") + source.count("np.triu(") == 1


B = RNG.normal(size=3)


def of_a_constant(K, y):
    return y * linalg.cho_solve(linalg.cho_factor(K, lower=True), B)


def of_constants(K, y):
    L = np.linalg.cholesky(K)
    return y[:2] @ linalg.cho_solve((L, True), np.stack((B, B**2), axis=1)).T


@pytest.mark.parametrize("fn", [of_a_constant, of_constants])
def test_solutions_of_which_the_seed_tells_the_shape(fn):
    assert ya.gradcheck(fn, (K + K.T) / 2, Y)
