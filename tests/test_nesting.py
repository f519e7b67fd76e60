"""Transforms called inside a function that is itself differentiated."""

import numpy as np
import pytest

import yota_ast as ya


def energy(x):
    return np.sum(x**3)


def coupled(x, a):
    return np.sum(np.sin(x) * a * x)


def penalty(x):
    value, slope = ya.value_and_grad(energy)(x)
    return np.sum(slope * slope) + value


def both(x, a):
    _, (dx, da) = ya.value_and_grad(coupled, wrt=["x", "a"])(x, a)
    return np.sum(dx * da)


def second(x, a):
    return np.sum(ya.value_and_grad(coupled, wrt=1)(x, a)[1] ** 2)


def within_a_loop(x, n):
    for _ in range(n):
        x = x - 0.1 * ya.value_and_grad(energy)(x)[1]
    return np.sum(x)


X, A = np.array([0.3, 1.2, 0.7]), np.array([1.1, 0.4, 0.9])


def slope(f, args, k, v, h=1e-6):
    ends = []
    for sign in (1, -1):
        moved = list(args)
        moved[k] = args[k] + sign * h * v
        ends.append(f(*moved))
    return (ends[0] - ends[1]) / (2 * h)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    ("f", "args"),
    [(penalty, (X,)), (both, (X, A)), (second, (X, A)), (within_a_loop, (X, 3))],
)
def test_value_and_grad_is_lowered_like_a_helper(f, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    val, g = ya.grad(f, *args)
    assert np.isclose(val, f(*args), rtol=1e-14)
    for k, x in enumerate(args):
        if isinstance(x, np.ndarray):
            v = np.random.default_rng(k).normal(size=x.shape)
            assert np.isclose(np.sum(g[k] * v), slope(f, args, k, v), rtol=1e-6)


def by_grad(x):
    _, g = ya.grad(energy, x)
    return np.sum(g[0])


def by_hessian(x):
    return np.sum(ya.hessian(energy)(x))


def by_vjp(x):
    return np.sum(ya.vjp(energy)(x)[1](1.0))


@pytest.mark.parametrize("f", [by_grad, by_hessian, by_vjp])
def test_the_others_are_refused(f):
    with pytest.raises(ya.UnsupportedCall, match="is called inside") as caught:
        ya.grad(f, X)
    assert caught.value.filename == __file__
    assert "value_and_grad" in caught.value.remedy


def of_a_lambda(x):
    return np.sum(ya.value_and_grad(lambda y: np.sum(y * y))(x)[1])


def test_a_function_made_inside_is_refused():
    with pytest.raises(ya.UnsupportedCall, match="made inside"):
        ya.grad(of_a_lambda, X)


made = ya.simplegrad(energy, X)


def by_a_text(x):
    return np.sum(made(x)[1] ** 2)


def test_a_gradient_made_outside_is_called_inside():
    assert np.allclose(ya.grad(by_a_text, X)[1][0], 36 * X**3)
