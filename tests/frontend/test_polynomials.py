"""Objects of `np.poly1d` and `np.polynomial.Polynomial` that the function makes."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

C, X = np.array([1.0, 0.5, -2.0, 0.3]), np.array([0.2, 0.6, 0.9])
Polynomial = np.polynomial.Polynomial


def derivatives(c, x):
    p = Polynomial(c)
    return (
        np.sum(p.deriv()(x) ** 2) + p.deriv(2)(x[0]) + Polynomial(c[:1]).deriv()(x[1])
    )


def integrals(c, x):
    p = Polynomial(c).integ()
    return np.sum(p(x) ** 2) + Polynomial([0.0]).integ(2)(x[0]) + p(1.0) - p(0.0)


def newton(c, x):
    p, root = Polynomial(c), x[0]
    slope = p.deriv()
    for _ in range(4):
        root = root - p(root) / slope(root)
    return root


def arithmetic(c, x):
    p, q = np.poly1d(c), np.poly1d([1.0, 2.0])
    r = p * q + 2.0 - q * 3 + 2 * p - (1.0 - q) + (-p) / 2 + (3.0 + q)
    return np.sum(r(x)) + r.deriv()(x[0])


def numbers_of_arrays(c, x):
    p = np.poly1d(c)
    return np.sum((p * x[0] - x[2])(x)) + np.sum((p + x[1])(x)) + (p / x[0])(1.0)


def in_a_loop(c, x):
    p = np.poly1d([1.0])
    for k in range(3):
        p = p * np.poly1d([1.0, -c[k]])
    return np.sum(p(x) ** 2)


def by_coefficients(c, x):
    """NumPy takes an array for the coefficients of a polynomial."""
    p = np.poly1d(c)
    return np.sum((p * c)(x)) + (list(x) * p - c + x)(0.3) + (p * x[:1])(x[1])


PROGRAMS = [
    derivatives, integrals, newton, arithmetic, numbers_of_arrays, in_a_loop,
    by_coefficients,
]  # fmt: skip


def slope(fn, dc, dx, h=1e-5):
    return (fn(C + h * dc, X + h * dx) - fn(C - h * dc, X - h * dx)) / (2 * h)


@pytest.mark.parametrize("fn", PROGRAMS)
def test_gradients(fn):
    rng = np.random.default_rng(3)
    dc, dx = rng.normal(size=4), rng.normal(size=3)
    val, (c, x) = ya.grad(fn, C, X)
    assert val == fn(C, X)
    expected = pytest.approx(slope(fn, dc, dx), rel=1e-6)
    assert c @ dc + x @ dx == expected
    assert ya.jvp(fn, wrt=[0, 1])(C, X, dc, dx)[1] == expected
    h = 1e-6
    up, down = (ya.grad(fn, C + s * dc, X)[1][0] for s in (h, -h))
    second = ya.hvp(fn)(C, dc, X)
    np.testing.assert_allclose(second, (up - down) / (2 * h), rtol=1e-5, atol=1e-7)


def to_the_left(c, x):
    return np.sum(x[0] * np.poly1d(c))  # which is an array of the coefficients


def test_a_number_of_numpy_makes_an_array():
    with pytest.raises(UnsupportedSyntax, match="passed on"):
        ya.grad(to_the_left, C, X)


def divided(c, x):
    quotient, rest = np.poly1d(c) / x
    return quotient(0.3) + rest(0.3)


def test_a_quotient_of_polynomials_is_refused():
    with pytest.raises(UnsupportedSyntax):
        ya.grad(divided, C, C[:3])
