"""Gradients of tangents and of products with the Hessian, of real functions through
complex numbers that come of what no example told of."""

import numpy as np
import pytest

import yota_ast as ya

Z = np.array([0.3 + 0.4j, -0.2 + 1j, 0.7 - 0.2j])
W = np.array([0.3, -0.7, 0.5])
P, V = np.array([1.0, -2.0, 3.3, -1.1]), np.array([0.1, 0.4, -0.3, 0.2])


def weighed(z):
    return np.sum(z.real * W + z.imag * W[::-1])


def cubed(p):
    return np.sum(np.real(np.polyval(p, Z) ** 3))


def evaluated(p):
    return weighed(np.polyval(p, Z * p[0] * p[1]))


def inverted(p):
    return weighed(1.0 / np.polyval(p, Z * p[0]))


def roots(p):
    return weighed(np.roots(p))


@pytest.mark.part(2)
@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [cubed, evaluated, inverted, roots])
def test_a_third_order(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)

    def along(p):
        _, t = ya.jvp(f)(p, V)
        return t

    def twice(p):
        return np.sum(ya.hvp(f)(p, V) * V)

    product = ya.hvp(f)(P, V)
    np.testing.assert_allclose(ya.grad(along, P)[1][0], product, rtol=1e-9)
    h = 1e-5
    change = (ya.hvp(f)(P + h * V, V) - ya.hvp(f)(P - h * V, V)) / (2 * h)
    slope = ya.grad(twice, P)[1][0]
    np.testing.assert_allclose(slope, change, rtol=1e-5, atol=1e-6)
