"""What is read for its shape alone, and whose shape a result has, against the truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from yota_ast.ops import info

from .calls import Called, by_function, holds

CALLS = by_function()
RNG = np.random.default_rng(3)
READING = [n for n, calls in CALLS.items() if info(calls[0].fn).shape_only]
SHAPED = [n for n, calls in CALLS.items() if info(calls[0].fn).shaped_like >= 0]
TELLING = [n for n, calls in CALLS.items() if info(calls[0].fn).tells]
STEPPING = [n for n, calls in CALLS.items() if info(calls[0].fn).steps]


def shaken(value: Any, by: float) -> Any:
    """A value with other floats in it; with nan in their place where `by` is that."""
    if by != by:
        return shaken_by_nan(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return (value * RNG.uniform(1 - by, 1 + by, value.shape)).astype(value.dtype)
    if isinstance(value, float | complex):
        return value * RNG.uniform(1 - by, 1 + by)
    if type(value) in (list, tuple):
        return type(value)(shaken(v, by) for v in value)
    return value


def shaken_by_nan(value: Any) -> Any:
    """A value whose floats are nan."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return np.full_like(value, np.nan)
    if type(value) in (list, tuple):
        return type(value)(map(shaken_by_nan, value))
    return np.nan * value if isinstance(value, float | complex) else value


def same(one: Any, other: Any) -> bool:
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, type | np.dtype | None):
        return one == other
    if np.result_type(one) != np.result_type(other):
        return False
    return np.array_equal(one, other, equal_nan=np.result_type(one).kind in "fc")


def changed(call: Called, places: Any, by: float) -> list[Called]:
    """The call with what stands at some places changed; each alone, and all."""
    alone = [(k,) for k in places if k < len(call.args)]
    return [
        call.given(
            tuple(shaken(a, by) if k in chosen else a for k, a in enumerate(call.args))
        )
        for chosen in (*alone, tuple(places))
    ]


@pytest.mark.parametrize("name", READING)
def test_values_do_not_matter(name):
    for call in CALLS[name]:
        wanted = call.run()
        places = info(call.fn).shape_only
        for other in (*changed(call, places, 0.5), *changed(call, places, np.nan)):
            if call.fn is np.empty_like:  # of whatever is in its memory
                assert np.shape(other.run()) == np.shape(wanted)
            else:
                assert same(wanted, other.run()), call.text


@pytest.mark.parametrize("name", TELLING)
def test_what_tells_says_nothing_of_numbers(name):
    for call in CALLS[name]:
        for other in changed(call, range(len(call.args)), 0.5):
            assert same(call.run(), other.run()), call.text


@pytest.mark.parametrize("name", SHAPED)
def test_the_shape_is_that_of_the_argument(name):
    for call in CALLS[name]:
        result, place = call.run(), info(call.fn).shaped_like
        assert np.shape(result) == np.shape(call.args[place]), call.text


@pytest.mark.parametrize("name", STEPPING)
def test_a_step_does_not_change_by_little(name):
    for call in CALLS[name]:
        if not any(holds(a) - {0} for a in call.args):
            continue
        for other in changed(call, range(len(call.args)), 1e-9):
            given, wanted = other.run(), call.run()
            assert same(wanted, given) or np.allclose(wanted, given, 0, 1e-12), (
                call.text
            )


def test_the_tables_are_read():
    assert len(READING) > 40
    assert len(SHAPED) > 8
    assert len(TELLING) > 8
    assert len(STEPPING) > 20
