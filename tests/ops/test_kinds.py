"""What is stated of the kinds of results and of single arguments, against the truth."""

from __future__ import annotations

import itertools
import operator
import warnings
from typing import Any

import numpy as np
import pytest

from yota_ast import runtime
from yota_ast.ir.built_values import build_slice
from yota_ast.ops import info
from yota_ast.rules.notation.display_names import display_name

from ..operations import OPERATIONS
from ..rules.check import adjoints, call_of
from .test_algebra import stating

GIVEN = (2.0, 3, True, np.float32(2.0), np.array(2), np.ones(1, int), np.ones(3), (2,))
"""Numbers, and arrays with and without axes."""


def results(fn: Any, count: int) -> list[Any]:
    """What a function gives of numbers and arrays, where it takes them."""
    found = []
    for args in itertools.product(GIVEN, repeat=count):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found.append(fn(*args))
            except (TypeError, ValueError, IndexError):
                continue
    return found


@pytest.mark.parametrize("fn", stating("always"), ids=display_name)
def test_what_results_always_are(fn):
    if fn is runtime.ungetitem:
        found = [fn(2.0, x, ()) for x in (1.0, np.float32(1.0), np.ones(()))]
    elif fn is runtime.unset:
        found = [fn(x, ()) for x in (1.0, np.float32(1.0), np.ones(()))]
    else:
        count = {np.full: 2, np.full_like: 2, build_slice: 3}.get(fn, 1)
        found = results(fn, count)
    wanted = info(fn).always == "array"
    assert found
    assert all(isinstance(r, np.ndarray) == wanted for r in found)


@pytest.mark.parametrize("fn", stating("asks"), ids=display_name)
def test_what_asks_takes_values_of_any_kind(fn):
    values = (None, 2.0, "text", int, [1], {"a": 1}, object(), len, np.float64)
    for value in values:
        if fn in (isinstance, hasattr):
            args: Any = (value, object if fn is isinstance else "name")
        elif fn is operator.contains:
            args = ([value, 1], value)
        else:
            args = (value,) if fn in (type, callable) else (value, None)
        assert isinstance(fn(*args), type if fn is type else bool)


@pytest.mark.parametrize("fn", stating("marks"), ids=display_name)
def test_marks_hand_on_what_they_are_given(fn):
    d = np.ones(3)
    rest = (np.zeros(3),) * (fn.__code__.co_argcount - 1)
    assert fn(d, *rest) is d


@pytest.mark.parametrize("fn", stating("vectors"), ids=display_name)
def test_adjoints_of_vectors_that_are_none_are_zero(fn):
    x = np.array([[2.0, 0.5, 0.25], [0.5, 1.0, -0.5], [0.25, -0.5, 4.0]])
    made = {
        runtime.uneigh: np.linalg.eigh, runtime.uneig: np.linalg.eig,
        runtime.unsvd: np.linalg.svd,
    }[fn](x)  # fmt: skip
    zeros = [np.zeros_like(part) for part in made]
    zeros[fn is runtime.unsvd] = np.array([1.0, 2.0, 3.0])
    rest = (x, *made) if fn is runtime.uneig else tuple(made)
    none = [None if k in info(fn).vectors else d for k, d in enumerate(zeros)]
    np.testing.assert_allclose(fn(*none, *rest), fn(*zeros, *rest), atol=1e-14)


CALLS = [(op, call_of(op, op.sample())) for op in OPERATIONS]
ALIKE = [
    (op, call)
    for op, call in CALLS
    if info(call.fn).zero_for_zeros and not isinstance(call.run(), list)
]


@pytest.mark.parametrize(("op", "call"), ALIKE, ids=lambda x: getattr(x, "text", ""))
def test_zero_in_place_of_zeros(op, call):
    y = call.run()
    wanted = adjoints(call, y, np.zeros_like(y))
    for name, d in adjoints(call, y, 0.0).items():
        assert np.shape(d) == np.shape(wanted[name])
        assert not np.any(d)


def test_the_table_is_read():
    assert len(ALIKE) > 6
