"""A value that is computed twice, of which the first lies in memory that is written.

The tangent of `np.cos(x)` computes `np.sin(x)`. Where `a = np.sin(x)` is at hand, but
written before the tangent is computed, it holds something else.
"""

import numpy as np
import pytest

import yota_ast as ya


def whole(a, x):
    a[:] = np.cos(2 * x)


def item(a, x):
    a[0] = x[1] ** 2


def augmented(a, x):
    a *= x


def view(a, x):
    w = a[1:]
    w *= 2 * x[1:]


def loop(a, x):
    for k in range(3):
        a[k] = a[k] * x[k]


def arm(a, x):
    if x[0] > 0:
        a[1:] = x[1:]


def out(a, x):
    np.multiply(a, x, out=a)


def read_before(write, x):
    a = np.sin(x)
    b = a * 1
    write(a, x)
    return np.sum(a * b) + np.sum(np.cos(x) ** 2)


def called_before(write, x):
    a = np.sin(x)
    c = np.cos(x)
    write(a, x)
    return np.sum(a * c)


def called_after(write, x):
    a = np.exp(x)
    b = a + 0
    write(a, x)
    return np.sum(a * np.exp(x) * b)


def in_a_loop(write, x):
    s = 0.0
    for k in range(2):
        a = np.tanh(x * (k + 1))
        b = a * 1
        write(a, x)
        s = s + np.sum(a * b)
    return s


WRITES = [whole, item, augmented, view, loop, arm, out]
PROGRAMS = [read_before, called_before, called_after, in_a_loop]
X, V = np.array([0.7, 1.3, 0.4]), np.array([0.3, -0.5, 0.8])
WAYS = {
    "jvp": lambda f: ya.jvp(f)(X, V)[1],
    "hvp": lambda f: ya.hvp(f)(X, V),
    "forward twice": lambda f: ya.jvp(lambda x: ya.jvp(f)(x, V)[1])(X, V)[1],
    "reverse over forward": lambda f: ya.grad(lambda x: ya.jvp(f)(x, V)[1])(X),
    "reverse twice": lambda f: ya.grad(lambda x: ya.grad(f)(x) @ V)(X),
}


def slope(f, h):
    return (f(X + h * V) - f(X - h * V)) / (2 * h)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("write", WRITES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_right(program, write, way):
    def f(x):
        return program(write, x)

    first, second = slope(f, 1e-6), slope(ya.grad(f), 1e-5)
    wanted = {"jvp": first, "forward twice": second @ V}.get(way, second)
    np.testing.assert_allclose(WAYS[way](f), wanted, rtol=1e-5, atol=1e-6)
