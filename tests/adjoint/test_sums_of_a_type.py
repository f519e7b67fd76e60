"""Sums in another type than that of what is summed: the gradient has the type of the
argument all the same."""

import numpy as np
import pytest

import yota_ast as ya


def summed(x):
    return float(np.sum(x * x, dtype=float))


def by_method(x):
    return float(x.sum(dtype=float))


def reduced(x):
    return float(np.add.reduce(x, 0, float)[0])


def of_some(x):
    return float(np.sum(x, dtype=np.float64, where=x > 0))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("f", [summed, by_method, reduced, of_some])
def test_the_gradient_has_the_type_of_the_argument(f, dtype):
    x = np.array([[0.25, 1.5], [-0.5, 2.0]], dtype)
    _, expected = ya.grad(f, x.astype(float))
    for found in (ya.grad(f, x)[1][0], ya.simplegrad(f, x)(x)[1]):
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, expected[0])
