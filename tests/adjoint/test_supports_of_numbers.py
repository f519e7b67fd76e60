"""A mask that is a bool of Python's -> it follows the cotangent of a number."""

import numpy as np
import pytest

import yota_ast as ya


def by_item(a):
    for _ in range(3):
        a /= np.minimum(a, 0.2)
    return a


def by_reshape(a):
    for _ in range(2):
        a = (np.where(a < 0.2, a * a, a)).reshape(-1)[0] * a
    return a


def by_squeeze(a):
    for _ in range(2):
        a = a / np.squeeze(np.where(a == 0.3, a, np.sqrt(np.abs(a))))
    return a


def by_ravel(a):
    for _ in range(2):
        a = a / np.where(a < 0.2, a, np.sqrt(a)).ravel()[-1]
    return a


@pytest.mark.parametrize("f", [by_item, by_reshape, by_squeeze, by_ravel])
@pytest.mark.parametrize("a", [0.187, 0.44, np.float64(0.187)])
def test_second_derivatives_of_numbers_that_masks_choose(f, a):
    def outer(t):
        val, d = ya.value_and_grad(f)(t)
        return 0.5 * val + d * d

    def at(t):
        val, g = ya.grad(f, t)
        return 0.5 * val + g[0] ** 2

    value, g = ya.grad(outer, a)
    assert value == at(a)
    slope = (at(a + 1e-6) - at(a - 1e-6)) / 2e-6
    np.testing.assert_allclose(g[0], slope, rtol=1e-5, atol=1e-6)
    h = ya.hvp(f)(a, 1.0)
    first = (ya.grad(f, a + 1e-6)[1][0] - ya.grad(f, a - 1e-6)[1][0]) / 2e-6
    np.testing.assert_allclose(h, first, rtol=1e-5, atol=1e-6)
