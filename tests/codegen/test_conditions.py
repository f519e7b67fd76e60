"""A condition of two or three comparisons is written where it decides, in both sweeps:
it has no name, is not kept in loops, and a ladder of them stays one of `elif`."""

import math
import textwrap

import numpy as np
import pytest

import yota_ast as ya


def ladder(x):
    if 0.0 <= x < 0.5:
        y = x * x
    elif 0.5 <= x < 1.0:
        y = x * x * x
    else:
        y = 3.0 * x
    return y * y


def walls(x, n):
    y = x
    for i in range(n):
        if 0 < i < n - 1:
            y = y * x
    return y


def joined(x, a, flag):
    if flag and x < a:
        y = x * x
    elif x < 2 * a or a > 3.0:
        y = 3.0 * x
    else:
        y = x
    return y * y


def of_four(x, a):
    if x < 0.0 or x > 5.0 or a < 0.0 or a > 5.0:
        y = x * x
    else:
        y = x * a
    return y * y


def rebound(x):
    if 0.0 < x < 1.0:
        x = x * x
    else:
        x = x * x * x
    if x > 0.2 and x < 2.0:
        x = x * x
    return x


def carried(x, n):
    for _ in range(n):
        if 0.1 < x < 1.5 or x > 4.0:
            x = x * x + 0.1
        else:
            x = 0.5 * x
    return x


def of_calls(x):
    if math.exp(x) > 1.0 and x < 2.0:
        y = x * x
    else:
        y = x
    return y * y


def of_arrays(x):
    if x.shape[0] > 1 and (x > 0).all():
        y = x * x
    else:
        y = 2 * x
    return (y * y).sum()


def within(x, a):
    if a > 0 and (x < 1 if a > 3 else x < 0.2):
        y = x * x
    else:
        y = 2 * x
    return y * y


def used_twice(x, a):
    y = x
    if a < x < 2 * a:
        y = y * x
    z = a
    if a < x < 2 * a:
        z = z * x
    return y * z


def text(f, *args, wrt="x"):
    return ya.simplegrad(f, *args, wrt=wrt).source


def test_a_ladder_of_chains_stays_one():
    assert text(ladder, 0.7) == textwrap.dedent("""\
        def ladder_grad(x, seed=1.0):
            \"\"\"Value of ladder and its gradient with respect to x.\"\"\"
            if hasattr(x, "__len__"):
                raise ValueError("ladder_grad: made for a number x")

            # forward
            if 0.0 <= x < 0.5:
                y = x * x
            elif 0.5 <= x < 1.0:
                y = x * x * x
            else:
                y = 3.0 * x
            val = y * y

            # reverse
            # return y * y
            dy = 2 * seed * y
            if 0.0 <= x < 0.5:
                # y = x * x
                dx = 2 * dy * x
            elif 0.5 <= x < 1.0:
                # y = x * x * x
                dx = 3 * dy * (x * x)
            else:
                # y = 3.0 * x
                dx = 3 * dy

            return val, dx
        """)


def test_what_a_loop_can_ask_again_is_not_kept():
    made = text(walls, 0.7, 4)
    assert made.count("if 0 < i < n - 1:") == 2
    assert "saved.append((y, i))" in made


def test_the_operators_too():
    made = text(joined, 0.7, 1.0, True)
    assert made.count("if flag and x < a:") == 2
    assert made.count("elif x < 2 * a or a > 3.0:") == 2


def test_four_comparisons_get_a_name():
    made = text(of_four, 0.7, 1.0)
    assert made.count("x < 0.0 or x > 5.0 or a < 0.0 or a > 5.0") == 1
    assert made.count("if t1:") == 2


def test_what_may_be_more_than_a_comparison_gets_a_name():
    made = text(of_arrays, np.ones(3))
    assert made.count(".all()") == 1
    assert text(within, 0.7, 4.0).count("a > 0 and") == 1


def test_a_call_in_a_condition_is_made_once():
    assert text(of_calls, 0.7).count("math.exp(x)") == 1


@pytest.mark.parametrize("passes", ["all", "none", "-again", "-once"])
@pytest.mark.parametrize(
    ("f", "rest"),
    [
        (ladder, ()),
        (walls, (4,)),
        (walls, (0,)),
        (joined, (1.0, True)),
        (joined, (1.0, False)),
        (joined, (4.0, False)),
        (of_four, (1.0,)),
        (of_four, (6.0,)),
        (rebound, ()),
        (carried, (0,)),
        (carried, (6,)),
        (of_calls, ()),
        (within, (4.0,)),
        (within, (1.0,)),
        (used_twice, (1.1,)),
    ],
)
def test_gradients_are_right(f, rest, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for x in (-0.7, 0.13, 0.3, 0.7, 1.3, 1.9, 2.3, 4.9):
        value, g = ya.grad(f, x, *rest, wrt="x")
        h = 1e-6
        slope = (f(x + h, *rest) - f(x - h, *rest)) / (2 * h)
        assert value == f(x, *rest)
        assert g["x"] == pytest.approx(slope, rel=1e-6, abs=1e-8)
