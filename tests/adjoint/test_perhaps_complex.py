"""Adjoints of what is real beside what is complex, in texts made without facts, whose
derivatives are taken again: they are real."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.8, 0.3, -0.6, 1.2, 0.5])
U = np.array([1.0, -0.4, 0.3, 0.9, -1.1])
WEIGHTS = np.array([0.5, 1.5, -0.2, 0.7, 1.1])


def power_spectrum(x):
    return np.sum(np.abs(np.fft.rfft(x)) ** 2)


def envelope(x):
    z = np.fft.ifft(np.fft.fft(x) * np.array([1.0, 2.0, 2.0, 0.0, 0.0]))
    return np.sum(np.abs(z) * WEIGHTS)


def rotated(x):
    return np.sum(np.real(np.exp(1j * x) * np.fft.fft(x)) ** 2)


def filtered(x):
    gain = np.tanh(x)
    return np.sum(np.abs(np.fft.fft(x) * gain) ** 2)


PROGRAMS = [power_spectrum, envelope, rotated, filtered]


def difference(f, x, h=1e-5):
    return (f(x + h * U) - f(x - h * U)) / (2 * h)


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("facts", [True, False])
def test_orders(f, facts):
    given = (X,) if facts else ()
    first = ya.simplegrad(f, *given)
    np.testing.assert_allclose(first(X)[1] @ U, difference(f, X), atol=1e-6)

    def once(x):
        return np.sum(ya.value_and_grad(f)(x)[1] * WEIGHTS)

    second = ya.simplegrad(once, *given)
    assert np.isrealobj(second(X)[1])
    wanted = difference(lambda x: first(x)[1] @ WEIGHTS, X)
    np.testing.assert_allclose(second(X)[1] @ U, wanted, atol=1e-6)

    def twice(x):
        return ya.value_and_grad(once)(x)[1] @ WEIGHTS

    third = ya.simplegrad(twice, *given, wrt="x")  # 0 of a square: none acts
    wanted = difference(lambda x: second(x)[1] @ WEIGHTS, X)
    np.testing.assert_allclose(third(X)[1] @ U, wanted, atol=1e-6)


def phases(x, angle):
    """`arcsin` of what may be above 1 is complex in some cases only."""
    inside = np.array([np.lib.scimath.arcsin(np.sin(angle) / n) for n in x])
    delta = x * np.cos(inside)
    field = 1.0 + 0j
    for k in range(len(x)):
        field = field * np.exp(-1j * delta[k]) + np.exp(delta[k] * 1j) * inside[k]
    return np.abs(field) ** 2


def test_a_number_that_may_be_complex_beside_a_complex_literal():
    x, h = np.array([1.5, 2.1]), 1e-6
    _, dx, dangle = ya.simplegrad(phases, x, 0.3)(x, 0.3)  # which warns of nothing
    np.testing.assert_allclose(
        dangle, (phases(x, 0.3 + h) - phases(x, 0.3 - h)) / (2 * h), 1e-6
    )
    steps = h * np.eye(2)
    slopes = [(phases(x + e, 0.3) - phases(x - e, 0.3)) / (2 * h) for e in steps]
    np.testing.assert_allclose(dx, slopes, 1e-6)
