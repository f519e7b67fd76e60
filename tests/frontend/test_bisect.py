"""`bisect` finds an index: no slope of its own, and what is taken there has one."""

import bisect
from bisect import bisect_left

import numpy as np
import pytest

import yota_ast as ya

AT = [0.0, 1.0, 2.5, 4.0]
VALUES = [1.0, 3.0, 2.0, 5.0]


def between(x):
    i = bisect_left(AT, x) - 1
    return VALUES[i] + (VALUES[i + 1] - VALUES[i]) * (x - AT[i]) / (AT[i + 1] - AT[i])


def of_knots(x, at):
    i = bisect.bisect(at, x, 1) - 1
    return x * (x - at[i]) ** 2


def of_named(x, at):
    i = bisect.bisect_left(at, x, hi=len(at))
    return at[i] * at[i - 1] * x


def by_key(x, at):
    return at[bisect.bisect_left(at, x, key=lambda v: v * v)] * x


def slope(f, *args):
    return (f(*(a + 1e-6 for a in args)) - f(*(a - 1e-6 for a in args))) / 2e-6


@pytest.mark.parametrize("f", [of_knots, of_named])
@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_knots_that_are_differentiated(f, kind):
    knots = kind(AT)
    value, g = ya.grad(f, 1.7, knots)
    assert value == f(1.7, knots)
    whole = g[0] + np.sum(g[1])
    np.testing.assert_allclose(whole, slope(f, 1.7, np.array(AT)), rtol=1e-6)
    assert type(g[1]) is type(knots)


def test_one_text_serves_every_place():
    dbetween = ya.simplegrad(between, 0.5)
    for x in (0.5, 1.7, 3.0):
        value, dx = dbetween(x)
        assert value == between(x)
        np.testing.assert_allclose(dx, slope(between, x), rtol=1e-6)


def test_a_key_is_refused():
    with pytest.raises(ya.YotaError, match="key"):
        ya.grad(by_key, 1.7, np.array(AT))
