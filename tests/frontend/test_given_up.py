"""Branches that cannot be lowered: the text raises where control comes to them."""

import numpy as np
import pytest
from scipy.interpolate import interp1d

import yota_ast as ya
from yota_ast.errors import NoRule, UnsupportedCall, UnsupportedSyntax

X = np.array([0.7, 1.3, 2.1])


def frames(x):
    if np.sum(x) > 100:
        return x.to_frame().sum()
    return np.sum(x * x)


def conditional(x):
    y = x * 2 if x[0] > 0 else x.strange()
    return np.sum(y)


def in_a_loop(x):
    total = 0.0
    for v in x:
        if v > 10:
            total = total + v.strange()
        elif v > 5:
            total = np.busday_count(v, v)
        else:
            total = total + v * v
    return total


def helper(x):
    if np.ma.isMaskedArray(np.median(x)):
        return x.filled(0.0)
    return x**3


def inlined(x):
    return np.sum(helper(x))


def taken(x):
    if np.sum(x) < 100:
        return x.strange()
    return np.sum(x)


def both(x):
    if x[0] > 0:
        return x.strange()
    return x.stranger()


def always(x):
    return np.sum(x.strange())


@pytest.mark.parametrize("f", [frames, conditional, in_a_loop, inlined])
def test_the_other_way_is_right(f):
    value, g = ya.grad(f, X)
    assert value == f(X)
    steps = np.eye(3) * 1e-6
    expected = [(f(X + h) - f(X - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(g[0], expected, rtol=1e-7)


def test_grad_refuses_the_way_that_is_not_handled():
    with pytest.raises(UnsupportedCall, match="strange") as caught:
        ya.grad(taken, X)
    assert caught.value.lineno == taken.__code__.co_firstlineno + 2


def test_the_text_raises_on_the_way_that_is_not_handled():
    line = frames.__code__.co_firstlineno + 2
    source = ya.grad(frames, X)[1].source
    assert f"frames_grad: line {line} is not handled" in source
    with pytest.raises(UnsupportedCall, match="to_frame"):
        ya.grad(frames, 100 * X)


def test_a_function_without_a_rule_is_told_as_such():
    def f(x):
        if x[0] > 0.5:
            return np.sum(np.busday_count(x, x) * x)
        return np.sum(x)

    assert ya.grad(f, 0.1 * X)[1][0].tolist() == [1.0] * 3
    with pytest.raises(NoRule, match="busday_count has no rule"):
        ya.grad(f, X)


def test_a_parameter_without_a_derivative_is_left_to_the_other_way():
    def f(x, far):
        if far > 0.5:
            return np.sum(interp1d(np.sort(x), x**2)(1.0) * x)
        return np.sum(x * x)

    assert ya.grad(f, X, 0.1)[1][0].tolist() == (2 * X).tolist()
    with pytest.raises(NoRule, match="no derivative with respect to x") as caught:
        ya.grad(f, X, 0.9)
    assert caught.value.called == "interp1d"


@pytest.mark.parametrize("f", [frames, conditional, in_a_loop])
def test_a_text_made_ahead_is_refused(f):
    with pytest.raises(UnsupportedCall):
        ya.simplegrad(f, X)


@pytest.mark.parametrize("f", [both, always])
def test_what_can_go_no_other_way_is_refused(f):
    with pytest.raises(UnsupportedCall, match="strange"):
        ya.grad(f, X)


def test_arrays_made_of_numbers_have_memory_of_their_own():
    def f(x):
        h = np.asarray(np.sum(x) * 2)
        other = h
        h[h > 100] = 0
        h *= x[0]
        return other * x[1]

    value, g = ya.grad(f, X)
    assert value == f(X)
    steps = np.eye(3) * 1e-6
    expected = [(f(X + h) - f(X - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(g[0], expected, rtol=1e-7)


def test_the_tangent_is_refused_for_another_name():
    def f(x, kind="sin"):
        return np.sum(getattr(np, kind)(x))

    _, d = ya.jvp(f)(X, np.ones(3))
    np.testing.assert_allclose(d, np.sum(np.cos(X)))
    value, d = ya.jvp(f)(X, np.ones(3), kind="cos")
    assert value == f(X, "cos")
    np.testing.assert_allclose(d, -np.sum(np.sin(X)))


def number_or_array(x):
    w = x[0] * 2 if x[1] > 0 else x * 2
    a = np.asarray(w)
    a *= 3
    return np.sum(a * w)


@pytest.mark.parametrize("signs", [(1, 1), (-1, -1), (1, -1, 1), (-1, 1, -1)])
def test_a_wrong_guess_of_what_shares_memory_makes_another_text(signs):
    for sign in signs:
        x = X * [1, sign, 1]
        value, g = ya.grad(number_or_array, x)
        assert value == number_or_array(x)
        steps = np.eye(3) * 1e-6
        expected = [
            (number_or_array(x + h) - number_or_array(x - h)) / 2e-6 for h in steps
        ]
        np.testing.assert_allclose(g[0], expected, rtol=1e-7)


def test_nothing_is_done_twice(capsys):
    def f(x):
        w = x[0] * 2 if x[1] > 0 else x * 2
        print("once")
        a = np.asarray(w)
        a *= 3
        return np.sum(a * w)

    counts = []
    for sign in (1, -1):
        x = X * [1, sign, 1]
        try:
            value, _ = ya.grad(f, x)
        except UnsupportedSyntax:
            counts.append(capsys.readouterr().out.count("once"))
            continue
        counts.append(capsys.readouterr().out.count("once"))
        assert value == f(x)
        capsys.readouterr()
    assert counts == [1, 1]
