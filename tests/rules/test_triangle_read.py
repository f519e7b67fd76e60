"""Functions of symmetric matrices read one triangle: the slope of the other is 0."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg, stats

import yota_ast as ya

M = np.array([[2.0, 0.1, 0.2], [0.3, 1.4, 0.5], [0.6, 0.7, 1.8]])
B = np.array([1.0, 2.0, 3.0])


def upper(m):
    return linalg.cholesky(m)


def lower(m):
    return linalg.cholesky(m, lower=True)


def factor(m):
    return np.log(np.diag(linalg.cho_factor(m)[0]))


def lower_factor(m):
    return linalg.cho_factor(m, lower=True)[0].diagonal()


def solved(m):
    return linalg.cho_solve(linalg.cho_factor(m), B)


def solved_lower(m):
    return linalg.cho_solve(linalg.cho_factor(m, lower=True), B)


def positive(m):
    return linalg.solve(m, B, assume_a="pos")


def values(m):
    return np.linalg.eigvalsh(m, "U")


def density(m):
    return stats.multivariate_normal.logpdf(B, 0.2 * B, m)


def densities(m):
    return stats.multivariate_normal.pdf(np.stack([B, B[::-1]]), None, m)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f",
    [
        upper, lower, factor, lower_factor, solved, solved_lower, positive, values,
        density, densities,
    ],
)  # fmt: skip
def test_the_slope_of_each_entry(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    assert ya.gradcheck(f, M)


def points(x, mean, cov):
    return stats.multivariate_normal.logpdf(x, mean, cov)


@pytest.mark.parametrize("cov", [2.0, np.array([[2.0]]), np.array([2.0])], ids=repr)
def test_many_points_of_one_number(cov):
    assert ya.gradcheck(points, B, None, cov)


def test_a_singular_matrix_is_refused():
    def singular(x, cov):
        return stats.multivariate_normal.logpdf(x, None, cov, allow_singular=True)

    with pytest.raises(
        ValueError, match=r"_grad: multivariate_normal has no gradient here"
    ):
        ya.grad(singular, np.ones(2), np.ones((2, 2)))
