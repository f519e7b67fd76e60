"""A text asks whether a view is one, also after it has been written: of the view, and
of no copy of it."""

import numpy as np
import pytest

import yota_ast as ya

X, V = np.array([0.6, 0.8, 0.1]), np.array([0.3, -0.7, 0.4])
K = np.array([0.5, 1.5, -0.4])


def some_elements(x, k):
    y = x.ravel()
    np.place(x, x > 0.7, [0.5])
    return np.sum((y + x[::-1] + y) * k * x)


def a_row_of_itself(x, k):
    y = np.array(x, copy=False, ndmin=2)[0]
    x[np.array([2, 0])] += k[:2]
    return np.mean(x * np.outer(y, x)[-1])


def in_a_loop(x, k):
    y = x.ravel()
    for i in range(3):
        x[i] = x[0] * 2.0 + k[i]
        x[1] = y[i] * y[1]
    return np.sum(y * x)


def of_what_is_constant(x, k):
    y = k.ravel()
    for i in range(3):
        k[i] += 1.0
        y[0] *= 2.0
        x = x * y * k
    return np.sum(x * y)


PROGRAMS = [some_elements, a_row_of_itself, in_a_loop, of_what_is_constant]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_the_tangent_is_that_of_the_gradient(program, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)

    def gradient(x):
        return ya.grad(program, x, K.copy(), wrt="x")[1][0]

    value, dvalue = ya.jvp(program)(X.copy(), K.copy(), V, None)
    assert value == program(X.copy(), K.copy())
    np.testing.assert_allclose(dvalue, gradient(X.copy()) @ V, rtol=1e-12)
    h = 1e-6
    change = (gradient(X + h * V) - gradient(X - h * V)) / (2 * h)
    found = ya.hvp(program)(X.copy(), V, K.copy())
    np.testing.assert_allclose(found, change, rtol=1e-6, atol=1e-8)
