"""Loops that stay for what they may raise, and read an array that is set to zero."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

X = np.array([0.5, 0.2, 0.3, 0.1])


def before_the_zero(x, n):
    y = x * 2.0
    y[:-1] *= y[1:]
    for k in range(n):
        for j in range(2):
            y[k + j]
    y[0] = 0.0
    return np.sum(y * y)


def within_a_loop(x, n):
    y, s = x * 2.0, 0.0
    for _ in range(n):
        for j in range(len(x)):
            x[n - 1] + y[j]
        s = s + np.sum(y)
        y[:] = 0.0
        y[1] = s
    return np.sum(y * y)


def while_it_lasts(x, n):
    y = x * 3.0
    k = 0
    while k < n:
        for v in y:
            np.cos(y[1:]) / v
        k += 1
    y[1] = 0.0
    return np.sum(y**3)


@pytest.mark.parametrize("fn", [before_the_zero, within_a_loop, while_it_lasts])
def test_in_each_direction(fn):
    check(fn, (X, 2), wrt=[0])
    _, g = ya.grad(fn, X, 2)
    for v in (X, np.ones(4)):
        assert ya.jvp(fn, wrt=0)(X, 2, v)[1] == pytest.approx(np.sum(g["x"] * v))
        up, down = (ya.grad(fn, X + t * v, 2)[1]["x"] for t in (1e-5, -1e-5))
        assert ya.hvp(fn)(X, v, 2) == pytest.approx((up - down) / 2e-5, abs=1e-7)


def test_what_they_raise_is_raised():
    with pytest.raises(IndexError):
        ya.grad(before_the_zero, X, 4)
    with pytest.raises(IndexError):
        ya.jvp(before_the_zero, wrt=0)(X, 4, X)
