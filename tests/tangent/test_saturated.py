"""Exponentials that overflow, in forward mode, at second order, and within functions
that call a transform: as at first order."""

import math
import warnings

import numpy as np
import pytest

import yota_ast as ya

A = np.array([[1.0, 0.5, 0.0], [-900.0, 1.0, 0.2], [0.3, 900.0, 1.0], [0.1, 0.2, 0.3]])
W = np.array([1.0, 1.0, -0.5])
V = np.array([1.0, 0.0, 0.5])


def plus(z):
    return np.log(1 + np.exp(z))


def plus_1p(z):
    return np.log1p(np.exp(z))


def falling(z):
    return 1.0 / (np.exp(z) + 1.0)


def doubled(z):
    return 2.0 / (1 + np.exp(-z))


FUNCTIONS = {  # of a number: the function, its slope and its curvature
    plus: (lambda s: s, lambda s: s * (1 - s)),
    plus_1p: (lambda s: s, lambda s: s * (1 - s)),
    falling: (lambda s: -s * (1 - s), lambda s: -s * (1 - s) * (1 - 2 * s)),
    doubled: (lambda s: 2 * s * (1 - s), lambda s: 2 * s * (1 - s) * (1 - 2 * s)),
}


def logistic(z):
    return 1 / (1 + math.exp(-z)) if z > -700 else 0.0


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("z", [-1000.0, -750.0, -3.0, 0.4, 60.0, 100.0, 800.0, 1000.0])
@pytest.mark.parametrize("dtype", [None, np.float32, np.float64])
def test_of_numbers(f, z, dtype):
    slope, curvature = (one(logistic(z)) for one in FUNCTIONS[f])
    near = {"rtol": 1e-12, "atol": 1e-15}
    if dtype is not None:
        z = np.full(2, z, dtype)
    if dtype == np.float32:
        near = {"rtol": 1e-4, "atol": 1e-6}
    one = z * 0 + 1

    def total(x):
        return np.sum(f(x))

    with np.errstate(over="ignore"):
        value, tangent = ya.jvp(f)(z, one)
        np.testing.assert_array_equal(value, f(z))
        np.testing.assert_allclose(tangent, slope * one, **near)
        np.testing.assert_allclose(ya.hvp(total)(z, one), curvature * one, **near)
        third = ya.hvp(lambda x: np.sum(ya.value_and_grad(total)(x)[1]))(z, one)
        assert np.all(np.isfinite(third))


def of_rows(w, a):
    z = np.minimum(a, 3) * w
    return np.sum(np.log(np.sum(np.exp(z), axis=1)) ** 2)


def of_all(w, a):
    return np.log(np.exp(a @ w).sum())


def kept(w, a):
    z = a * w
    return np.sum((z - np.log(np.exp(z).sum(axis=-1, keepdims=True))) * a)


def cross_entropy(w, a):
    z = a @ w
    y = np.array([1.0, 0.0, 0.0, 1.0])
    return np.sum(np.log(1 + np.exp(z)) - y * z)


def squares(w, a):
    return np.sum((1 / (1 + np.exp(-(a @ w))) - 0.3) ** 2)


def within_a_loop(w, a):
    total = 0.0
    for row in np.minimum(a, 3):
        total += np.log1p(np.exp(row @ w)) * (1 / (1 + np.exp(row @ w)))
    return total


LOSSES = [of_rows, of_all, kept, cross_entropy, squares, within_a_loop]


@pytest.mark.parametrize("f", LOSSES)
def test_of_arrays(f):
    """At a point with some exponentials that overflow: by differences of the gradient,
    which does not."""
    h = 1e-5
    with np.errstate(over="ignore", invalid="ignore"):
        _, g = ya.grad(f, W, A)
        _, tangent = ya.jvp(f)(W, A, V, None)
        change = ya.hvp(f)(W, V, A)
        ahead, behind = (ya.grad(f, W + s * h * V, A)[1][0] for s in (1, -1))
        whole = ya.hessian(f)(W, A)
    assert np.isfinite(g[0]).all()
    scale = max(1.0, np.abs(g[0]).max())
    assert abs(tangent - g[0] @ V) < 1e-9 * scale
    np.testing.assert_allclose(change, (ahead - behind) / (2 * h), atol=1e-6 * scale)
    np.testing.assert_allclose(whole @ V, change, atol=1e-9 * scale)


@pytest.mark.parametrize("f", LOSSES)
@pytest.mark.parametrize("passes", ["-fused", "none"])
def test_a_gradient_within_has_the_bits_of_the_direct_one(f, passes, monkeypatch):
    """A loop that is reversed within itself adds up in another order."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)

    def slope(w, a):
        return ya.value_and_grad(f)(w, a)[1]

    def along(w, a):
        return ya.hvp(f)(w, V, a)

    with np.errstate(over="ignore", invalid="ignore"):
        for one in (slope, along):
            direct = one(W, A)
            value, _ = ya.grad(one, W, A, seed=V)
            np.testing.assert_array_equal(value, direct)
            assert np.isfinite(direct).all()


def test_no_new_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ya.jvp(plus)(np.array([30.0, -800.0]), np.ones(2))
        ya.hvp(lambda z: np.sum(plus(z)))(np.array([30.0, -800.0]), np.ones(2))


def carried(w, a):
    h = 0.0
    for row in a:
        h = 1 / (1 + np.exp(-(row @ w) - h))
    return h


def by_turns(w, a):
    total = 0.0
    for k in range(len(a)):
        z = a[k] @ w
        if z < 5:
            total = total + 1 / (1 + np.exp(-z))
        else:
            total = total - np.log1p(np.exp(-z)) + z * 0.1
    return total


@pytest.mark.parametrize("f", [carried, by_turns])
@pytest.mark.parametrize("facts", [True, False])
def test_carried_by_loops(f, facts):
    """The first exponential overflows; numbers that loops carry have no known type."""
    a = np.array([[-900.0, 3.0, 1.0], [0.5, -1.0, 2.0], [0.3, 0.1, -0.2]])
    gradient = ya.simplegrad(f, *((W, a) if facts else ()), wrt=[0])
    h = 1e-5
    with np.errstate(over="ignore"):
        slope = gradient(W, a)[1] @ V
        ends = [f(W + s * h * V, a) for s in (1, -1)]
        assert slope == pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-8)
        assert ya.jvp(f)(W, a, V, None)[1] == pytest.approx(slope, abs=1e-12)
        ahead, behind = (gradient(W + s * h * V, a)[1] for s in (1, -1))
        change = (ahead - behind) / (2 * h)
        np.testing.assert_allclose(ya.hvp(f)(W, V, a), change, atol=1e-7)
