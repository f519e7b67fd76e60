"""What gives numbers for arrays without axes, and what is bounded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.ir.facts.optional_values import raises_on_none
from yota_ast.ops import info
from yota_ast.ops.arithmetic_costs import gives_number

from .calls import by_function, to_whole

CALLS = by_function()
GIVING = [n for n, calls in CALLS.items() if gives_number(calls[0].fn)]
BOUNDED = [n for n, calls in CALLS.items() if info(calls[0].fn).bounded]


def without_axes(value: Any) -> Any:
    if isinstance(value, float | complex):
        return np.array(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return np.array(value.ravel()[0])
    return value


@pytest.mark.parametrize("name", GIVING)
def test_a_number_of_arrays_without_axes(name):
    for call in CALLS[name]:
        result = call.given(tuple(map(without_axes, call.args))).run()
        for each in result if isinstance(result, tuple) else (result,):
            assert not isinstance(each, np.ndarray) or each.ndim, call.text


@pytest.mark.parametrize("name", BOUNDED)
def test_whole_numbers_are_no_larger(name):
    for call in CALLS[name]:
        args = tuple(map(to_whole, call.args))
        result = call.given(args).run()
        if result is None or "shape" in name or "size" in name:
            continue
        sizes = [np.max(np.abs(a), initial=np.size(a)) for a in args if a is not None]
        assert np.max(np.abs(result), initial=0) <= max(sizes), call.text


REFUSING = [n for n, calls in CALLS.items() if raises_on_none(calls[0].fn)]
COUNTING = [n for n, calls in CALLS.items() if info(calls[0].fn).counts]
NOT_NEGATIVE = [
    n
    for n, calls in CALLS.items()
    if info(calls[0].fn).never_negative or info(calls[0].fn).size
]


@pytest.mark.parametrize("name", REFUSING)
def test_none_is_refused(name):
    for call in CALLS[name]:
        for k in range(len(call.args)):
            args = tuple(None if j == k else a for j, a in enumerate(call.args))
            assert call.given(args).run() is None, call.text


@pytest.mark.parametrize("name", COUNTING)
def test_counts_are_whole_and_not_negative(name):
    for call in CALLS[name]:
        count = np.asarray(call.run())
        assert np.all(count == np.floor(count)), call.text
        assert np.all(count >= 0), call.text


@pytest.mark.parametrize("name", NOT_NEGATIVE)
def test_what_is_never_negative(name):
    for call in CALLS[name]:
        if not any(np.iscomplexobj(a) for a in call.args):
            assert np.all(np.asarray(call.run()) >= 0), call.text


def test_the_tables_are_read():
    assert len(REFUSING) > 100
    assert len(COUNTING) >= 5
    assert len(NOT_NEGATIVE) > 8
    assert len(GIVING) > 150
    assert len(BOUNDED) > 10


def summed(x):
    return abs(np.sum(np.array([x**0.5, 1.0])))


def of_a_norm(x):
    return np.linalg.norm(np.array([x**0.5, 1.0]))


def of_a_product(x):
    return abs(np.dot(np.array([x**0.5, 1.0]), np.array([2.0, 3.0])))


def of_a_spread(x):
    return np.std(np.array([x**0.5, 1.0]))


def of_a_mean(x):
    return abs(np.mean([x**0.5, 1.0]))


def of_a_flipped_one(x):
    return np.real(np.flip(np.array([x**0.5, 1.0]))[1])


POWERS = [summed, of_a_norm, of_a_product, of_a_spread, of_a_mean, of_a_flipped_one]


@pytest.mark.parametrize("fn", POWERS, ids=lambda f: f.__name__)
def test_powers_that_are_complex_are_refused(fn):
    """Python's `(-2.0) ** 0.5` is complex: a size of what is made of it has another
    slope than of real numbers."""
    g = ya.simplegrad(fn, 2.0)
    assert g(2.0)[1] > 0
    message = rf"^{fn.__name__}_grad: made for real numbers, but a power of a negative"
    with pytest.raises(ValueError, match=message):
        g(-2.0)
