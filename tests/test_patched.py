"""Functions of NumPy that are bound anew, as tests and tracers do: gradients that were
made before are made anew, or raise."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.3, 0.9, 1.4])
V = np.array([1.0, -2.0, 0.5])


def energy(x):
    return np.sum(np.arctan(x) * x) + np.linalg.norm(x)


def helper(x):
    return np.hypot(x, 2.0)


def outer(x):
    return np.prod(helper(x))


def doubled(x):
    return 2 * np.sum(x)


def test_a_function_bound_anew(monkeypatch):
    ya.grad(energy, X), ya.jvp(energy)(X, V), ya.hvp(energy)(X, V)
    monkeypatch.setattr(np, "arctan", np.sin)
    monkeypatch.setattr(np.linalg, "norm", doubled)
    value, g = ya.grad(energy, X)
    assert value == energy(X)
    slope = np.cos(X) * X + np.sin(X) + 2
    np.testing.assert_allclose(g[0], slope)
    np.testing.assert_allclose(ya.jvp(energy)(X, V)[1], slope @ V)
    curvature = (2 * np.cos(X) - np.sin(X) * X) * V
    np.testing.assert_allclose(ya.hvp(energy)(X, V), curvature)
    monkeypatch.undo()
    old = X / (1 + X**2) + np.arctan(X) + X / np.linalg.norm(X)
    np.testing.assert_allclose(ya.grad(energy, X)[1][0], old)


def test_within_a_helper(monkeypatch):
    before = ya.grad(outer, X)[1][0]
    monkeypatch.setattr(np, "hypot", np.multiply)
    np.testing.assert_allclose(ya.grad(outer, X)[1][0], 8 * np.prod(X) / X)
    monkeypatch.undo()
    np.testing.assert_allclose(ya.grad(outer, X)[1][0], before)


def test_a_gradient_made_before_raises(monkeypatch):
    gradient = ya.simplegrad(outer, X)
    gradient(X)
    monkeypatch.setattr(np, "hypot", np.multiply)
    told = "^outer_grad: hypot has changed since this gradient was made: make it"
    with pytest.raises(ValueError, match=told):
        gradient(X)
