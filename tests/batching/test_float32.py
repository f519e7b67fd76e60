"""A batch of float32 has the dtype that one example has."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([[0.1, 0.2, 0.3], [-0.2, 0.5, 0.7], [0.9, 0.3, 0.1]], np.float32)


def a_float_of_python(x):
    return float(x[0]) * x[1]


def a_float_of_numpy(x):
    return np.sum(x) * np.float64(2)


def a_branch(x):
    return x[1] * 2 if x[0] > 0 else x[2]


def a_root(x):
    return np.sqrt(x[0] ** 2 + 1) / 3


def a_sum_of_zeros(x):
    z = np.zeros_like(x)
    z[:] = x
    return z * x


FUNCTIONS = [a_float_of_python, a_float_of_numpy, a_branch, a_root, a_sum_of_zeros]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_dtype_is_that_of_one_example(f):
    one_by_one = np.stack([f(x) for x in X])
    batched = ya.vmap(f)(X)
    np.testing.assert_allclose(batched, one_by_one, rtol=1e-6)
    assert batched.dtype == one_by_one.dtype
