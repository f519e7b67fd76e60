"""Second and third derivatives at special points: against closed forms, by every way to
a second derivative."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.linalg

import yota_ast as ya

rng = np.random.default_rng(11)


def along(f, x, v, h=1e-3):
    """The slope of f at x along v: exact, but for rounding, of polynomials of degree
    four."""
    return (8 * (f(x + h * v) - f(x - h * v)) - f(x + 2 * h * v) + f(x - 2 * h * v)) / (
        12 * h
    )


def gradient(f):
    return lambda x: ya.grad(f, x)[1][0]


def nested(f, v):
    """The product of the Hessian and v, as the gradient of a gradient."""

    def slope(x):
        return np.sum(ya.grad(f, x)[1][0] * v)

    return gradient(slope)


def same(got, want, tol=1e-9):
    assert np.shape(got) == np.shape(want)
    scale = max(1.0, np.max(np.abs(want), initial=0))
    np.testing.assert_allclose(got, want, rtol=0, atol=tol * scale)


# ---------------------------------------------------------------- determinants


def minors(A):
    """The second derivatives of the determinant: signed minors."""
    n = len(A)
    found = np.zeros((n, n, n, n))
    for i, j, k, m in itertools.product(range(n), repeat=4):
        if i != k and j != m:
            kept = np.delete(np.delete(A, [i, k], 0), [j, m], 1)
            sign = (-1) ** (i + j + k + m) * (1 if (k > i) == (m > j) else -1)
            found[i, j, k, m] = sign * (np.linalg.det(kept) if n > 2 else 1)
    return found


def det(A):
    return np.linalg.det(A)


def det_of_scipy(A):
    return scipy.linalg.det(A)


MATRICES = {
    "a number": np.array([[2.0]]),
    "zero": np.zeros((1, 1)),
    "identity": np.eye(3),
    "zeros": np.zeros((3, 3)),
    "regular": rng.normal(size=(4, 4)),
    "of rank 1": np.outer([1.0, 2.0, -1.0], [0.5, 3.0, 1.0]),
    "of rank 2": np.arange(16.0).reshape(4, 4),
    "nearly the identity": np.eye(3) + 1e-9 * rng.normal(size=(3, 3)),
    "orthogonal": np.linalg.qr(rng.normal(size=(3, 3)))[0],
    "none": np.zeros((0, 0)),
}


@pytest.mark.parametrize("f", [det, det_of_scipy])
@pytest.mark.parametrize("A", MATRICES.values(), ids=MATRICES)
def test_determinant(f, A):
    want = minors(A)
    same(ya.hessian(f)(A), want)
    v = rng.normal(size=A.shape)
    same(ya.hvp(f)(A, v), np.einsum("ijkm,km", want, v))
    same(nested(f, v)(A), np.einsum("ijkm,km", want, v))


@pytest.mark.parametrize("A", MATRICES.values(), ids=MATRICES)
def test_third_derivative_of_a_determinant(A):
    def penalty(A):
        return np.sum(ya.grad(det, A)[1][0] ** 2)

    v = rng.normal(size=A.shape)
    same(ya.hvp(penalty)(A, v), along(gradient(penalty), A, v), 1e-7)


def test_determinants_of_a_stack_and_of_complex_matrices():
    def squares(A):
        return np.sum(np.linalg.det(A) ** 2)

    A = rng.normal(size=(2, 3, 3))
    A[0], A[1, 0] = np.eye(3), A[1, 1]
    v = rng.normal(size=A.shape)
    same(ya.hvp(squares)(A, v), along(gradient(squares), A, v), 1e-8)

    def of_complex(A):
        return np.abs(np.linalg.det(A * (1 + 2j) + np.eye(3) * 1j)) ** 2

    for f in (of_complex, lambda A: np.real(np.linalg.det(A * (1 + 2j)))):
        same(ya.jvp(f)(A[1], v[1])[1], along(f, A[1], v[1]), 1e-8)
        same(ya.hvp(f)(A[1], v[1]), along(gradient(f), A[1], v[1]), 1e-8)


# ---------------------------------------------------------------- products

FACTORS = {
    "one zero": np.array([2.0, 0.0, 3.0]),
    "two zeros": np.array([0.0, 5.0, 0.0, 2.0]),
    "zeros": np.zeros(3),
    "a row": np.array([[1.0, 0.0], [2.0, 0.0]]),
}


def product(x):
    return np.prod(x)


def products(x):
    return np.sum(np.prod(x, axis=0) ** 2 + np.prod(x, axis=-1))


@pytest.mark.parametrize("f", [product, products])
@pytest.mark.parametrize("x", FACTORS.values(), ids=FACTORS)
def test_product(f, x):
    def penalty(x):
        return np.sum(ya.grad(f, x)[1][0] ** 3)

    v = rng.normal(size=x.shape)
    for each in (f, penalty):
        want = along(gradient(each), x, v)
        same(ya.hvp(each)(x, v), want, 1e-6)
        same(nested(each, v)(x), want, 1e-6)
