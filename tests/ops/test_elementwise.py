"""What rules say is elementwise gives for each element what it gives for arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from yota_ast.ops import info
from yota_ast.rules import BOOK

from .calls import Called, all_calls, by_function

CALLS = by_function()
for fn in {call.fn for call in all_calls()}:
    BOOK.rules_of(fn)  # which opens the chapter that states it
ELEMENTWISE = [n for n, calls in CALLS.items() if info(calls[0].fn).elementwise]


def is_spread(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim > 0


def of_one_element(call: Called, shape: tuple[int, ...], index: Any) -> Any:
    """The result for the elements at one place."""
    args = (np.broadcast_to(a, shape)[index] if is_spread(a) else a for a in call.args)
    return call.given(tuple(args)).run()


def parts(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_element_by_element(name):
    for call in CALLS[name]:
        arrays = [a for a in call.args if is_spread(a)]
        if not arrays or any(is_spread(v) for _, v in call.kwargs):
            continue
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
        whole = parts(call.run())
        for each in whole:
            assert np.shape(each) == shape, call.text
        for index in [(0,) * len(shape), (-1,) * len(shape)]:
            one = parts(of_one_element(call, shape, index))
            for each, wanted in zip(one, whole, strict=True):
                assert np.allclose(each, wanted[index], equal_nan=True), call.text


def test_the_rules_are_read():
    assert len(ELEMENTWISE) > 150
