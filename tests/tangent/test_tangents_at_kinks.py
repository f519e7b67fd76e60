"""The tangent of `abs` at 0: its derivative is refused where the point moves through 0
and nothing tells how steep the function is there, and is right where it stays."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.0, 0.4, -0.7])
STILL = np.array([0.0, 0.3, 0.2])
MOVING = np.array([0.5, 0.3, 0.2])
KINK = "no second derivative is known where abs is taken of 0"


def cosine(x):
    return np.sum(np.cos(np.abs(x)))


def square(x):
    size = np.abs(x)
    return np.sum(size * np.cos(x) * size)


def reset(x, n):
    if n > 1:
        x = np.zeros(3)
    return np.sum(np.sin(abs(x)))


def along(f):
    return lambda x, v: ya.jvp(f)(x, v)[1]


@pytest.fixture(params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("f", [cosine, square])
def test_a_point_that_stays(f):
    slope = along(f)
    _, g = ya.grad(slope, X, STILL)
    h, u = 1e-6, np.array([0.0, -1.0, 0.6])
    change = (slope(X + h * u, STILL) - slope(X - h * u, STILL)) / (2 * h)
    assert g[0] @ u == pytest.approx(change, rel=1e-6)
    assert g[0][0] == g[1][0] == 0.0
    _, tangent = ya.jvp(slope)(X, STILL, MOVING, None)
    assert tangent == pytest.approx(g[0] @ MOVING)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("f", [cosine, square])
def test_a_point_that_moves(f):
    slope = along(f)
    with pytest.raises(ValueError, match=f"lambda_grad: {KINK}"):
        ya.grad(slope, X, MOVING)
    with pytest.raises(ValueError, match=f"lambda_grad: {KINK}"):
        ya.grad(slope, X, MOVING, wrt=["x"])
    with pytest.raises(ValueError, match=f"lambda_jvp: {KINK}"):
        ya.jvp(slope)(X, MOVING, MOVING, None)


def test_a_kink_where_the_function_is_straight_on_both_sides():
    _, g = ya.grad(along(lambda x: np.sum(np.abs(x))), X, MOVING)
    np.testing.assert_array_equal(g[0], np.zeros(3))
    np.testing.assert_array_equal(g[1], np.sign(X))


def test_an_array_of_zeros_made_on_the_way():
    def within(x, n):
        value, d = ya.jvp(lambda t: np.sum(x) * reset(t, n))(x, 0.5 * x)
        return value + np.sin(d)

    for n in (1, 2):
        value, g = ya.grad(within, X[1:], n)
        assert value == within(X[1:], n)
        h, u = 1e-6, np.array([0.3, -0.8])
        change = (within(X[1:] + h * u, n) - within(X[1:] - h * u, n)) / (2 * h)
        assert g[0] @ u == pytest.approx(change, rel=1e-6, abs=1e-9)
