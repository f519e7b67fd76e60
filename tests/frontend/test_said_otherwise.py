"""What programs say in other words: one condition for `np.piecewise`, `suppress` for a
`try`, a signature that is not the function's, a star for what is not needed."""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
import warnings

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api.traced_tapes import gradient_source

V = np.array([0.3, 1.4, 0.9])


def one_condition(x):
    return np.sum(np.piecewise(x, x < 1, [lambda v: v * v, lambda v: 3 * v]))


def one_condition_in_a_list(x):
    return np.sum(np.piecewise(x, [x < 1], [lambda v: v * v, lambda v: 3 * v]))


def one_condition_as_an_array(x):
    both = np.array([x < 1, x >= 1])
    return np.sum(np.piecewise(x, both, [lambda v: v * v, lambda v: 3 * v]))


def one_condition_as_a_list(x):
    parts = [lambda v: v * v, lambda v: 3 * v]
    return np.sum(np.piecewise(x, [True, False, True], parts) * x)


def one_condition_of_numbers_compared(x):
    parts = [lambda v: v * v, lambda v: 3 * v]
    return np.sum(np.piecewise(x, (x[0] < 1, x[1] < 1, x[2] < 1), parts) * x)


def conditions_of_a_number(x):
    parts = [lambda v: v * v, lambda v: 3 * v]
    return np.piecewise(x[0], [x[0] < 1, x[0] >= 1], parts) * x[1]


def starred(x):
    a = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
    p, *_ = np.linalg.lstsq(a, x, rcond=None)
    return p @ p


@pytest.mark.parametrize(
    "f",
    [
        one_condition, one_condition_in_a_list, one_condition_as_an_array,
        one_condition_as_a_list, one_condition_of_numbers_compared,
        conditions_of_a_number, starred,
    ],
)  # fmt: skip
def test_of_arrays(f):
    assert ya.gradcheck(f, V)


def suppressed(x, d):
    out = []
    with contextlib.suppress(KeyError, ValueError):
        out.append(d["missing"] * x)
    with contextlib.suppress(ZeroDivisionError):
        return x * x / d["a"] + sum(out)
    return x


def suppressed_within(x, d):
    with np.errstate(all="ignore"), contextlib.suppress(ZeroDivisionError):
        return x / d["a"]
    return 3 * x


@pytest.mark.parametrize("f", [suppressed, suppressed_within])
@pytest.mark.parametrize("a", [2.0, 0.0])
def test_suppress_is_a_try(f, a):
    assert ya.gradcheck(f, 0.7, {"a": a})


def test_its_text_is_that_of_a_try():
    assert "except ZeroDivisionError:" in gradient_source(suppressed_within)


def slope(x, k=2.0):
    return math.sin(x) * k


@functools.wraps(slope)
def shown_as_slope(*args, **kwargs):
    return slope(*args, **kwargs)


shown_as_slope.__signature__ = inspect.signature(slope)


def calls_what_is_shown(x):
    return shown_as_slope(x, k=3 * x)


def renamed(x):
    return x * x


renamed.__signature__ = inspect.Signature(
    [inspect.Parameter("y", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
)


@pytest.mark.parametrize("f", [shown_as_slope, calls_what_is_shown, renamed])
def test_the_text_tells_what_a_function_takes(f):
    assert ya.gradcheck(f, 0.7)


def warns_of_a_number(x):
    if x < 0:
        warnings.warn(f"negative: {x}", stacklevel=2)
    try:
        y = math.sqrt(x)
    except ValueError as error:
        warnings.warn(str(error), stacklevel=2)
        return 2 * x
    return y


def test_a_warning_may_tell_of_numbers():
    assert ya.gradcheck(warns_of_a_number, 0.7)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert ya.grad(warns_of_a_number, -0.7)[1]["x"] == 2.0
    said = [str(w.message) for w in seen]
    assert said == ["negative: -0.7", "math domain error"]


def of_no_class(x):
    return x * x if issubclass(float, 3) else x


def of_too_few(x):
    return x * x if issubclass(float) else x


@pytest.mark.parametrize("f", [of_no_class, of_too_few])
def test_what_python_raises_is_raised_when_the_text_runs(f):
    with pytest.raises(TypeError, match="issubclass"):
        ya.grad(f, 0.7)
