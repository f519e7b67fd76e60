"""A sum that joins a later one adds what it would have added in its own place."""

import numpy as np
import pytest

import yota_ast as ya

from ..frontend.every_mode import check_every_mode

P = np.array([0.3, 1.2, 0.7, 2.1, 0.4])
V = np.array([0.4, -0.3, 0.2, 0.7, 0.1])


def centres_and_halves(x):
    c = (x[:-1] + x[1:]) / 2.0
    h = c - x[:-1]
    inside = np.arange(4) > 0
    return np.sum(c[inside] ** 2) + np.sum(h[inside] ** 3)


def parts_of_slices(x):
    c = 0.5 * x[:-1] + x[1:]
    h = np.sin(c) * 2.0 - 3.0 * x[:-1]
    return np.sum(c[1:] ** 3) + np.sum(h[1:] ** 2)


def negated_products(x):
    c = x[:-1] * x[1:]
    h = c - x[:-1] / 2.0
    g = h - 2.0 * x[:-1]
    chosen = np.array([0, 2])
    return np.sum(c[chosen]) + np.sum(h[chosen] ** 2) + np.sum(g[chosen] ** 3)


def whole_and_part(x):
    y = np.exp(x)
    z = y - x
    w = z - x
    return np.sum(y[1:] ** 2) + np.sum(z[:3] ** 2) + np.sum(w[2:] ** 2)


@pytest.mark.parametrize("passes", ["all", "none", "-inplace", "-joined"])
@pytest.mark.parametrize(
    "fn", [centres_and_halves, parts_of_slices, negated_products, whole_and_part]
)
def test_in_every_mode(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check_every_mode(fn, P, V)
    single = ya.grad(fn, P.astype(np.float32))[1][0]
    np.testing.assert_allclose(single, ya.grad(fn, P)[1][0], rtol=1e-4)
