"""Handlers that ask what a value is: whether it has a shape, a length, items."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


def asks_for_the_shape(b, c):
    try:
        b.shape  # noqa: B018
    except AttributeError:
        b = b * 2.0
    return np.sum(b * c)


def keeps_the_shape(b, c):
    try:
        shape = b.shape
        n = len(shape)
    except AttributeError:
        n = 2
    return np.sum(b * c) * n


def asks_in_a_loop(b, c):
    try:
        for _ in range(2):
            b.shape  # noqa: B018
    except AttributeError:
        b = b * 2.0
    return np.sum(b * c)


def asks_for_the_dtype(b, c):
    try:
        b.dtype  # noqa: B018
        b.flat  # noqa: B018
    except AttributeError:
        b = b * 3.0
    return np.sum(b * c)


def asks_for_the_length(b, c):
    try:
        n = len(b)
    except TypeError:
        return b * c
    return sum([v * c for v in b]) * n


def runs_over(b, c):
    def one(v):
        return v * v * c

    try:
        return sum([one(v) for v in b])
    except TypeError:
        return one(b)


def iterates(b, c):
    try:
        items = iter(b)
    except TypeError:
        items = [b]
    return sum([v * c for v in items])


def adds(b, c):
    try:
        total = sum(b)
    except TypeError:
        total = b
    return total * c


def lists(b, c):
    try:
        items = list(b)
    except TypeError:
        items = [b]
    return items[0] * c


def loops(b, c):
    total = 0.0
    try:
        for v in b:
            total = total + v * c
    except TypeError:
        return b * c * 2.0
    return total


def unpacks(b, c):
    try:
        x, y = b
    except (TypeError, ValueError):
        x = y = np.sum(b)
    return x * y * c


def too_many(b, c):
    try:
        x, y = np.append(b, [c, c])
    except ValueError:
        x = y = c
    return x * y * np.sum(b)


def too_few(b, c):
    try:
        x, y, z = (c, c)
    except ValueError:
        x = y = z = 2.0 * c
    return x * y * z * np.sum(b)


def nobody_reads_the_names(b, c):
    try:
        _x, _y = np.append(b, [c, c])
    except ValueError:
        c = c * 2.0
    return np.sum(b) * c


def rows_and_columns(b, c):
    try:
        n, m = np.shape(b)
    except ValueError:
        n, m = 1, 2
    return np.sum(b) * c * n * m


def none_has_no_shape(b, c, weights=None):
    try:
        n = weights.shape[0]
    except AttributeError:
        n = 3.0
    return np.sum(b) * c * n


def a_function_that_numpy_has_not(b, c):
    try:
        f = np.no_such_function
    except AttributeError:
        f = np.sin
    return np.sum(f(b * c))


def asks_for_a_range(b, c):
    try:
        range(b)
    except TypeError:
        b = b * 2.0
    return np.sum(b * c)


def pairs_up(b, c):
    try:
        return sum([np.sum(x) * y for x, y in zip(b, [c, c], strict=False)])
    except TypeError:
        return b * c * c


FUNCTIONS = [
    asks_for_a_range, pairs_up,
    asks_for_the_shape, keeps_the_shape, asks_in_a_loop, asks_for_the_dtype,
    asks_for_the_length, runs_over, iterates, adds, lists, loops, unpacks, too_many,
    too_few, nobody_reads_the_names, rows_and_columns, none_has_no_shape,
    a_function_that_numpy_has_not,
]  # fmt: skip
VALUES = [0.9, np.float64(0.9), np.array([0.9, 0.4]), np.array([[0.9, 0.4]])]


@pytest.mark.parametrize("b", VALUES, ids=["float", "scalar", "vector", "matrix"])
@pytest.mark.parametrize("fn", FUNCTIONS)
def test_the_handler_that_ran_is_the_one_reversed(fn, b):
    if np.ndim(fn(b, 2.0)) == 0:
        check(fn, b, 2.0)


@pytest.mark.parametrize("b", VALUES[:3], ids=["float", "scalar", "vector"])
@pytest.mark.parametrize(
    "fn", [asks_for_the_shape, keeps_the_shape, rows_and_columns, asks_for_a_range]
)
def test_the_text_that_knows_nothing_of_its_arguments(fn, b):
    general = ya.simplegrad(fn)
    value, db, _ = general(b, 2.0)
    assert value == fn(b, 2.0)
    step = (fn(b + 1e-6, 2.0) - fn(b - 1e-6, 2.0)) / 2e-6
    assert np.sum(db) == pytest.approx(step, rel=1e-6)
