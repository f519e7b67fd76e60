"""An adjoint that both arms of a branch hand on has one name: no arm holds a move
alone."""

import numpy as np

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
