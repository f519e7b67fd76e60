"""`y.put(i, e)` of one place, of what may be a number or an array."""

import numpy as np
import pytest

import yota_ast as ya


def one_place(x):
    u = np.zeros(3)
    u.put(0, x * x)
    np.put(u, -1, x)
    return u[0] + 2 * u[2]


@pytest.mark.parametrize("x", [0.7, np.array([0.7, 1.3])])
def test_the_first_is_taken(x):
    val, dx = ya.simplegrad(one_place)(x)
    first = np.ravel(x)[0]
    assert val == first * first + 2 * first
    assert np.ravel(dx)[0] == pytest.approx(2 * first + 2)
    assert not np.ravel(dx)[1:].any()
