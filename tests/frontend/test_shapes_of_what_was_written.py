"""What is read for its shape alone may have been written under another name."""

import numpy as np
import pytest

import yota_ast as ya

X, V = np.array([1.3, 0.7, 2.0, 0.4]), np.array([0.3, -0.2, 0.5, 0.9])


def one_of_two(x, c):
    q = x * 1
    p = q if c > 0 else x * 3
    p[0] = x[1] ** 2
    p *= 2
    r = np.zeros_like(q)
    r[1:] = p[1:] ** 2
    return np.sum(r * x) + np.sum(np.ones_like(q) * p[0])


def view_or_not(x, c):
    q = x * 1
    p = q[::2] if c > 0 else x[:2] * 3
    w = p
    for k in range(3):
        w[0] = w[0] * x[k]
        u = np.full_like(q, w[0]) + np.zeros_like(p).sum()
        w = w + u[:2]
    return np.sum(u**2) + np.size(q) * x[0]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("c", [1.0, -1.0])
@pytest.mark.parametrize("f", [one_of_two, view_or_not])
def test_the_shape_is_that_of_the_array(f, c, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)

    def gradient(x):
        return ya.grad(f, x, c)[1][0]

    h = 1e-6
    slope = (f(X + h * V, c) - f(X - h * V, c)) / (2 * h)
    np.testing.assert_allclose(gradient(X) @ V, slope, rtol=1e-8)
    np.testing.assert_allclose(ya.jvp(f)(X, c, V, None)[1], slope, rtol=1e-8)
    change = (gradient(X + h * V) - gradient(X - h * V)) / (2 * h)
    np.testing.assert_allclose(ya.hvp(f)(X, V, c), change, rtol=1e-6, atol=1e-6)
