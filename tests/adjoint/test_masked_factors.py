"""A product with zeros leaves out an element at the edge of a domain, for each factor
of its adjoint."""

import numpy as np
import pytest

import yota_ast as ya


def bell(s, w, x):
    return np.sum(w * np.exp(-(((x - 1.0) / s) ** 2)))


def squashed(s, w, x):
    return np.sum(w * np.tanh(x / s))


def roots(s, w, x):
    return np.sum(w * np.sqrt(s) * x)


def selected(s, w, x):
    return np.sum(np.where(w > 0.0, np.log(x / s), 0.0))


@pytest.mark.parametrize("f", [bell, squashed, roots, selected])
@pytest.mark.parametrize("passes", ["all", "none"])
def test_a_mask_where_the_function_is_finite(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    s, x = np.array([0.0, 0.8, 1.1]), np.array([2.0, 3.0, 1.5])
    w = np.array([0.0, 1.0, 0.5])
    with np.errstate(divide="ignore"):
        value, (ds,) = (
            ya.grad(f, s, w, x, wrt=["s"])[0],
            [ya.grad(f, s, w, x, wrt=["s"])[1]["s"]],
        )
    assert np.isfinite(value)
    assert ds[0] == 0.0
    assert np.isfinite(ds).all()
    rest = ya.grad(f, s[1:], w[1:], x[1:], wrt=["s"])[1]["s"]
    np.testing.assert_allclose(ds[1:], rest, rtol=1e-14)


def flat(w, y, c):
    return np.sum(np.exp(-1 / (((c * w) - np.log1p(y)) / np.sqrt(4.0)) ** 2) * w)


@pytest.mark.parametrize("passes", ["all", "none"])
def test_a_factor_that_is_0_leaves_out_those_that_are_infinite(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    w, y = np.array([1.0, 2.0]), np.array([0.0, 0.5])
    with np.errstate(divide="ignore", invalid="ignore"):
        value, gradient = ya.grad(flat, w, y, 0.0)
        assert np.isfinite(value)
        step = np.array([0.0, 1e-6])
        slope = (flat(w, y + step, 0.0) - flat(w, y - step, 0.0)) / 2e-6
    np.testing.assert_allclose(gradient["y"], [0.0, slope], rtol=1e-4)


def graph_convolution(w, a, x):
    d = a.sum(axis=1)
    normed = a / np.sqrt(np.outer(d, d))
    return np.sum((normed @ np.maximum(normed @ x @ w, 0.0)) ** 2)


def one_row(w, x):
    return np.sum(np.maximum(w @ np.log(x), 0.0))


def test_a_kink_before_a_product_of_matrices_makes_no_mask():
    rng = np.random.default_rng(4)
    w, a, x = rng.normal(size=(3, 2)), rng.random((4, 4)), rng.normal(size=(4, 3))
    made = ya.simplegrad(graph_convolution, w, a, x, wrt=["w"])
    assert "ones_like" not in made.source
    assert ya.gradcheck(graph_convolution, w, a, x)


@pytest.mark.parametrize("passes", ["all", "none"])
def test_a_kink_before_a_product_with_a_vector_makes_one(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    w, x = np.array([[1.0, 2.0]]), np.array([0.0, 3.0])
    with np.errstate(divide="ignore", invalid="ignore"):
        dw = ya.grad(one_row, w, x)[1]["w"]
    assert dw.tolist() == [[0.0, 0.0]]
