"""A function of an array -> whether every mode agrees with central differences."""

import numpy as np
import pytest

import yota_ast as ya


def slopes(fn, p):
    """Central differences of a function of an array."""
    steps = 1e-6 * np.eye(len(p))
    return np.array([(fn(p + h) - fn(p - h)) / 2e-6 for h in steps])


def check_every_mode(fn, p, v):
    """Compare value, gradient, tangent and second derivative along v."""
    val, g = ya.grad(fn, p)
    assert val == fn(p)
    np.testing.assert_allclose(g[0], slopes(fn, p), atol=1e-6)
    assert ya.jvp(fn)(p, v)[1] == pytest.approx(slopes(fn, p) @ v, abs=1e-5)
    value_and_grad, step = ya.value_and_grad(fn), 1e-5 * v
    up, down = value_and_grad(p + step)[1], value_and_grad(p - step)[1]
    np.testing.assert_allclose(ya.hvp(fn)(p, v), (up - down) / 2e-5, atol=1e-4)
