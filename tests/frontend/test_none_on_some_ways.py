"""Functions that give a value on some ways and None on others."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

NO_VALUE = "the value is None here, which has no gradient"


def drag(speed, size):
    reynolds = speed * size
    if reynolds < 1.0:
        return 24.0 / reynolds
    elif reynolds < 1000.0:  # noqa: RET505
        return 18.5 / reynolds**0.6


def by_number(b, c):
    n = int(b * 3)
    if n == 1:
        return b * b
    if n == 2:
        return c * b


def first_below(b, c):
    for v in (c, b, 0.1 * c):
        if v < 1.0:
            return v * b


def filled_until(b, c):
    x = np.zeros(3)
    for i in range(3):
        x[i] = b * i
        if x[i] > 1.5:
            return x.sum() * c


def guarded(b, c):
    if c < 0.0:
        return None
    while True:
        b *= 1.5
        if b > c:
            return b * b


def bare_return(b, c):
    if b < 0.0:
        return  # noqa: RET502
    return b * c


def matched(b, c):
    match int(c):
        case 0 | 1:
            return b
        case n if n < 5:
            return b**n


GIVEN = [
    (drag, (0.3, 0.2)), (drag, (30.0, 0.2)), (by_number, (0.4, 2.0)),
    (by_number, (0.9, 2.0)), (first_below, (0.9, 2.0)), (filled_until, (0.9, 2.0)),
    (guarded, (0.9, 2.0)), (bare_return, (0.9, 2.0)), (matched, (0.9, 2.5)),
]  # fmt: skip


@pytest.mark.parametrize(("fn", "args"), GIVEN)
def test_the_gradient_where_there_is_a_value(fn, args):
    check(fn, *args)


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (drag, (3e5, 0.2)), (by_number, (3.0, 2.0)), (first_below, (1.5, 20.0)),
        (filled_until, (0.2, 2.0)), (guarded, (0.9, -2.0)), (bare_return, (-0.9, 2.0)),
        (matched, (0.9, 7.5)),
    ],
)  # fmt: skip
def test_an_error_where_there_is_none(fn, args):
    assert fn(*args) is None
    with pytest.raises(ValueError, match=f"{fn.__name__}: {NO_VALUE}"):
        ya.grad(fn, *args)


def used_by_another(b, c):
    found = first_below(b, c)
    return b * c if found is None else found * c


@pytest.mark.parametrize("args", [(0.9, 2.0), (1.5, 20.0)])
def test_none_of_a_function_that_is_called_is_a_value(args):
    check(used_by_another, *args)


def catches(b, c):
    try:
        if c > 3.0:
            return None
        return b * c
    except ValueError:
        return c


def test_none_in_a_try_is_no_error_that_its_handler_gets():
    with pytest.raises(ya.YotaError, match="has no gradient"):
        ya.grad(catches, 0.9, 5.0)


def never_a_value(b):
    b * 2.0


def test_none_on_all_ways():
    with pytest.raises(ya.YotaError, match="has no gradient"):
        ya.grad(never_a_value, 0.9)
