"""Eigenvalues of matrices that are not symmetric, real and complex ones: tangents and
second derivatives, which those of symmetric matrices say nothing of."""

import numpy as np
import pytest

import yota_ast as ya

REAL = np.array([[1.0, 0.7, -0.4], [0.2, 3.0, 0.9], [-0.8, 0.3, 6.0]])
TURNING = np.array([[0.5, 2.0, 0.3], [-1.5, 0.7, 0.1], [0.4, -0.2, 3.0]])
V = np.array([[0.3, -1.1, 0.6], [0.8, 0.4, -0.7], [1.2, 0.5, -0.9]])


def cubes(x):
    return np.sum(np.real(np.linalg.eigvals(x) ** 3) * np.array([1.0, 1.0, 1.0]))


def sizes(x):
    return np.sum(np.abs(np.linalg.eigvals(x)) ** 3)


def coefficients(x):
    return np.poly(x) @ np.array([0.0, 0.3, -1.2, 0.7])


def weighted(x):
    w = np.sort(np.real(np.linalg.eigvals(x)))
    return np.sum(np.sin(w) * np.array([0.2, -0.4, 1.0]))


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (cubes, REAL), (cubes, TURNING), (sizes, REAL), (sizes, TURNING),
        (coefficients, REAL), (weighted, REAL),
    ],
)  # fmt: skip
def test_orders(f, x):
    h = 1e-5
    slope = (f(x + h * V) - f(x - h * V)) / (2 * h)
    assert ya.jvp(f)(x, V)[1] == pytest.approx(slope, rel=1e-7)
    gradient = ya.simplegrad(f, x)
    assert np.sum(gradient(x)[1] * V) == pytest.approx(slope, rel=1e-7)
    change = (gradient(x + h * V)[1] - gradient(x - h * V)[1]) / (2 * h)
    np.testing.assert_allclose(ya.hvp(f)(x, V), change, atol=1e-6)

    def along(x):
        return np.sum(ya.value_and_grad(f)(x)[1] * V)

    np.testing.assert_allclose(ya.grad(along, x)[1][0], change, atol=1e-6)


def singular_values_alone(x):
    _, s, _ = np.linalg.svd(x - np.mean(x, axis=1, keepdims=True), full_matrices=False)
    return np.sum(s[:2] ** 2)


def test_vectors_that_are_not_read_need_not_be_unique():
    x, v = np.cos(np.arange(15.0)).reshape(5, 3), np.sin(np.arange(15.0)).reshape(5, 3)
    slope = np.sum(ya.grad(singular_values_alone, x)[1][0] * v)
    np.testing.assert_allclose(ya.jvp(singular_values_alone)(x, v)[1], slope)
