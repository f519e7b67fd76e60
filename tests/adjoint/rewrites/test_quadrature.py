"""Trapezoids and sums of exponentials are reversed in NumPy's own words."""

import numpy as np
import pytest
from scipy import special

import yota_ast as ya

from ..checking import check

RNG = np.random.default_rng(4)


def under_points(u, x):
    return np.trapezoid(u**2, x)


def of_rows(u, x):
    return np.sum(np.trapezoid(u * np.ones((2, 1)), x, axis=1) * np.arange(1.0, 3.0))


def of_steps(u, x):
    return np.trapezoid(u**2, dx=x[0]) ** 2 + np.trapezoid(u)


def of_many_steps(u, x):
    return np.trapezoid(u**2, dx=x[1:]) ** 2


def of_all(u, x):
    return special.logsumexp(u * x)


def along_rows(u, x):
    return np.sum(special.logsumexp(np.outer(u, x), axis=1) ** 2)


def along_columns(u, x):
    return np.sum(special.logsumexp(np.outer(u, x), axis=0, keepdims=True) ** 2)


def of_a_part(u, x):
    return special.logsumexp(np.outer(u, x), axis=(0, 1)) ** 2


def weighted(u, x):
    return np.sum(special.logsumexp(np.outer(u, x), axis=1, b=x**2))


SHORT = [under_points, of_rows, of_steps, of_all, along_rows, along_columns, of_a_part]


@pytest.mark.parametrize("fn", SHORT)
def test_no_helper_is_needed(fn):
    source = ya.simplegrad(fn, RNG.normal(size=4), np.arange(4.0)).source
    assert "def " not in source.split("# forward")[1]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", [*SHORT, of_many_steps, weighted])
def test_the_gradient(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    u, x = RNG.normal(size=4), np.array([0.2, 1.0, 1.3, 2.0])
    check(fn, (u, x))
    v, h = RNG.normal(size=4), 1e-5
    ahead, behind = (ya.grad(fn, u + s * v, x)[1]["u"] for s in (h, -h))
    along = ya.hvp(fn)(u, v, x)
    np.testing.assert_allclose(along, (ahead - behind) / (2 * h), atol=1e-6)
    single = ya.grad(fn, u.astype("f4"), x.astype("f4"))[1]["u"]
    assert single.dtype == "f4"
    np.testing.assert_allclose(single, ya.grad(fn, u, x)[1]["u"], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("fn", [along_rows, of_all, weighted])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_terms_that_are_left_out(fn):
    def masked(u, x):
        return fn(np.array([-np.inf, 1.0, 1.0, 1.0]) * np.abs(u), x)

    u, x = RNG.normal(size=4), np.array([0.2, 1.0, 1.3, 2.0])
    gradient = ya.grad(masked, u, x)[1]["x"]
    assert gradient.shape == (4,)


def rows_without_terms(u, m):
    z = special.logsumexp(np.log(m) + u, axis=1)
    return np.sum(np.exp(z))


def test_a_row_without_terms_adds_nothing():
    m = np.array([[1.0, 2.0], [0.0, 0.0]])
    with np.errstate(divide="ignore"):
        value, gradient = ya.grad(rows_without_terms, np.array([0.3, 0.4]), m, wrt="u")
    np.testing.assert_allclose(gradient["u"], m[0] * np.exp([0.3, 0.4]))
    np.testing.assert_allclose(value, np.sum(gradient["u"]))


def test_too_few_samples():
    for n in (0, 1):
        u = np.ones(n)
        assert np.all(ya.grad(under_points, u, u)[1]["u"] == 0)
