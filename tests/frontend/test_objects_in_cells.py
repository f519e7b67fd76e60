"""Objects that a closure holds: what their fields hold is part of the text."""

import math

import numpy as np

import yota_ast as ya


class Bumps:
    def __init__(self, count, scale):
        self.count, self.scale = count, scale

    def __call__(self, x):
        total = 418.9 * self.count
        for k in range(self.count):
            total -= x[k] * math.sin(x[k]) * self.scale
        return total * (self.scale / 3 + 1)


def closed_over(bumps):
    def f(x):
        return bumps(x)

    return f


def test_the_text_needs_no_name_of_the_closure():
    f = closed_over(Bumps(2, 1.5))
    x = np.array([1.0, 2.0])
    val, g = ya.grad(f, x)
    assert val == f(x)
    assert np.allclose(g[0], -(np.sin(x) + x * np.cos(x)) * 1.5**2)
    assert "bumps" not in g.source.replace("# return bumps(x)", "")


def test_another_object_has_another_text():
    x = np.array([1.0, 2.0])
    one = ya.grad(closed_over(Bumps(2, 1.5)), x)[1][0]
    other = ya.grad(closed_over(Bumps(1, 3.0)), x)[1][0]
    assert np.all(one != 0)
    assert other[1] == 0


def test_a_changed_field_has_another_text():
    bumps = Bumps(2, 3.0)
    f = closed_over(bumps)
    x = np.array([1.0, 2.0])
    one = ya.grad(f, x)[1][0]
    bumps.scale = 6.0
    val, g = ya.grad(f, x)
    assert val == f(x)
    assert np.allclose(g[0], one * 2 * 3 / 2)
