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
    with pytest.raises(ValueError, match=r"made for .*a number k"):
        gradient(X, WIDE)
    assert ya.simplegrad(f, X, WIDE, wrt="x")(X, WIDE)[1].shape == X.shape


def test_a_number_that_is_only_summed_is_no_array_either() -> None:
    def f(x: Any, k: Any) -> Any:
        return np.dot(x, x) * np.sum(k)

    gradient = ya.simplegrad(f, X, 2.0, wrt="x")
    with pytest.raises(
        ValueError, match=r"^f_grad: made for x \(n,\), floats; a number k$"
    ):
        gradient(X, WIDE)


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
    with pytest.raises(ValueError, match=r"floats; a number k$"):
        gradient(np.array([1, 2, 3]), 2.5, seed=0.5)


def test_an_array_of_whole_numbers_is_asked_for_floats() -> None:
    gradient = ya.simplegrad(scaled, X, 2.0, wrt="x")
    whole = np.array([1, 2, 3])
    with pytest.raises(ValueError, match=r"floats; a number k$"):
        gradient(whole, 2.0)
    of_whole = ya.simplegrad(scaled, whole, 2.0, wrt="x")
    assert np.allclose(of_whole(whole, 2.0)[1], gradient(whole * 1.0, 2.0)[1])


def kept_in_a_copy(y: Any, x: Any) -> Any:
    z = y.copy()
    z[0] = x
    return np.sum(z) * x


def kept_in_the_like(y: Any, x: Any) -> Any:
    z = np.zeros_like(y)
    z[1] = x * x
    return np.sum(z * z) + x


def kept_by_filling(y: Any, x: Any) -> Any:
    return np.sum(np.full_like(y, x)) * x


def kept_as_chosen(y: Any, x: Any) -> Any:
    z = np.where(y > 0, y, 0)
    z[0] = x
    return np.sum(z) * x


@pytest.mark.parametrize(
    "f", [kept_in_a_copy, kept_in_the_like, kept_by_filling, kept_as_chosen]
)
def test_an_array_of_whole_numbers_that_floats_are_stored_in_is_such(
    f: Callable[..., Any],
) -> None:
    whole, x, h = np.array([1, 2, 3]), 1.7, 1e-4
    gradient = ya.simplegrad(f, whole, x, wrt="x")
    slope = (f(whole, x + h) - f(whole, x - h)) / (2 * h)
    assert np.isclose(gradient(whole, x)[1], slope)
    with pytest.raises(ValueError, match="made for whole numbers in y"):
        gradient(whole * 1.0, x)


def test_the_type_of_whole_numbers_cuts_off_what_is_stored() -> None:
    def f(y: Any, x: Any) -> Any:
        z = np.zeros(3, dtype=y.dtype)
        z[0] = x
        return np.sum(z) * x

    whole = np.array([1, 2, 3])
    assert np.isclose(ya.grad(f, whole, 1.7, wrt="x")[1]["x"], 1.0)
    assert np.isclose(ya.grad(f, whole * 1.0, 1.7, wrt="x")[1]["x"], 3.4)
    with pytest.raises(ValueError, match="y of int64"):
        ya.simplegrad(f, whole, 1.7, wrt="x")(whole * 1.0, 1.7)


@pytest.mark.parametrize("passes", ["all", "none"])
def test_a_whole_number_by_default_is_no_array(
    passes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    gradient = ya.simplegrad(lambda x, k=60: x / (2 * k), wrt=["x", "k"])
    assert np.isclose(gradient(X, 2.5, seed=np.ones(3))[2], -np.sum(X) / 12.5)
    with pytest.raises(ValueError, match=r"made for .*a number k"):
        gradient(X, X, seed=np.ones(3))


def test_a_grid_and_its_step_between_ends_of_unknown_kind() -> None:
    def f(a, b):  # type: ignore[no-untyped-def]
        t, h = np.linspace(a, b, 5, retstep=True)
        return np.sum(t**2) * h

    found = ya.simplegrad(f, wrt=["a", "b"])
    for ends in ((0.3, 1.7), (X, WIDE)):
        value, g = ya.grad(f, *ends, seed=np.ones(np.shape(f(*ends))))
        got = found(*ends, seed=np.ones(np.shape(value)))
        assert np.allclose(got[1], g["a"])
        assert np.allclose(got[2], g["b"])


def test_any_as_an_annotation_says_nothing() -> None:
    def f(x, k=60):  # type: ignore[no-untyped-def]
        return x / (2 * k)

    f.__annotations__ = {"x": Any}
    assert np.isclose(ya.simplegrad(f)(1.5)[1], 1 / 120)
