"""Parts of the adjoint of a list are lists, whatever shapes its items have."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.4, 1.3, 0.7])


def joined_of_parts(x, n):
    given = [x, x[None], x * x]
    ahead, behind = list(given[:n]), list(given[n:])
    ahead.append(x)
    joined = ahead + behind
    total = 0.0
    for k in range(n):
        for j, a in enumerate([b.ravel() * k for b in joined]):
            if j != k:
                total += np.sum(np.sin(a) * joined[0])
    return total


@pytest.mark.parametrize("n", [0, 1, 3])
def test_right(n):
    made = ya.simplegrad(joined_of_parts, X, 2, wrt="x")
    value, dx = made(X, n)
    assert value == joined_of_parts(X, n)
    for d in np.eye(3):
        near = joined_of_parts(X + 1e-6 * d, n) - joined_of_parts(X - 1e-6 * d, n)
        assert dx @ d == pytest.approx(near / 2e-6, abs=1e-7)
