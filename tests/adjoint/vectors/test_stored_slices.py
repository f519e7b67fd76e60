"""Slices that make up an array are put together; others are written into zeros."""

import numpy as np
import pytest

import yota_ast as ya

W = np.sin(np.arange(24.0)).reshape(2, 12)


def halves(x, k):
    return np.sum(np.tanh(x[:k]) ** 2) + np.sum(np.exp(x[k:]) * x[k:])


def gates(x, W):
    n = W.shape[0]
    g = x @ W
    a, b = np.tanh(g[:, :n]), np.exp(g[:, n : 3 * n])
    return np.sum(a**2) + np.sum(b * b) + np.sum(np.sin(g[:, 3 * n :]) ** 3)


def in_a_loop(x, k):
    h = x[0]
    for row in x:
        z = h * row
        h = np.tanh(np.sum(np.tanh(z[:k]) ** 2) + np.sum(z[k:] ** 3)) + 0.1 * h
    return np.sum(h**2)


def spline(c, B):
    fit = c[0] + c[1] * B[:, 0] + B @ c[2:]
    return np.sum(fit**2) + np.sum(np.diff(c[2:]) ** 2)


def ends(x, k):
    return np.sum(x[:1] ** 2) + np.sum(np.sin(x[1:-1])) + np.sum(x[-1:] ** 3)


def overlapping(x, k):
    return np.sum(x[:k] ** 2) + np.sum(np.sin(x[k:])) + np.sum(x[1:k] ** 3)


def falling(x, k):
    return np.sum(x[:k] ** 2) + np.sum(x[k : k - 1] ** 2) + np.sum(x[k - 1 :] ** 3)


def rows_of_numbers(x, k):
    return 3.0 * np.sum(x[:k]) + np.sum(np.sin(x[k:]))


def slopes(f, x, *rest):
    steps = 1e-6 * np.eye(x.size).reshape(x.size, *x.shape)
    return [(f(x + s, *rest) - f(x - s, *rest)) / 2e-6 for s in steps]


ROW = np.linspace(0.2, 1.4, 6)
CASES = [
    (halves, ROW, [2, 0, 6, 9, -2, -7], True),
    (gates, W.T, [np.ones((2, 8)), np.ones((2, 6)), np.ones((2, 4))], True),
    (in_a_loop, W, [2, 0, 12, -1], True),
    (spline, ROW, [np.cos(np.arange(20.0)).reshape(5, 4)], True),
    (ends, ROW, [1], False),
    (overlapping, ROW, [2, 0, -2, 9], True),
    (falling, ROW, [2, 0, -1], False),
]


@pytest.mark.parametrize("passes", ["all", "none", "-joined"])
@pytest.mark.parametrize(("f", "x", "others", "joins"), CASES)
def test_slices_that_make_up_an_array(f, x, others, joins, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    if f is gates:
        others = [np.sin(o + np.arange(o.size).reshape(o.shape)) for o in others]
        x = x[:3, :2]
    made = ya.simplegrad(f, x, others[0], wrt=0)
    if passes == "all":
        assert ("np.concatenate(" in made.source) is joins
    for other in others:
        for at in (x, x[:2], x[:1], x[:0]) if f in (halves, ends, falling) else (x,):
            found = made.fn(at, other)[1]
            assert found.shape == at.shape
            np.testing.assert_allclose(
                found.ravel(), slopes(f, at, other), rtol=1e-5, atol=1e-6
            )


def test_dtypes_and_second_derivatives():
    small = ROW.astype(np.float32)
    made = ya.simplegrad(halves, small, 2, wrt="x")
    assert made.fn(small, 2)[1].dtype == np.float32
    np.testing.assert_allclose(
        made.fn(small, 3)[1], ya.grad(halves, ROW, 3, wrt="x")[1]["x"], rtol=1e-4
    )
    v = np.cos(np.arange(6.0))
    steps = [ya.grad(halves, ROW + s * v, 2, wrt="x")[1]["x"] for s in (1e-6, -1e-6)]
    found = ya.hvp(halves, wrt="x")(ROW, v, 2)
    np.testing.assert_allclose(found, (steps[0] - steps[1]) / 2e-6, rtol=1e-5)


def test_a_value_that_is_written_meanwhile():
    def f(x, y):
        y = y.copy()
        total = np.sum(x[:2] * y)
        y *= x[2:]
        return total + np.sum(x[:2] * y**2)

    x, y = np.linspace(0.5, 1.4, 4), np.array([1.5, -0.7])
    found = ya.simplegrad(f, x, y, wrt="x").fn(x, y)[1]
    np.testing.assert_allclose(found, slopes(f, x, y), rtol=1e-6)
