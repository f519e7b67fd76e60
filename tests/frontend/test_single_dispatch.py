"""functools.singledispatch: which function is called is known by the class of the
argument, which the text checks."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedCall

V = np.array([1.0, 2.0])


@functools.singledispatch
def measure(x: Any, k: float = 2.0) -> Any:
    return x * k


@measure.register(np.ndarray)
def _(x: Any, k: float = 2.0) -> Any:
    return np.sum(x**2) * k


@measure.register(int)
def _(x: Any, k: float = 2.0) -> Any:
    return x + k


def used(x: Any) -> Any:
    return measure(x) * 3.0


def of_what_is_computed(x: Any) -> Any:
    return measure(np.sum(x) * 2.0, k=3.0) + measure(3) * 2.0


@pytest.mark.parametrize("f", [used, of_what_is_computed])
@pytest.mark.parametrize("x", [2.0, V])
def test_by_the_class(f: Any, x: Any) -> None:
    value, gradients = ya.grad(f, x)
    slope = 2 * 3 * 2.0 * x if f is used and x is V else 6.0 + 0 * x
    assert value == f(x)
    np.testing.assert_array_equal(gradients[0], slope)
    assert ya.jvp(f)(x, x)[1] == np.sum(slope * x)


@functools.singledispatch
def size(v: Any) -> Any:
    return abs(v)


@size.register(np.ndarray)
def _(v: Any) -> Any:
    return np.sqrt(v @ v)


@size.register(list)
@size.register(tuple)
def _(v: Any) -> Any:
    return sum(size(w) for w in v)


def test_by_the_class_of_containers() -> None:
    def of_parts(x: Any) -> Any:
        return size([x, x[0] * 2.0, (x[1:], x[0])])

    value, gradients = ya.grad(of_parts, V)
    assert value == of_parts(V)
    root = np.sqrt(V @ V)
    np.testing.assert_allclose(gradients[0], V / root + [3.0, 1.0])


def test_the_class_is_checked() -> None:
    text = ya.simplegrad(used, 2.0)
    assert text(3.0) == (18.0, 6.0)
    for other in (V, 3):
        with pytest.raises(ValueError, match="made for a number x"):
            text(other)


def test_of_a_function_itself() -> None:
    assert ya.grad(measure, 2.0)[0] == 4.0
    np.testing.assert_array_equal(ya.grad(measure, V)[1][0], 4 * V)


def test_refused_where_the_class_is_not_known() -> None:
    with pytest.raises(UnsupportedCall, match="the function that `dispatch"):
        ya.simplegrad(used)
