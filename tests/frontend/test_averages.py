"""The functions of `statistics`: the values of Python, to the last bit."""

import statistics
from statistics import mean, stdev

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedCall

from .checking import check

V = np.array([0.1, 1.2, -0.5, 2.0])


def of_numbers(v):
    xs = [v[0] * v[1], 0.1, v[2]]
    return mean(xs) * stdev(xs) + statistics.pvariance(xs)


def of_a_list(v):
    xs = [float(t) ** 3 for t in v]
    return statistics.fmean(xs) / statistics.pstdev(xs) + statistics.variance(xs)


def of_an_array(v):
    w = v * v[0]
    return float(mean(w) + stdev(w) * statistics.fmean(w) + statistics.variance(w))


def in_a_loop(v):
    total, xs = 0.0, []
    for t in v:
        xs.append(t * total + t)
        total += mean(xs)
    return total


def of_one_value(v):
    x = v[0]
    return statistics.pstdev([x, x, x]) + x


@pytest.mark.parametrize("fn", [of_numbers, of_a_list, of_an_array, in_a_loop])
def test_they_have_slopes(fn):
    check(fn, V)


def test_where_all_are_alike_the_deviation_has_none():
    _, slopes = ya.grad(of_one_value, V)
    assert slopes["v"].tolist() == [1.0, 0.0, 0.0, 0.0]


def test_of_a_mean_that_is_given_they_have_none():
    def about(v):
        return statistics.variance(v.tolist(), v[0])

    with pytest.raises(UnsupportedCall):
        ya.grad(about, V)
