"""What a text takes from its example is checked where it decides something."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import yota_ast as ya

X = np.array([1.2, 0.7, 1.9])
WIDE = np.array([[0.3, 1.2, 0.6], [0.8, 1.4, 0.2]])


def scaled(x: Any, k: Any) -> Any:
    return np.sum(np.tanh(x) * k)


def shifted(x: Any, k: Any) -> Any:
    return np.mean((x - k) ** 2)


def clipped(x: Any, k: Any) -> Any:
    return np.sum(np.clip(x, -k, k))


@pytest.mark.parametrize("f", [scaled, shifted, clipped])
@pytest.mark.parametrize("k", [2, 0.5])
def test_a_number_beside_an_array_is_none_of_wider_arrays(
    f: Callable[..., Any], k: float
) -> None:
    gradient = ya.simplegrad(f, X, k, wrt="x")
    assert gradient(X, k + 1)[1].shape == X.shape
    with pytest.raises(ValueError, match="made for a number k"):
        gradient(X, WIDE)
    assert ya.simplegrad(f, X, WIDE, wrt="x")(X, WIDE)[1].shape == X.shape


def test_a_number_that_is_only_summed_may_be_an_array() -> None:
    def f(x: Any, k: Any) -> Any:
        return np.dot(x, x) * np.sum(k)

    gradient = ya.simplegrad(f, X, 2.0, wrt="x")
    assert "__len__" not in gradient.source
    assert np.allclose(gradient(X, WIDE)[1], 2 * X * WIDE.sum())


def filled(x: Any, k: Any) -> Any:
    return np.sum(x * k)


def by_items(x: Any, k: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total = total + x[i] * k
    return total


def stacked(x: Any, k: Any) -> Any:
    return np.sum(np.stack([x * k, x]))


@pytest.mark.parametrize("f", [filled, by_items, stacked])
def test_what_floats_are_stored_in_is_no_array_of_whole_numbers(
    f: Callable[..., Any],
) -> None:
    gradient = ya.simplegrad(f, X, 2.5, wrt="x")
    assert gradient(X.astype(np.float32), 2.5)[1].dtype == np.float32
    with pytest.raises(ValueError, match="floats in x"):
        gradient(np.array([1, 2, 3]), 2.5, seed=0.5)


def test_a_type_is_asked_for_only_where_it_decides() -> None:
    gradient = ya.simplegrad(scaled, X, 2.0, wrt="x")
    assert "dtype" not in gradient.source
    whole = np.array([1, 2, 3])
    assert np.allclose(gradient(whole, 2.0)[1], gradient(whole * 1.0, 2.0)[1])
