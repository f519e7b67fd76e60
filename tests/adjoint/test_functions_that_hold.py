"""A function that a solver is given reads what it holds where it is called: also in the
reverse sweep, and after a statement that gives a name or an array other values."""

import numpy as np
import pytest
from scipy import integrate

import yota_ast as ya

X = np.array([0.5, 1.2, 0.8])
V = np.array([0.3, 0.5, -0.2])


def flow(f, start):
    return integrate.solve_ivp(f, (0, 1), start, rtol=1e-10, atol=1e-10).y[1, -1]


def a_name_again(x):
    s = x[1]
    s = s + integrate.quad(lambda t: np.exp(-x[0] * t) * s, 0, 1)[0]
    return s * x[2]


def a_name_in_a_loop(x):
    a = x[0]
    for _ in range(2):
        a = flow(lambda t, y: [-a * y[0] * x[1], y[0] * a], [1.0, a])
    return a


def an_array_afterwards(x):
    z = x * 1.0
    u = flow(lambda t, y: [-z[0] * y[0] * z[1], y[0] * z[2]], [1.0, z[1]])
    z *= u
    z[0] = 3.0 * u
    return np.sum(z * x) * u


def an_array_after_a_loop(x):
    z = np.sin(x)
    a = x[0]
    for _ in range(2):
        w = np.exp(x * a)
        for _ in range(2):
            a = flow(lambda t, y: [-z[0] * y[0] * a, y[0] * w[2]], [1.0, z[1]])
        w *= a
        a = a + 0.1 * np.sum(w)
    z *= a
    return np.sum(z * x) * a


def an_array_in_an_arm(x):
    z = np.sin(x)
    a = x[0]
    if a > 0.1:
        a = flow(lambda t, y: [-z[0] * y[0] * a, y[0] * z[2]], [1.0, z[1]])
        z[2] *= a
    a = a * 3.0
    return np.sum(z * x) * a


def an_argument(x):
    a = x[0] * 1.0
    for _ in range(2):
        a = flow(lambda t, y: [-x[0] * y[0] * a, y[0] * x[2]], [1.0, x[1]])
    x *= a
    return np.sum(x) * a


@pytest.mark.parametrize("passes", ["all", "none", "-again"])
@pytest.mark.parametrize(
    "f",
    [
        a_name_again, a_name_in_a_loop, an_array_afterwards, an_array_after_a_loop,
        an_array_in_an_arm, an_argument,
    ],
)  # fmt: skip
def test_both_modes(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    step = 1e-6 * V
    expected = pytest.approx((f(X + step) - f(X - step)) / 2e-6, rel=1e-5)
    assert ya.jvp(f)(X.copy(), V)[1] == expected
    assert ya.grad(f, X.copy())[1]["x"] @ V == expected
