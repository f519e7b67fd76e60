"""Functions that NumPy computes slowly, in fast text written in others."""

import warnings

import numpy as np
import pytest

import yota_ast as ya

from .test_fast import compare

X = np.linspace(-3.0, 3.0, 7)
ODD = np.array([1.0, 0.0, -0.0, 800.0, -800.0, np.inf, -np.inf, np.nan, 1e-300])


def softplus(x):
    return np.sum(np.logaddexp(0.0, x) * x)


def of_another_number(x, y):
    return np.sum(np.logaddexp(x * y, 2.5) * y)


def in_a_loop(x, n):
    for _ in range(n):
        x = np.logaddexp(x, 0)
    return np.sum(x)


def of_two_arrays(x, y):
    return np.sum(np.logaddexp(x, y))


def of_infinity(x):
    return np.sum(np.logaddexp(-np.inf, x))


def of_argument(x, c):
    return np.sum(np.logaddexp(c, x))


def fires(source):
    """Whether the pass has changed a text."""
    return "log1p" in source


@pytest.mark.parametrize(
    ("fn", "args"),
    [(softplus, (X,)), (of_another_number, (X, X + 1)), (in_a_loop, (X, 3))],
)
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
def test_softplus_is_written_out(fn, args, dtype):
    given = tuple(
        a.astype(dtype) if isinstance(a, np.ndarray) else a for a in args
    )  # fmt: skip
    readable, fast = ya.simplegrad(fn, *given), ya.simplegrad(fn, *given, fast=True)
    assert fires(fast.source)
    near = {2: 5e-3, 4: 1e-5}.get(given[0].dtype.itemsize, 1e-12)
    for one, other in zip(readable(*given), fast(*given), strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_allclose(other, one, rtol=near)


@pytest.mark.parametrize(
    ("fn", "args"),
    [(of_two_arrays, (X, X)), (of_infinity, (X,)), (of_argument, (X, 0.0))],
)
def test_of_others_it_stays(fn, args):
    assert not fires(compare(fn, args, {}).source)


def test_it_can_be_switched_off(monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-fast-functions")
    assert not fires(compare(softplus, (X,), {}).source)


@pytest.mark.parametrize(
    "x", [ODD, ODD[:0], ODD[::-2], ODD.astype("f4"), ODD.astype(">f8")]
)
def test_numbers_at_the_ends_of_the_line(x):
    readable, fast = ya.simplegrad(softplus, X), ya.simplegrad(softplus, X, fast=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for one, other in zip(readable(x), fast(x), strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-6)


@pytest.mark.parametrize("x", [np.arange(3), np.arange(3, dtype="u1"), 1.0, [1.0]])
def test_what_is_no_array_of_floats_is_refused(x):
    fast = ya.simplegrad(softplus, X, fast=True)
    with pytest.raises(ValueError, match="made for x"):
        fast(x)
