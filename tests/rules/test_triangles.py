"""np.tril and np.triu of a vector are matrices: each row is the vector, cut off."""

import numpy as np
import pytest

import yota_ast as ya


def weighted(x):
    w = np.arange(9.0).reshape(3, 3)
    return np.sum(np.tril(x) * w) + np.sum(np.triu(x, 1) ** 2 * w)


@pytest.mark.parametrize("x", [np.array([0.3, 0.7, -1.2]), np.eye(3) - 0.3])
def test_without_facts(x):
    slope = np.zeros(x.shape)
    for k in np.ndindex(x.shape):
        e = np.zeros(x.shape)
        e[k] = 1e-6
        slope[k] = (weighted(x + e) - weighted(x - e)) / 2e-6
    value, gradient = ya.simplegrad(weighted)(x)
    assert value == weighted(x)
    np.testing.assert_allclose(gradient, slope, atol=1e-7)
    np.testing.assert_allclose(ya.grad(weighted, x)[1][0], slope, atol=1e-7)
