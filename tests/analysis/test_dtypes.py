"""What surely holds floats, and what follows for derivatives."""

import numpy as np
import pytest

import yota_ast as ya


def stored_twice(x, n):
    """An array of floats in the first iteration, of whole numbers in the second."""
    a = np.zeros(3)
    total = 0.0
    for i in range(n):
        y = a * 1
        y[0] = x
        y[1] = x
        total = total + y[0] + 3.0 * y[1]
        if i > 0:
            a = y
        else:
            a = np.random.permutation(3)  # noqa: NPY002
    return total


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_what_a_loop_makes_whole_has_no_slope_from_there_on(n):
    slope = 4.0 if n else 0.0
    assert ya.grad(stored_twice, wrt="x")(0.5, n) == slope
    assert ya.jvp(stored_twice, wrt="x")(0.5, n, 1.0)[1] == slope
