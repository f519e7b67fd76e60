"""Functions that are no part of the text's main one take lists of any length: the
adjoints of their items come back."""

import numpy as np
import pytest

import yota_ast as ya

K = np.array([0.5, 0.8])


@pytest.fixture(autouse=True, params=["none", "all"])
def _passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


def power(x, factors, n):
    if n < 1:
        return x
    return power(x * factors[0] + factors[1] * factors[1], factors, n - 1)


def of_a_list(x, k):
    factors = [0.0] * len(k)
    for i in range(len(k)):
        factors[i] = k[i] * k[i]
    return power(x, factors, 3)


def of_one_that_is_written_later(x, k):
    factors = [v * v for v in k]
    y = power(x, factors, 3) + power(x * x, factors, 2)
    for i in range(len(k)):
        factors[i] = y * k[i]
    return factors[0] * factors[1]


def within(x, rows, n):
    if n < 1:
        return x
    return within(x * rows[0][1] + rows[1][0], rows, n - 1)


def of_lists_within_one(x, k):
    rows = [[v * v, k[0]] for v in k]
    return within(x, rows, 3)


def through(x, matrices, n):
    if n < 1:
        return x
    return through(matrices[0] @ x + matrices[1][0], matrices, n - 1)


def of_arrays(x, k):
    matrices = [np.outer(k, k) * x * v for v in k]
    return np.sum(through(1.0 * k, matrices, 3))


def scaled(x, factors, n):
    if n < 1:
        return x, factors
    return scaled(x * factors[0], [f * x for f in factors], n - 1)


def that_gives_a_list(x, k):
    y, factors = scaled(x, [v * v for v in k], 3)
    return y + factors[1]


def rarely(x, factors, n):
    if n < 1:
        return x
    if x > 100.0:
        return x * factors[0]
    return rarely(x * 1.5, factors, n - 1)


def of_one_that_no_way_reaches(x, k):
    factors = [v * v for v in k]
    return rarely(x, factors, 4) * factors[1]


PROGRAMS = [
    of_a_list, of_one_that_is_written_later, of_lists_within_one, of_arrays,
    that_gives_a_list, of_one_that_no_way_reaches,
]  # fmt: skip


@pytest.mark.part(2)
@pytest.mark.parametrize("f", PROGRAMS)
def test_lists_given_to_a_function_that_calls_itself(f):
    assert ya.grad(f, 0.7, K)[0] == f(0.7, K)
    assert ya.gradcheck(f, 0.7, K)
    assert ya.gradcheck(f, 90.0, K)
