"""Systems that are solved by factors at hand: what they give has a known shape, and the
adjoint of the right side is the same call."""

import numpy as np
import pytest
from scipy import linalg

import yota_ast as ya
from tests.adjoint.checking import check

RNG = np.random.default_rng(8)
B = RNG.normal(size=(3, 3))
S = B @ B.T + 3 * np.eye(3)
BANDS = np.array([[0.0, 0.1, 0.2], [2.0, 3.0, 4.0], [0.3, 0.1, 0.0]])


def by_cho_factor(s, b):
    x = linalg.cho_solve(linalg.cho_factor(s + s.T), b)
    return np.sum(b * x)


def by_pair(s, b):
    x = linalg.cho_solve((s, True), b)
    return np.sum(b * x)


def by_lu(s, b):
    return np.sum(linalg.lu_solve(linalg.lu_factor(s), b) ** 2)


def by_lu_turned(s, b):
    return np.sum(linalg.lu_solve(linalg.lu_factor(s), b, trans=1) ** 2)


def lower(s, b):
    return np.sum(linalg.solve_triangular(s, b, lower=True) ** 2)


def upper(s, b):
    return np.sum(linalg.solve_triangular(s, b) ** 2)


def turned(s, b):
    return np.sum(linalg.solve_triangular(s, b, trans=1, lower=True) ** 2)


def unit(s, b):
    x = linalg.solve_triangular(s, b, lower=True, unit_diagonal=True)
    return np.sum(x**2)


def bands(s, b):
    return np.sum(linalg.solve_banded((1, 1), BANDS * s, b) ** 2)


FUNCTIONS = [by_cho_factor, by_pair, by_lu, by_lu_turned, lower, upper, turned, unit]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("columns", [(), (2,)])
@pytest.mark.parametrize("fn", [*FUNCTIONS, bands])
def test_the_gradient_of_a_system(fn, columns, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    b = RNG.normal(size=(3, *columns))
    check(fn, (S, b))
    h, v = 1e-5, RNG.normal(size=S.shape)
    slope = [ya.grad(fn, S + step * v, b)[1]["s"] for step in (h, -h)]
    along = ya.hvp(fn)(S, v, b)
    np.testing.assert_allclose(along, (slope[0] - slope[1]) / (2 * h), atol=1e-6)


@pytest.mark.parametrize("fn", [*FUNCTIONS, bands])
def test_no_helper_asks_for_ranks(fn):
    source = ya.simplegrad(fn, S, RNG.normal(size=3)).source
    for name in ("unbroadcast", "unmatmul", "np.conj", "def real_like"):
        assert name not in source.split("# forward")[1].split("\n\n\n")[0]


@pytest.mark.parametrize("fn", [lower, upper])
def test_a_triangle_needs_no_helper_at_all(fn):
    assert "def " not in ya.simplegrad(fn, S, S[0]).source.split("# forward")[1]


def complementary(x, s):
    r = x / s
    return np.sum(np.where(np.abs(r) < 1.5, r**2, 3 * np.abs(r) - 2.25))


def test_what_two_arms_select_together_is_all():
    x = RNG.normal(size=5)
    assert "logical" not in ya.simplegrad(complementary, x, 0.7).source
    check(complementary, (x, 0.7))
