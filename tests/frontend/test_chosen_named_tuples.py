"""Methods of named tuples that are items of a list, or one of several."""

from typing import NamedTuple

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

X = np.array([0.3, 0.5, 0.2, 0.4])


class Bond(NamedTuple):
    coupon: float
    years: int

    @property
    def doubled(self):
        return 2.0 * self.coupon

    def price(self, y):
        return sum(self.coupon / (1 + y) ** k for k in range(1, self.years + 1))


class Line(NamedTuple):
    slope: float
    start: float

    def at(self, x):
        return self.slope * x + self.start


def in_order(x):
    bonds = sorted([Bond(x[0], 3), Bond(x[1], 2)], key=lambda b: b.price(0.3))
    return sum(b.price(x[3]) * k for b, k in zip(bonds, (1.0, 2.0))) + bonds[0].doubled


def the_greatest(x):
    return max(Bond(x[0], 3), Bond(x[1], 2), key=lambda b: b.price(0.3)).price(x[2])


def with_another_field(x):
    bonds = [Bond(x[0], 3), Bond(x[1], 2)]
    bonds.sort(key=lambda b: b.price(0.3))
    return bonds[-1]._replace(coupon=x[2]).price(x[3]) * bonds[0]._asdict()["coupon"]


def of_a_list(x):
    return sum(line.at(x[0]) for line in [Line(v, v * v) for v in x])


def one_of_two(x):
    line = Line(x[0], x[1])
    if x[2] > 0.1:
        line = Line(x[1], x[2])
    return line.at(2.0) * line.slope


def one_after_another(x):
    line = Line(x[0], x[1])
    for v in x:
        line = Line(line.at(v), line.start * 0.5)
    return line.at(2.0) * line.slope


@pytest.mark.parametrize(
    "fn",
    [in_order, the_greatest, with_another_field, of_a_list, one_of_two,
     one_after_another],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_methods(fn):
    for x in (X, X[::-1].copy()):
        check(fn, x)
        assert ya.gradcheck(fn, x)
        _, g = ya.grad(fn, x)
        np.testing.assert_allclose(ya.jvp(fn)(x, X)[1], g["x"] @ X, rtol=1e-12)
