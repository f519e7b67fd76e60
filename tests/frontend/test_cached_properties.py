"""Cached properties of objects that are made inside: what was kept, or refused."""

from functools import cached_property, lru_cache

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


class Fluid:
    def __init__(self, t, x):
        self.t = t
        self.x = x

    @cached_property
    def density(self):
        return self.t**3 + self.x.sum()

    @cached_property
    def weight(self):
        return 2.0 * self.density

    @lru_cache  # noqa: B019
    def scaled(self, by):
        return self.t * by


def in_a_loop(b, c):
    fluid, y = Fluid(b, np.array([b, c])), np.zeros(3)
    for k in range(3):
        y[k] = fluid.weight * k + fluid.density + fluid.scaled(2.0)
    return y.sum()


def made_in_a_loop(b, c):
    total = 0.0
    for k in range(3):
        fluid = Fluid(b * k, np.array([b, c]))
        total += fluid.weight * fluid.density
    return total


def in_one_arm(b, c):
    fluid = Fluid(b, np.array([b, c]))
    x = fluid.density if b > 0.5 else 1.0
    return x * fluid.density


def assigned(b, c):
    fluid = Fluid(b, np.array([b, c]))
    fluid.t = c
    fluid.density = b
    return fluid.weight


@pytest.mark.parametrize("fn", [in_a_loop, made_in_a_loop, in_one_arm, assigned])
@pytest.mark.parametrize("args", [(0.3, 0.9), (0.9, 2.0)])
def test_what_holds_the_same_is_computed_again(fn, args):
    check(fn, *args)


def changed(b, c):
    fluid = Fluid(b, np.array([b, c]))
    x = fluid.weight
    fluid.t = c
    return x * fluid.weight


def written(b, c):
    fluid = Fluid(b, np.array([b, c]))
    x = fluid.weight
    fluid.x[0] = c
    return x * fluid.density


def changed_at_the_end(b, c):
    fluid, total = Fluid(b, np.array([b, c])), 0.0
    for _ in range(3):
        total += fluid.weight
        fluid.t = fluid.t * c
    return total


def changed_at_the_head(b, c):
    fluid, total = Fluid(b, np.array([b, c])), 0.0
    for _ in range(3):
        fluid.t = fluid.t * c
        total += fluid.weight
    return total


def of_a_cached_method(b, c):
    fluid = Fluid(b, np.array([b, c]))
    x = fluid.scaled(2.0)
    fluid.t = c
    return x * fluid.scaled(2.0)


@pytest.mark.parametrize(
    "fn",
    [changed, written, changed_at_the_end, changed_at_the_head, of_a_cached_method],
)
def test_what_would_be_another_value_is_refused(fn):
    with pytest.raises(ya.UnsupportedCall, match="the value that is cached for"):
        ya.grad(fn, 0.9, 2.0)
