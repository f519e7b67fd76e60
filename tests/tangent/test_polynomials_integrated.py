"""Tangents of integrals of polynomials, which are linear in their coefficients."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.3, 0.5, 0.7])
V = np.array([1.0, -0.4, 0.2])


def once(x):
    return np.sum(np.polyint(x) ** 2)


def with_constants(x):
    return np.sum(np.polyint(x, 2, [1.0, x[0]]) ** 2)


def of_constants(x):
    return np.sum(np.polyint([1.0, 2.0], 3, x) ** 2)


@pytest.mark.parametrize("f", [once, with_constants, of_constants])
def test_the_tangent(f):
    value, tangent = ya.jvp(f)(X, V)
    assert value == f(X)
    assert tangent == pytest.approx(ya.grad(f, X)[1][0] @ V)
