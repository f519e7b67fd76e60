"""The real part of an adjoint is a view of it: it is kept where the adjoint is written
before it is read."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([[0.3, 0.7, 1.2], [-0.4, 0.9, 0.5], [1.1, -0.2, 0.8]])


def two_halves(x):
    n = len(x)
    z = np.zeros((2 * n, 3), dtype=complex)
    z[n:] = x
    z[:n] = x
    return np.sum(np.abs(z) ** 2)


def mirrored(x):
    s = np.sum(x, axis=1)
    n = len(s)
    z = np.zeros(2 * n, dtype=complex)
    z[1:n] = np.flip(np.conj(s[1:]), axis=0)
    z[n + 1 :] = s[1:]
    return np.sum(np.real(np.fft.ifft(z)) ** 3)


def turned(x):
    z = np.zeros((6, 3), dtype=complex)
    y = np.real(x)
    z[3:] = y
    z[:3] = y.T
    return np.sum(np.abs(np.fft.fft(z, axis=0)) ** 3)


def overwritten(x):
    z = np.zeros((3, 3), dtype=complex)
    z[:] = x
    y = np.sum(np.abs(z) ** 2)
    z[1:] = 2 * x[1:]
    return y * np.sum(np.abs(z) ** 3)


def in_a_loop(x):
    z = np.ones(3, dtype=complex)
    total = 0.0
    for row in x:
        z[:2] = row[:2]
        z[1:] = row[1:] * z[0].real
        total += np.sum(np.abs(z * (1 + 2j)) ** 3)
    return total


PROGRAMS = (two_halves, mirrored, turned, overwritten, in_a_loop)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_against_differences(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    value, gradient = ya.grad(f, X)
    assert value == f(X)
    step = 1e-6
    for k in np.ndindex(X.shape):
        e = np.zeros(X.shape)
        e[k] = step
        slope = (f(X + e) - f(X - e)) / (2 * step)
        assert gradient[0][k] == pytest.approx(slope, rel=1e-6, abs=1e-7)


def test_a_gradient_is_memory_of_its_own():
    """Not a view of every second number of a complex array."""

    def f(x):
        z = np.zeros(3, dtype=complex)
        z[:] = x
        return np.sum(np.abs(z) ** 2)

    _, gradient = ya.grad(f, X[0])
    assert gradient[0].base is None
