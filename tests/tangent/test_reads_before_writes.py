"""A tangent that reads an array which the function writes afterwards is computed before
that, whatever it is multiplied with later."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check_both_orders

X, V = np.array([0.3, 0.7, -0.4]), np.array([0.3, -0.7, 0.4])


def by_out(x, n):
    h = np.ones((2, 3))
    np.multiply(h, x[0], out=h)
    return -np.sum(h * h)


def by_a_store(x, n):
    h = np.array([1.0, 2.0, 3.0])
    t = x[n - 1] * h
    h[...] = t + 1.0
    return np.sum(3.0 * t * h * x)


def in_place(x, n):
    h = np.array([1.0, 2.0, 3.0])
    t = -(x * h)
    h *= x[0]
    h += 2.0
    return np.sum(t * h * 0.5) - np.sum(t / h)


def through_a_view(x, n):
    h = np.ones((2, 3))
    row = h[0]
    t = x * h
    row[...] = 4.0
    return np.sum(2.0 * t * h * t)


def in_a_loop(x, n):
    h = np.array([1.0, 2.0, 3.0])
    t = x * h
    total = 0.0
    for i in range(n + 1):
        total += np.sum(2.0 * t * h * t * x[0])
        h[...] = h * 0.5 + i
    return total


def in_one_arm(x, n):
    h = np.array([1.0, 2.0, 3.0])
    t = x * h
    if n > 1:
        h[0] = 7.0
    return np.sum(2.0 * t * h * t * x[0])


def in_each_iteration(x, n):
    h = np.array([1.0, 2.0, 3.0])
    total = 0.0
    for i in range(n + 1):
        t = x * h
        np.multiply(h, 0.5 + i, out=h)
        total += np.sum(2.0 * t * h * t * x[0])
    return total


def after_a_try(x, n):
    h = np.array([1.0, 2.0, 3.0])
    t = x * h
    try:
        h[0] = 5.0
        h[n + 7] = 1.0
    except IndexError:
        h[1] = 6.0
    return np.sum(2.0 * t * h * t * x[0])


PROGRAMS = [
    by_out, by_a_store, in_place, through_a_view, in_a_loop, in_one_arm,
    in_each_iteration, after_a_try,
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_the_tangent_is_that_of_the_gradient(program, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    h = 1e-6
    slope = (program(X + h * V, 2) - program(X - h * V, 2)) / (2 * h)
    np.testing.assert_allclose(ya.grad(program, X, 2)[1][0] @ V, slope, rtol=1e-7)
    check_both_orders(program, X, V, 2, atol=1e-7)


PAIR, ALONG = (0.38, np.array([0.8, -0.4, 0.6])), (0.7, np.array([0.2, 0.5, -0.3]))


def by_out_of_a_pair(p, n):
    h = np.ones((2, 3))
    np.multiply(h, p[0], out=h)
    return -np.sum(h * h)


def by_out_twice(p, n):
    h = np.full(3, 2.0)
    np.multiply(h, p[0], out=h)
    np.add(h, p[1], out=h)
    return np.sum(h * h * p[1])


def by_out_in_a_loop(p, n):
    total, k = 0.0, np.array([1.0, 2.0, 3.0])
    for i in range(n):
        h = k * 1.0
        np.multiply(h, p[0], out=h)
        total = total - np.sum(h * h) * p[0]
        k[...] = h + 0.1
    return total


def by_out_in_one_arm(p, n):
    h = np.array([1.0, 2.0, 3.0])
    if n > 1:
        np.multiply(h, p[0], out=h)
    return np.sum(h * h)


OF_PAIRS = [by_out_of_a_pair, by_out_twice, by_out_in_a_loop, by_out_in_one_arm]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("program", OF_PAIRS, ids=lambda f: f.__name__)
def test_of_a_pair_of_which_the_text_knows_little(program, passes, monkeypatch):
    """`2 * dp[0] * h * h` read the new `h` twice."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    (d, dv), _ = ya.grad(program, PAIR, 2)[1]
    value, dvalue = ya.jvp(program)(PAIR, 2, ALONG, None)
    assert value == program(PAIR, 2)
    np.testing.assert_allclose(dvalue, d * ALONG[0] + np.sum(dv * ALONG[1]))
