"""SciPy's factors of a matrix of which nothing is known when the text is made."""

import numpy as np
import pytest
from scipy import linalg

import yota_ast as ya

A = np.array([[2.0, 1.0], [0.5, 3.0]])


def by_lu(x):
    return np.sum(linalg.lu_factor(x)[0] ** 2)


def by_polar(x):
    u, p = linalg.polar(x)
    return np.sum(u * p)


def by_cholesky(x):
    return np.sum(linalg.cho_factor(x @ np.swapaxes(x, -1, -2))[0])


def test_a_stack_of_factors_without_facts():
    matrices = np.stack([A, A + 0.3 * np.eye(2)])
    try:
        wanted_value = by_cholesky(matrices)
    except ValueError:
        pytest.skip("this SciPy has no factors of stacks")
    val, dx = ya.simplegrad(by_cholesky)(matrices)
    assert val == wanted_value
    wanted = [ya.grad(by_cholesky, x)[1]["x"] for x in matrices]
    np.testing.assert_allclose(dx, wanted, rtol=1e-13)


@pytest.mark.parametrize("fn", [by_lu, by_polar])
def test_without_facts(fn):
    val, dx = ya.simplegrad(fn)(A)
    assert val == fn(A)
    np.testing.assert_allclose(dx, ya.simplegrad(fn, A)(A)[1], rtol=1e-13)
    with pytest.raises(ValueError, match="needs one matrix, not a stack"):
        ya.simplegrad(fn)(np.stack([A, A]))


@pytest.mark.parametrize("factors", [linalg.lu_factor, linalg.polar])
def test_seeds_without_facts(factors):
    def factored(x):
        return factors(x)

    seed = (A, A)
    found, known = ya.simplegrad(factored), ya.simplegrad(factored, A)
    np.testing.assert_array_equal(found(A, seed=seed)[1], known(A, seed=seed)[1])
