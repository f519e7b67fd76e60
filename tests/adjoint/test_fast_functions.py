"""Functions that NumPy computes slowly, in fast text written in others."""

import warnings

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.adjoint.fast import cheaper_functions

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


def waves(x, y):
    return np.sum(np.sin(x) * y) + np.sum(np.exp(np.cos(x)))


def waves_in_blocks(x, y, n):
    for k in range(n):
        if k % 2:
            y = y + np.sin(x)
        x = x * 1.5 + np.cos(x) * y
    return np.sum(x)


def waves_written_over(x, y):
    u = x * y
    c = np.cos(u)
    u += c
    u[1:] *= np.sin(u[1:])
    return np.sum(np.sin(u) * c)


def keeps_waves(source):
    """Whether a text has sines or cosines, but for its comments."""
    lines = [line.partition("#")[0] for line in source.splitlines()]
    return any(name in line for line in lines for name in ("np.sin(", "np.cos("))


MANY = np.linspace(-7.0, 9.0, cheaper_functions.FEWEST + 1)


@pytest.mark.parametrize("fn", [waves, waves_in_blocks, waves_written_over])
def test_waves_are_of_tangents(fn):
    more = (2,) if fn is waves_in_blocks else ()
    made = ya.simplegrad(fn, MANY, MANY[::-1], *more, fast=True)
    readable = ya.simplegrad(fn, MANY, MANY[::-1], *more)
    assert not keeps_waves(made.source)
    for trips in (0, 3) if more else ((),):
        for length in (0, 1, 50):
            x, y = np.linspace(-1e3, 2e3, length), np.linspace(0, 1, length)
            args = (x, y, trips) if more else (x, y)
            for one, other in zip(readable(*args), made(*args), strict=True):
                np.testing.assert_allclose(other, one, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("fn", [np.sin, np.cos])
def test_waves_of_odd_numbers(fn):
    def wave(x):
        return fn(x)

    made = ya.simplegrad(wave, MANY, fast=True)
    turns = np.pi * np.array([0.5, 1.0, 1.5, 1e5, 1e-9, 1e15, 1e200])
    x = np.concatenate((turns, -turns, ODD, [5e-324, 1.7e308]))
    with np.errstate(invalid="ignore"):
        found, wanted = made.fn(x, np.ones_like(x))[0], fn(x)

    np.testing.assert_allclose(found, wanted, rtol=0, atol=5e-16)
    assert np.signbit(found[x == 0]).tolist() == np.signbit(fn(x[x == 0])).tolist()


def test_waves_of_short_or_single_arrays_stay():
    few = ya.simplegrad(waves, X, X, fast=True)
    single = ya.simplegrad(waves, MANY.astype("f4"), MANY.astype("f4"), fast=True)
    assert keeps_waves(few.source)
    assert keeps_waves(single.source)
