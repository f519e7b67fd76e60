"""A function that is None on one way, and on another a value that is not followed."""

import pytest

import yota_ast as ya


def valued(p, q):
    value = None
    if q:
        value = eval("p") * q
    return value


def test_the_branch_taken_is_spoken_of():
    with pytest.raises(ya.UnsupportedCall, match="`eval` reads names of variables"):
        ya.grad(valued, 2.0, 3.0)


def test_none_is_spoken_of_where_it_is_the_value():
    with pytest.raises(ya.YotaError, match="returns NoneType, which has no gradient"):
        ya.grad(valued, 2.0, 0.0)
