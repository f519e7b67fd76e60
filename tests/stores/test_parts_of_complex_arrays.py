"""Writes to the real and the imaginary part of a complex array, which are views."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

X = np.array([0.3, -1.2, 0.7, 2.1])
C = np.array([1.0, 0.4, -0.8, 0.3])


def size(z):
    return np.sum(np.abs(z * z + C) ** 2) + np.sum(np.angle(z + 3.0) * C)


def both(x, q):
    z = np.empty(x.shape, dtype=complex)
    z.real = q * x
    z.imag = x**2
    return size(z)


def one(x, q):
    z = x * (1.0 + 2.0j) * q
    z.imag = np.sin(x)
    return size(z)


def a_number(x, q):
    z = x * (1.0 + 2.0j)
    z.real = q
    return size(z)


def added(x, q):
    z = x * (1.0 + 2.0j) * q
    z.real += x**2
    z.imag *= q
    return size(z)


def parts_of_parts(x, q):
    z = np.zeros(x.shape, dtype=complex)
    z.real[1:] = q * x[1:]
    z.imag[:2] += x[:2]
    z.imag[::-1][0] = q
    return size(z)


def kept_view(x, q):
    z = x * (1.0 + 2.0j) * q
    re = z.real
    re *= x
    re[0] = q
    return size(z) + np.sum(re**3)


def view_of_what_is_written(x, q):
    z = x * (1.0 + 2.0j) * q
    re = z.real
    z[1] = q * 1j + x[0]
    return size(z) + np.sum(re**3)


def one_from_the_other(x, q):
    z = x * (1.0 + 2.0j) * q
    z.imag = z.real * q
    z.real[1:] = z.imag[:-1].copy()
    return size(z)


def exchanged(x, q):
    z = x * (1.0 + 2.0j) * q
    z.real, z.imag = z.imag.copy(), z.real.copy()
    return size(z)


def in_a_loop(x, q):
    z = np.zeros(x.shape, dtype=complex)
    for k in range(3):
        z.real = q * x + z.imag * k
        z.imag = z.real**2
    return size(z)


def in_one_arm(x, q):
    z = x * (1.0 + 2.0j)
    if q > 1.0:
        z.real = q * x
    return size(z)


def filled(x, q):
    def fill(z):
        z.real = q * x
        z.imag[...] = x

    z = np.zeros(x.shape, dtype=complex)
    fill(z)
    return size(z)


def of_rows(x, q):
    z = np.zeros((2, *x.shape), dtype=complex)
    z.real = q * x
    z[1].imag = x**2
    z.imag[0] = x
    return size(z)


def what_was_read_before(x, q):
    z = x * (1.0 + 2.0j) * q
    before = np.sum(np.abs(z) ** 2)
    z.real = before
    return size(z)


def single(x, q):
    z = np.zeros(x.shape, dtype=np.complex64)
    z.real = q * x
    return np.sum((z * z).real)


FUNCTIONS = [
    both, one, a_number, added, parts_of_parts, kept_view, view_of_what_is_written,
    one_from_the_other, exchanged, in_a_loop, in_one_arm, filled, of_rows,
    what_was_read_before,
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", FUNCTIONS)
@pytest.mark.parametrize("q", [0.6, 1.4])
def test_gradients(fn, q, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (X, q))


def test_single_precision():
    x = X.astype(np.float32)
    value, g = ya.grad(single, x, 1.4)
    assert value == single(x, 1.4)
    np.testing.assert_allclose(g[0], 2 * 1.4**2 * x, rtol=1e-5)


def test_an_argument_that_is_written():
    def f(z, x):
        z.imag = x
        return np.sum(np.abs(z) ** 2)

    z, x = np.array([1.0 + 2.0j, 3.0 - 1.0j]), np.array([0.5, 0.7])
    written = z.copy()
    value, g = ya.grad(f, written, x, seed=1.0)
    assert value == f(z, x)
    assert np.array_equal(written, z)
    np.testing.assert_allclose(g[0], 2 * z.real)
    np.testing.assert_allclose(g[1], 2 * x)


def imaginary(z, x):
    return np.sum(np.imag(z) * x + np.real(z) * x**2)


def with_another_real_part(z, x):
    z = z * 1.0
    z.real = z.real * x
    return np.sum(np.abs(z) ** 2)


@pytest.mark.parametrize("fn", [imaginary, with_another_real_part])
def test_texts_made_for_complex_numbers_refuse_real_ones(fn):
    made = ya.simplegrad(fn, X * (1.0 + 1.0j), C)
    with pytest.raises(ValueError, match=r"made for .*complex numbers in z"):
        made(X, C, 1.0)
    value, *gradients = made(X + 0j, C, 1.0)
    expected, g = ya.grad(fn, X, C)
    assert value == expected
    np.testing.assert_allclose(np.real(gradients), [g[0], g[1]], rtol=1e-12)


TEXT = """\
    # forward
    z = np.empty(x.shape, dtype=complex)
    t1 = z.real
    t1[...] = q * x
    t2 = z.imag
    t2[...] = x**2
    val = np.sum(np.abs(z) ** 2)

    # reverse
    # return np.sum(np.abs(z) ** 2)
    dz = (2 * seed) * z
    # z.imag = x**2
    dz_2 = np.real(dz)
    # z.real = q * x
    dq = np.vdot(dz_2, x)
    dx = 2 * np.imag(dz) * x + q * dz_2
"""


def test_text():
    def f(x, q):
        z = np.empty(x.shape, dtype=complex)
        z.real = q * x
        z.imag = x**2
        return np.sum(np.abs(z) ** 2)

    source = ya.simplegrad(f, X, 1.4).source
    assert TEXT in source
    assert "with_real" not in source
