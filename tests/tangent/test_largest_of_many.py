"""The largest and the smallest of three and more numbers, or of a list, in forward mode
and at second order."""

import numpy as np
import pytest

import yota_ast as ya

A = [0.3, 1.2, 0.7, 0.4]
ALONG = [0.5, -1.0, 0.25, 2.0]


def of_three(a, b, c, d):
    return max(a, b, c) ** 2 * a + d


def of_four(a, b, c, d):
    return max(a, b, c, d) ** 2 * min(a, b, c * c, d)


def beside_constants(a, b, c, d):
    return max(a, 0.2, b, c, 0.5) ** 2 * min(a, 0.5, c * c, d) * b


def in_a_loop(a, b, c, d):
    total = 0.0
    for k in range(3):
        total += max(a * k, b, c, total) ** 2 * d
    return total


def in_an_arm(a, b, c, d):
    top = max(a, b, c, d) ** 3 if a < b else min(a, b, c, d)
    return top * a


def largest(*numbers):
    return max(*numbers)


def in_a_helper(a, b, c, d):
    return largest(a, b * b, c, d) ** 2


def of_a_list(a, b, c, d):
    items = []
    for v in (a, b, c, d):
        items.append(v * v)  # noqa: PERF401
    items[0] = a * b
    return max(items) ** 2 * min(items)


def of_arrays_items(a, b, c, d):
    x = np.array([a, b])
    return max(x[0], x[1], c, d) ** 2 * x[0]


FUNCTIONS = [of_three, of_four, beside_constants, in_a_loop, in_an_arm, in_a_helper,
             of_a_list, of_arrays_items]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS)
def test_along_a_direction(f):
    ends = [f(*np.add(A, h * np.array(ALONG)).tolist()) for h in (1e-6, -1e-6)]
    _, found = ya.jvp(f)(*A, *ALONG)
    assert found == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("name", ["a", "b"])
def test_second_order(f, name):
    df = ya.simplegrad(f, *A, wrt=name)
    place = "abcd".index(name)
    ends = []
    for h in (1e-6, -1e-6):
        at = list(A)
        at[place] += h
        ends.append(df(*at)[1])
    x, *rest = A
    found = ya.hvp(f, wrt=name)(x, 1.0, *rest)
    assert found == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-8)


def test_the_first_of_equals_is_picked():
    _, found = ya.jvp(of_three)(1.0, 1.0, 1.0, 0.0, 0.0, 5.0, 7.0, 0.0)
    assert found == 0
