"""What the forward sweep of a function saves, and what is written afterwards."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


def shaped(x, n):
    """The reverse reads the array that is returned for its shape alone."""
    if n > 0:
        x = shaped(x * x, n - 1)
    return np.squeeze(np.asarray(x * 3.0, np.float64))


def writes_the_result(x):
    y = shaped(x, 2)
    y -= 1.0
    y *= 2.0
    return np.sum(y * y)


def powers(x, n):
    """The reverse reads the array that is given."""
    if n == 0:
        return np.cos(x)
    return powers(x, n - 1) * x


def writes_another_result(x):
    y = powers(x, 2)
    y *= 2.0
    return np.sum(y * x)


def writes_what_was_given(x):
    z = x * 1.0
    y = powers(z, 2)
    z *= 2.0
    return np.sum(y * z)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", [writes_the_result, writes_another_result])
def test_what_the_reverse_does_not_read_may_be_written(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (np.array([0.4, 0.6, 0.9]),))


@pytest.mark.parametrize("passes", ["all", "none"])
def test_what_was_given_and_is_read_is_kept_or_refused(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x = np.array([0.4, 0.6, 0.9])
    try:
        ya.grad(writes_what_was_given, x)
    except ya.UnsupportedSyntax as refusal:
        assert "is written after the call" in str(refusal)
    else:
        check(writes_what_was_given, (x,))
