"""What is cached, of objects that are made inside and functions: what was kept, or
refused."""

import copy
from functools import cache, cached_property, lru_cache

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

    @cached_property
    def parts(self):
        return [self.t]

    @cached_property
    def twice(self):
        return 2 * self.x

    @lru_cache  # noqa: B019
    def scaled(self, by):
        return self.t * by


class Denser(Fluid):
    @cached_property
    def weight(self):
        return super().weight * 3

    def of_the_base(self):
        return super().weight


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


def of_a_cached_method(b, c):
    fluid = Fluid(b, np.array([b, c]))
    x = fluid.scaled(2.0)
    fluid.t = c
    return x * fluid.scaled(2.0) + fluid.scaled(3.0)


def appended(b, c):
    fluid = Fluid(b, np.array([b, c]))
    fluid.parts.append(c)
    return sum(fluid.parts) + (b if fluid.parts is fluid.parts else c)


def written_into(b, c):
    fluid = Fluid(b, np.array([b, c]))
    fluid.twice[0] = c
    return fluid.twice.sum()


def appended_in_one_arm(b, c):
    fluid = Fluid(b, np.array([b, c]))
    if b > 0.5:
        fluid.parts.append(c)
        b += sum(fluid.parts)
    return b


def appended_in_a_loop(b, c):
    fluid = Fluid(b, np.array([b, c]))
    fluid.parts.append(c)
    for _ in range(30):
        b += sum(fluid.parts)
    return b


def copied(b, c):
    fluid = Fluid(b, np.array([b, c]))
    fluid.parts.append(fluid.weight)
    shallow, deep = copy.copy(fluid), copy.deepcopy(fluid)
    shallow.t = deep.t = c
    shallow.parts.append(c)
    deep.parts.append(7 * c)
    return sum(fluid.parts) * shallow.weight + sum(deep.parts)


@lru_cache
def kept_for(x):
    return Fluid(x, np.array([x, x]))


def of_a_function(b, c):
    return kept_for(b).density * (b if kept_for(b) is kept_for(b) else c)


def of_the_base(b, c):
    fluid = Denser(b, np.array([b, c]))
    return fluid.weight + 7 * fluid.of_the_base()


@pytest.mark.parametrize(
    "fn",
    [
        changed, written, of_a_cached_method, appended, written_into, copied,
        appended_in_one_arm, appended_in_a_loop, of_a_function, of_the_base,
    ],
)  # fmt: skip
def test_what_is_cached_stays_what_it_is(fn):
    check(fn, 0.9, 2.0)


def changed_at_the_end(b, c):
    fluid, total = Fluid(b, np.array([b, c])), 0.0
    for _ in range(30):
        total += fluid.weight
        fluid.t = fluid.t * c
    return total


def changed_at_the_head(b, c):
    fluid, total = Fluid(b, np.array([b, c])), 0.0
    for _ in range(30):
        fluid.t = fluid.t * c
        total += fluid.weight
    return total


def changed_after_an_arm(b, c):
    fluid = Fluid(b, np.array([b, c]))
    if b > 0.5:
        b += fluid.weight
    fluid.t = c
    return b * fluid.weight


def appended_before_the_end_of_an_arm(b, c):
    fluid = Fluid(b, np.array([b, c]))
    if b > 0.5:
        fluid.parts.append(c)
    return sum(fluid.parts)


def written_into_in_a_loop(b, c):
    fluid, total = Fluid(b, np.array([b, c])), 0.0
    for _ in range(30):
        fluid.twice[0] += c
        total += fluid.twice[0]
    return total


def copied_after_an_arm(b, c):
    fluid = Fluid(b, np.array([b, c]))
    if b > 0.5:
        b += fluid.weight
    other = copy.copy(fluid)
    other.t = c
    return b * other.weight


def of_what_may_be_the_same(b, c):
    kept_for(b).t = 3.0
    return kept_for(c).density


@pytest.mark.parametrize(
    "fn",
    [
        changed_at_the_end, changed_at_the_head, changed_after_an_arm,
        appended_before_the_end_of_an_arm, written_into_in_a_loop,
        copied_after_an_arm, of_what_may_be_the_same,
    ],
)  # fmt: skip
def test_what_would_be_another_value_is_refused(fn):
    with pytest.raises(ya.UnsupportedCall, match=r"the value of `.*` was cached"):
        ya.grad(fn, 0.9, 2.0)


FACTOR = [2.0]


@lru_cache
def factor():
    return FACTOR[0] * 3


@lru_cache
def table(n):
    return [1.0] * n


@lru_cache
def told(n):
    print("told", n)
    return n * FACTOR[0]


def test_what_prints_is_not_run_while_a_text_is_made(capsys):
    def scaled(x):
        return told(3.0) * x

    scaled(0.5)
    capsys.readouterr()
    text = ya.simplegrad(scaled)
    assert capsys.readouterr().out == ""
    assert text(0.5)[1] == told(3.0)


def test_what_functions_have_kept_from_before():
    def scaled(x):
        return factor() * sum(table(3)) * x

    factor.cache_clear()
    table.cache_clear()
    check(scaled, 0.5)
    assert scaled(0.5) == 9.0
    check(scaled, 0.5)
    FACTOR[0] = 5.0
    with pytest.raises(
        ya.UnsupportedCall, match="differs from the value that `factor` returns now"
    ):
        ya.simplegrad(scaled)
    factor.cache_clear()
    check(scaled, 0.5)
    table(3).append(4.0)
    with pytest.raises(
        ya.UnsupportedCall, match="differs from the value that `table` returns now"
    ):
        ya.simplegrad(scaled)


class Moments:
    def __init__(self, x):
        self.x, self.k = x, 2.0
        self.moment.cache_clear()

    @cache  # noqa: B019
    def moment(self, n):
        return self.k * self.x**n

    @cached_property
    def mean(self):
        return self.k * self.x

    def set(self, k):
        self.k = k
        self.moment.cache_clear()
        self.__dict__.pop("mean", None)


def forgotten(x):
    moments = Moments(x)
    before = moments.moment(3)
    moments.set(x)
    return before + moments.moment(3)


def property_forgotten(x):
    moments = Moments(x)
    before = moments.mean
    moments.set(x)
    return before + moments.mean * moments.mean


def forgotten_in_a_loop(x):
    moments, total = Moments(x), 0.0
    for k in range(3):
        moments.set(x * k)
        total += moments.moment(2)
    return total


def forgotten_in_a_branch(x):
    moments = Moments(x)
    before = moments.moment(3)
    if x > 1:
        moments.set(x)
    return before + moments.moment(3)


@pytest.mark.parametrize("f", [forgotten, property_forgotten, forgotten_in_a_loop])
def test_what_is_kept_may_be_forgotten(f):
    assert ya.grad(f, 1.3)[0] == f(1.3)
    assert ya.gradcheck(f, 1.3)


def property_forgotten_in_a_branch(x):
    moments = Moments(x)
    before = moments.mean
    if x > 1:
        moments.k = x
        moments.__dict__.pop("mean", None)
    return before + moments.mean


@pytest.mark.parametrize("f", [forgotten_in_a_branch, property_forgotten_in_a_branch])
def test_what_is_forgotten_in_a_branch_is_refused(f):
    with pytest.raises(ya.UnsupportedCall, match=r"`cache_clear` is called|`__dict__`"):
        ya.grad(f, 1.3)
