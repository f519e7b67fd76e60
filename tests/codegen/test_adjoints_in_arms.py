"""An adjoint that both arms of a branch hand on has one name: no arm holds a move
alone."""

import numpy as np
import pytest

import yota_ast as ya


def thomas(a, b, c, d):
    n = len(d)
    cp, dp = c.copy(), d.copy()
    cp[0] /= b[0]
    dp[0] /= b[0]
    for i in range(1, n):
        m = b[i] - a[i - 1] * cp[i - 1]
        if i < n - 1:
            cp[i] /= m
        dp[i] = (dp[i] - a[i - 1] * dp[i - 1]) / m
    x = np.zeros(n)
    x[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return np.sum(x**2)


def test_the_solver_of_tridiagonal_systems():
    rng = np.random.default_rng(0)
    args = rng.random(4), rng.random(5) + 4, rng.random(5), rng.random(5)
    text = ya.grad(thomas, *args)[1].source
    assert "else:" not in text.partition("# reverse")[2]
    assert ya.gradcheck(thomas, *args)


def test_the_general_text_stands_alone():
    """It called `copy`, which it did not import."""
    space = {}
    text = ya.simplegrad(thomas).source
    exec(text, space)
    rng = np.random.default_rng(0)
    args = rng.random(4), rng.random(5) + 4, rng.random(5), rng.random(5)
    _, *found = space["thomas_grad"](*args)
    assert "copy.copy(" in text
    for k, d in enumerate(found):
        np.testing.assert_allclose(d, ya.grad(thomas, *args)[1][k], rtol=1e-12)


def odd(x, n):
    y = x
    for i in range(n):
        if i % 2:
            y = y * x
    return y


def ladder(xs, low, high):
    total = 1.0
    for x in xs:
        if low <= x < high:
            total = total * x
        elif x > 2.0:
            total = total * total * x
        else:
            total = total / x
    return total


def swapped(x, n):
    a, b = x, x * x
    for i in range(n):
        if i % 3 == 1:
            a, b = b * x, a
        elif a > 0.5:
            b = b * a
    return a * b


def test_an_arm_hands_on_last_what_it_reads():
    """`dy_2 = dy * x` stood first, so that `dy` was still read and `dy = dy_2` had to
    follow the branch."""
    text = ya.simplegrad(odd, 0.7, 4).source
    body = """\
    for y_in, i in saved[::-1]:
        if i % 2:
            # y = y * x
            dx += dy * y_in
            dy = dy * x

    dx += dy
"""
    assert body in text


def test_the_arms_of_a_ladder():
    text = ya.simplegrad(ladder, np.array([0.4, 1.4, 2.5]), 0.5, 1.5, wrt="xs").source
    assert "dtotal_2" not in text


@pytest.mark.parametrize("passes", ["all", "none"])
def test_gradients_of_what_arms_hand_on(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for n in (0, 1, 4, 5):
        assert ya.gradcheck(odd, 0.7, n)
        assert ya.gradcheck(swapped, 0.7, n)
    for xs in ([0.4, 1.4, 2.5, 1.1], [2.5, 0.3], []):
        assert ya.gradcheck(ladder, np.array(xs), 0.5, 1.5)
