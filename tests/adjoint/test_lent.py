"""What the forward sweep of a function saves, and what is written afterwards."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


def shaped(x, n):
    """The reverse reads the array that is returned for its shape alone."""
    if n <= 0:
        return np.squeeze(np.asarray(x * 3.0, np.float64))
    return shaped(x * x, n - 1)


def writes_the_result(x, n):
    y = shaped(x, n)
    y -= 1.0
    y *= 2.0
    return np.sum(y * y)


def powers(x, n):
    """The reverse reads the array that is given, and none that is returned."""
    x = np.asarray(x, np.float64)
    if n <= 0:
        return np.cos(x)
    return powers(x, n - 1) * x


def writes_another_result(x, n):
    y = powers(x, n)
    y *= 2.0
    return np.sum(y * x)


def writes_what_was_given(x, n):
    z = x * 1.0
    y = powers(z, n)
    z *= 2.0
    return np.sum(y * z)


def exponential(x, n):
    """The reverse reads the array that is returned."""
    if n <= 0:
        return np.exp(x)
    return exponential(x * 0.5, n - 1)


def writes_a_result_that_is_read(x, n):
    y = exponential(x, n)
    y *= y
    return np.sum(y)


ALL = (
    writes_the_result, writes_another_result, writes_what_was_given,
    writes_a_result_that_is_read,
)  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", ALL)
def test_what_calls_were_given_or_gave_may_be_written(fn, passes, monkeypatch):
    """Where the reverse reads it, the function is followed to its end instead."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (np.array([0.4, 0.6, 0.9]), 2))


@pytest.mark.parametrize("fn", ALL)
def test_functions_are_kept_apart_where_nothing_that_is_read_is_written(fn):
    source = ya.simplegrad(fn, np.array([0.4, 0.6, 0.9]), 2).source
    assert ("_reverse(" in source) is (fn in ALL[:3])
