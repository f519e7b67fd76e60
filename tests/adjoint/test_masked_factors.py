"""A product with zeros leaves out an element at the edge of a domain: one mask for all
factors of its adjoint."""

import numpy as np
import pytest

import yota_ast as ya

from .test_fewer_statements import reverse_of


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


def test_one_mask_for_all_factors():
    source = reverse_of(bell, *(np.array([0.3, 0.7, 0.2, 0.9]),) * 3, wrt="s")
    assert source.count(" == 0") == 2
