"""Arrays and lists that a `try` makes and fills: no handler sees them half done."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

X = np.array([0.7, 1.3, 2.1])


def numbers(seq):
    try:
        items = [float(e) for e in seq]
    except ValueError:
        raise ValueError("no numbers") from None
    else:
        return np.sum(np.asarray(items) ** 2)


def filled(seq):
    try:
        y = np.zeros(len(seq))
        for k in range(len(seq)):
            for j in range(k + 1):
                y[k] += seq[j] ** 2
    except ValueError:
        raise ValueError("no numbers") from None
    return np.sum(y**2)


def outer(seq):
    y = np.zeros(len(seq))
    try:
        for k in range(len(seq) + 1):
            y[k] = seq[k] ** 3
    except IndexError:
        pass
    return np.sum(y**2)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [numbers, filled])
def test_gradients(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    val, g = ya.grad(f, X)
    assert val == f(X)
    for k in range(3):
        step = np.zeros(3)
        step[k] = 1e-6
        slope = (f(X + step) - f(X - step)) / 2e-6
        assert g[0][k] == pytest.approx(slope, rel=1e-7)


def test_what_stands_outside_is_not_written_in_a_loop_of_the_try():
    with pytest.raises(UnsupportedSyntax, match="the body of `try`"):
        ya.grad(outer, X)


def turned_in_some_places(x, inside):
    y = np.hypot(x, 2.0)
    try:
        if inside.any():
            y[inside] = -y[inside]
    except (TypeError, AttributeError):
        if inside:
            y = -y
    return np.sum(y * x)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("known", [True, False])
def test_a_write_after_which_nothing_can_raise(known, passes, monkeypatch):
    """In an arm of the last `if` too: the handler sees what stood there before."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    text = ya.simplegrad(turned_in_some_places, wrt="x")
    masks = [np.array([True, False, True]), np.zeros(3, dtype=bool), True, False]
    for inside in masks:
        inside_or_not = np.where(inside, -1, 1)
        y = np.hypot(X, 2.0)
        slope = inside_or_not * (y + X * X / y)
        if known:
            val, g = ya.grad(turned_in_some_places, X, inside, wrt=["x"])
            found = g["x"]
        elif isinstance(inside, bool):
            val, found = text(X, inside)
        else:  # no array of floats, in code that writes
            with pytest.raises(ValueError, match="made for numbers or arrays of float"):
                text(X, inside)
            val, found = ya.simplegrad(turned_in_some_places, X, inside, wrt="x")(
                X, inside
            )
        assert val == turned_in_some_places(X, inside)
        np.testing.assert_allclose(found, slope)


def written_before_the_end(x, inside):
    y = x * x
    try:
        if inside:
            y[0] = 3.0 * x[1]
        y[1] = y[7]
    except IndexError:
        pass
    return np.sum(y)


@pytest.mark.parametrize("inside", [True, False])
def test_a_write_in_a_statement_before_the_one_that_raises(inside):
    val, _ = ya.grad(written_before_the_end, X, inside, wrt=["x"])
    assert val == written_before_the_end(X, inside)
    assert ya.gradcheck(written_before_the_end, X, inside, wrt=["x"])


def written_before_the_end_of_an_arm(x, inside):
    y = x * x
    try:
        if inside:
            y[0] = 3.0 * x[1]
            y[1] = y[7]
    except IndexError:
        pass
    return np.sum(y)


@pytest.mark.parametrize("inside", [True, False])
def test_a_write_after_which_something_may_raise(inside):
    f = written_before_the_end_of_an_arm
    val, _ = ya.grad(f, X, inside, wrt=["x"])
    assert val == f(X, inside)
    assert ya.gradcheck(f, X, inside, wrt=["x"])


def written_in_both_arms(x, k):
    y = x * x
    try:
        if x[k] > 1.0:
            y[k] = 3.0 * x[1]
        else:
            y[k + 1] = x[0] * x[2]
    except IndexError:
        y = y * x
    return np.sum(y)


@pytest.mark.parametrize("k", [0, 1, 2, 5])
def test_a_write_in_each_arm(k):
    assert ya.grad(written_in_both_arms, X, k)[0] == written_in_both_arms(X, k)
    assert ya.gradcheck(written_in_both_arms, X, k)
