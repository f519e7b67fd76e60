"""`is True`, and of which class a number is, where the text alone can tell."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


def compared(x):
    return x * (2 if (x > 0.5) is True else 3) * (5 if True is (x < 0.5) else 7)


def in_a_loop(x):
    done, t = False, x
    while done is False:
        t = t * 2
        done = t > 5
    return t


def matched(x):
    match x > 0.5:
        case True:
            return x
        case False:
            return x * x
    return 3 * x


def handed_on(x):
    def times(flag):
        return 2 if flag is True else 3

    return x * times(x > 0.5) * times(0 < x < 1) * times(x > 0.5 or x < 0.1)


def number_or_flag(x):
    k = 0
    if x > 0.5:
        k = True
    return x * (2 if k is True else 3)


def flag_of_a_loop(x):
    k = 1
    for t in (x, 2 * x, 3 * x):
        if t > 2:
            k = False
    return x * (2 if k is False else 3)


def given_back(x):
    def large(t):
        if t > 0.5:
            return True
        return t

    return x * (2 if large(x) is True else 3)


def complex_numbers(x):
    a = isinstance(x * 1j, complex)
    return x * (2 if a and isinstance(x + 0j, complex) else 3)


def flags_of_numpy(x):
    a = isinstance(np.isnan(x), np.bool_)
    return x * (2 if a and isinstance(np.float64(x) > 0, np.bool_) else 3)


PROGRAMS = [
    compared, in_a_loop, matched, handed_on, number_or_flag, flag_of_a_loop, given_back,
    complex_numbers, flags_of_numpy,
]  # fmt: skip


@pytest.mark.parametrize("fn", PROGRAMS)
@pytest.mark.parametrize("x", [0.7, 0.3, np.float64(0.7)])
def test_the_text_asks(fn, x):
    check(fn, x)
    val, dx = ya.simplegrad(fn)(x)
    assert val == fn(x)
    assert dx == pytest.approx((fn(x + 1e-6) - fn(x - 1e-6)) / 2e-6)


def test_a_flag_that_is_given():
    text = ya.simplegrad(lambda x, flag: x if flag is True else 3 * x, wrt="x")
    assert [text(2.0, flag)[1] for flag in (True, False, np.True_, 1)] == [1, 3, 3, 3]
