"""Tangents of what `*args` and containers take."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import ShapeError

X, B = np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])


def product(x: Any, *args: Any) -> Any:
    for arg in args:
        x = x * arg
    return x


def first(x: Any, parts: Any) -> Any:
    return x * parts[0][1]


def test_a_tangent_for_each() -> None:
    value, tangent = ya.jvp(product)(X, B, 2.0, X, B, 1.0)
    np.testing.assert_array_equal(value, X * B * 2.0)
    np.testing.assert_allclose(tangent, X * B * 2.0 + X * B * 2.0 + X * B)


def test_one_alone_is_not_taken_for_the_tuple() -> None:
    np.testing.assert_array_equal(ya.jvp(product)(X, B, 0 * X, B)[1], X * B)


def test_some_held_fixed() -> None:
    np.testing.assert_array_equal(
        ya.jvp(product)(X, B, 2, 0 * X, B, None)[1], X * B * 2
    )
    np.testing.assert_array_equal(
        ya.jvp(product)(X, B, 2.0, X, None, None)[1], X * B * 2
    )


def test_after_what_is_bound() -> None:
    bound = functools.partial(product, X, B)
    np.testing.assert_array_equal(ya.jvp(bound)(2.0, 1.0)[1], X * B)


def test_none_within_a_container() -> None:
    parts = [[X, B], 3]
    np.testing.assert_array_equal(
        ya.jvp(first)(X, parts, 0 * X, [[None, B], None])[1], X * B
    )
    np.testing.assert_array_equal(ya.jvp(first)(X, parts, X, [None, None])[1], X * B)


@pytest.mark.parametrize(
    ("d", "told"),
    [
        (B, "the tangent of 'parts' must be a list of 2"),
        ([[B], None], r"the tangent of 'parts\[0\]' must be a list of 2"),
        ([[B, 1.0], None], r"the tangent of 'parts\[0\]\[1\]' has shape \(\)"),
    ],
)
def test_of_another_structure(d: Any, told: str) -> None:
    with pytest.raises(ShapeError, match=told):
        ya.jvp(first)(X, [[X, B], 3], 0 * X, d)
