"""`np.sqrt(x, dtype=complex)`: the function of what has that type."""

from typing import Any

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedCall


def root(m, k):  # type: ignore[no-untyped-def]
    r = np.sqrt(m, dtype=complex)
    return np.sum(np.abs(np.multiply(r, 2.0, dtype=np.complex128) + k))


def of_literals(k):  # type: ignore[no-untyped-def]
    return np.abs(np.sqrt(-2.0, dtype=complex) * k)


def narrow(x):  # type: ignore[no-untyped-def]
    return np.sum(np.power(x, 2.0, dtype=np.float32))


def of_whole_numbers(x, n):  # type: ignore[no-untyped-def]
    return np.sum(np.multiply(x, n, dtype=float)) * np.sin(n, dtype=float)


def in_a_loop(x):  # type: ignore[no-untyped-def]
    s = 0.0
    for k in range(1, 4):
        s += np.sqrt(-x * k, dtype=complex).imag
    return s


def as_usual(x):  # type: ignore[no-untyped-def]
    return np.sum(np.sqrt(x, dtype=None))


def real_part(z):  # type: ignore[no-untyped-def]
    return np.sqrt(z, dtype=float)


def into(x):  # type: ignore[no-untyped-def]
    y = np.zeros(2)
    np.sqrt(x, out=y, dtype=np.float32)
    return np.sum(y)


ARRAY = np.array([0.4, -0.3])
CASES = [
    (root, (0.3, 0.7)),
    (root, (-0.3, 0.7)),
    (root, (ARRAY, np.array([0.7, 0.2]))),
    (root, (np.array(-0.3), 0.7)),
    (of_literals, (0.7,)),
    (of_whole_numbers, (np.array([1.0, 2.0]), 3)),
    (in_a_loop, (0.4,)),
    (as_usual, (np.array([0.4, 0.3]),)),
]


@pytest.mark.parametrize(("f", "args"), CASES)
@pytest.mark.parametrize("passes", ["all", "none"])
def test_value_and_gradient(
    f: Any, args: tuple[Any, ...], passes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    value, _ = ya.grad(f, *args)
    assert value == f(*args)
    assert type(value) is type(f(*args))
    found = ya.gradcheck(f, *args)
    assert found, str(found)


def test_type_of_the_result() -> None:
    x = np.array([1.0, 2.0])
    value, gradient = ya.grad(narrow, x)
    assert value.dtype == np.float32
    np.testing.assert_allclose(gradient["x"], 2 * x)


def test_text() -> None:
    text = ya.simplegrad(root, 0.3, 0.7).source
    assert "r = np.sqrt(complex(m))" in text
    text = ya.simplegrad(root, ARRAY, ARRAY).source
    assert "r = np.sqrt(m.astype(complex))" in text


def test_into_an_array_of_another_type() -> None:
    x = np.array([1.0, 2.0])
    value, gradient = ya.grad(into, x)
    assert value == into(x)
    np.testing.assert_allclose(gradient["x"], 0.5 / np.sqrt(x), rtol=1e-6)


def test_refused_where_numpy_may_raise() -> None:
    with pytest.raises(UnsupportedCall, match="`dtype` is not supported"):
        ya.grad(real_part, 1 + 1j)


def summed_into(x):  # type: ignore[no-untyped-def]
    y = np.zeros(2)
    np.add.reduce(x, axis=0, out=y)
    return np.sum(y)


def test_a_sum_is_computed_in_the_type_of_out() -> None:
    x = np.array([[0.1, 0.2], [0.3, 0.4], [0.7, 0.9]])
    assert ya.gradcheck(summed_into, x)
    with pytest.raises(UnsupportedCall, match="`out=` is an array of float64"):
        ya.grad(summed_into, x.astype(np.float32))
