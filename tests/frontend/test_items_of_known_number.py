"""Items whose number is told by an op, a whole number or a module -> they are counted.

`zip(*heads)` and `f(*args[:i], z)` need the number of items. It is known where
`np.split` makes a number of parts, where an integer says it, and where a tuple of the
module holds them; the generated code checks what it takes from the example.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import yota_ast as ya

X = np.arange(1.0, 7.0).reshape(1, 6)
ARGS: tuple[Any, ...] = (X, 2 * X, 0.5 * X)
PLACE = 1


def joined(heads: list[list[np.ndarray]]) -> Any:
    return sum(np.sum(p * q * q) for p, q in zip(*heads, strict=True))


def by_comprehension(x, n):
    return joined([np.split(y, n, axis=-1) for y in np.split(x, 2, axis=-1)])


def by_map(x, n):
    return joined(list(map(lambda y: np.split(y, n, axis=-1), np.split(x, 2, -1))))


def by_loop(x, n):
    heads = []
    for part in np.split(x, 2, axis=-1):
        heads.append(np.split(part, n, axis=-1))  # noqa: PERF401
    return joined(heads)


def by_number(x):
    return joined([np.split(y, 3, axis=-1) for y in np.split(x, 2, axis=-1)])


def weighed(u, v, w):
    return np.sum(u * v**2 * w)


def slopes(f: Callable[[np.ndarray], float], x: np.ndarray, h: float = 1e-6) -> Any:
    """Return the gradient by central differences."""
    found = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[i] = h
        found[i] = (f(x + step) - f(x - step)) / (2 * h)
    return found


@pytest.mark.parametrize(
    "f", [by_comprehension, by_map, by_loop], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("n", [1, 3])
def test_parts_of_parts(f, n):
    _, g = ya.grad(f, X, n)
    np.testing.assert_allclose(g["x"], slopes(lambda x: f(x, n), X), rtol=1e-6)


def test_parts_of_a_number_without_an_example():
    _, dx = ya.simplegrad(by_number)(X)
    np.testing.assert_allclose(dx, slopes(by_number, X), rtol=1e-6)


def around(z):
    return weighed(*ARGS[:PLACE], z, *ARGS[PLACE + 1 :])


@pytest.mark.parametrize("place", [0, 1, 2])
def test_arguments_around_one(place, monkeypatch):
    monkeypatch.setitem(globals(), "PLACE", place)
    _, g = ya.grad(around, X)
    np.testing.assert_allclose(g[0], slopes(around, X), rtol=1e-6)
    _, tangent = ya.jvp(around)(X, X)
    np.testing.assert_allclose(tangent, np.sum(slopes(around, X) * X), rtol=1e-6)


def test_a_module_that_holds_more():
    def last(z):
        return weighed(z, *ARGS[1:])

    _, g = ya.grad(last, X)
    assert "if len(ARGS) != 3:" in g.source


def test_rows_by_a_range():
    def picked(x, table):
        rows = table[range(len(x))]
        return np.sum(x * rows * rows)

    table = np.arange(8.0).reshape(4, 2)
    _, g = ya.grad(picked, np.ones((3, 2)), table)
    expected = np.zeros_like(table)
    expected[:3] = 2 * table[:3]
    np.testing.assert_allclose(g["table"], expected)
    np.testing.assert_allclose(g["x"], table[:3] ** 2)


def test_no_rows_by_an_empty_range():
    def picked(x, table):
        return np.sum(table[range(len(x))] ** 2)

    _, g = ya.grad(picked, np.ones((0, 2)), np.ones((4, 2)))
    np.testing.assert_array_equal(g["table"], np.zeros((4, 2)))
