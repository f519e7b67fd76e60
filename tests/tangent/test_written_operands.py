"""A root, or a sum of exponentials, whose operand is written before its tangent is.

The tangent of `y**2` for `y = np.abs(x)` is that of `x * x`, and that of the logarithm
of a sum of exponentials reads what the exponentials are of. Where x has been written
since, both are by their own rules.
"""

import numpy as np
import pytest

import yota_ast as ya

X, V = np.array([0.8, 0.18, 0.45]), np.array([0.3, -0.5, 0.8])


def whole(y, x):
    y[:] = x


def augmented(y, x):
    y *= 2 * x


def view(y, x):
    w = y[::-1]
    w += x


def loop(y, x):
    for k in range(3):
        y[k] = y[k] * x[k]


def arm(y, x):
    if x[0] > 0:
        y[1:] = x[1:]


def copied(y, x):
    np.copyto(y, x)


def square_of_abs(y, z, write):
    r = np.abs(y)
    write(y, z)
    return np.sum(r**2 * z) + np.sum(y)


def square_of_hypot(y, z, write):
    r = np.hypot(y, 1.0)
    write(y, z)
    return np.sum(r * r * z)


def square_of_norm(y, z, write):
    r = np.linalg.norm(y)
    write(y, z)
    return r**2 * np.sum(y)


def square_of_std(y, z, write):
    r = np.std(y)
    write(y, z)
    return r * r * np.sum(z)


def log_of_sum(y, z, write):
    s = np.sum(np.exp(y))
    write(y, z)
    return np.log(s) * np.sum(y * z)


def written_in_the_next_round(y, z, write):
    s, r = 0.0, np.abs(y)
    for _ in range(2):
        s = s + np.sum(r**2 * z)
        write(y, z)
    return s


WRITES = [whole, augmented, view, loop, arm, copied]
PROGRAMS = [
    square_of_abs, square_of_hypot, square_of_norm, square_of_std, log_of_sum,
    written_in_the_next_round,
]  # fmt: skip


def slope(f, h):
    return (f(X + h * V) - f(X - h * V)) / (2 * h)


@pytest.mark.parametrize("write", WRITES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_right(program, write):
    def f(x):
        return program(x * x[1], x, write)

    close = {"rtol": 1e-5, "atol": 1e-6}
    np.testing.assert_allclose(ya.jvp(f)(X, V)[1], slope(f, 1e-6), **close)
    np.testing.assert_allclose(ya.hvp(f)(X, V), slope(ya.grad(f), 1e-5), **close)


def test_what_is_written_before_does_not_matter():
    def f(x):
        y = x.copy()
        y[1:] *= 2
        return np.sum(np.abs(y) ** 2)

    x = np.array([0.0, 0.0, 0.5])
    np.testing.assert_allclose(ya.hvp(f)(x, V), V * [2, 8, 8])
