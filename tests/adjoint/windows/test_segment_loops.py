"""Loops over segments, as the rows of sparse matrices: statements on whole arrays, and
loops that stay."""

import itertools

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

rng = np.random.default_rng(4)
STARTS = np.array([0, 2, 2, 5, 6])
COLUMNS = np.array([1, 0, 2, 2, 1, 0, 3, 3])
VALUES, X, ROWS = rng.normal(size=8), rng.normal(size=4), rng.normal(size=4)


def product(starts, columns, values, x):
    y = np.empty(len(starts) - 1)
    for i in range(len(starts) - 1):
        here = slice(starts[i], starts[i + 1])
        y[i] = values[here] @ x[columns[here]]
    return np.sum(y * y)


def weighted(starts, columns, values, x, rows, scale):
    y = np.zeros(starts.size - 1)
    for i in range(starts.size - 1):
        cols = columns[starts[i] : starts[i + 1]]
        vals = np.tanh(values[starts[i] : starts[i + 1]])
        y[i] = rows[i] * (vals @ (scale * x[cols]))
    return np.sum(np.cos(y))


def energies(starts, values, rows, scale):
    y = np.zeros(len(starts) - 1)
    for i in range(len(starts) - 1):
        part = values[starts[i] : starts[i + 1]]
        y[i] = scale * np.sum((part - rows[i]) ** 2)
    return np.sum(np.sin(y))


WRITTEN = [
    (product, (STARTS, COLUMNS, VALUES, X), [2, 3]),
    (weighted, (STARTS, COLUMNS, VALUES, X, ROWS, 0.7), [2, 3]),
    (energies, (STARTS, VALUES, ROWS, 0.7), [1]),
]


def kept(starts, columns, values, x):
    """What a row is written over is an argument, and its adjoint is read."""
    y = x.copy()
    for i in range(len(starts) - 1):
        here = slice(starts[i], starts[i + 1])
        y[i] = values[here] @ x[columns[here]]
    return np.sum(y * y)


def computed(counts, values):
    """The starts are no argument."""
    starts = np.concatenate((np.zeros(1, int), np.cumsum(counts)))
    y = np.zeros(len(counts))
    for i in range(len(starts) - 1):
        y[i] = np.sum(values[starts[i] : starts[i + 1]] ** 2)
    return np.sum(y**2)


def shares(starts, values):
    """A segment is divided by its sum."""
    total = 0.0
    for i in range(len(starts) - 1):
        part = values[starts[i] : starts[i + 1]] ** 2 + 1.0
        total += np.sum(np.log(part / np.sum(part)))
    return total


def overlapping(starts, values):
    y = np.zeros(len(starts) - 2)
    for i in range(len(starts) - 2):
        y[i] = np.sum(values[starts[i] : starts[i + 2]] ** 2)
    return np.sum(y**2)


STAYING = [
    (kept, (STARTS, COLUMNS, VALUES, X), [2, 3]),
    (energies, (STARTS, VALUES, ROWS, 0.7), [1, 2]),
    (computed, (np.diff(STARTS), VALUES), [1]),
    (shares, (STARTS, VALUES), [1]),
    (overlapping, (STARTS, VALUES), [1]),
]


def ids(value):
    return getattr(value, "__name__", "")


@pytest.mark.parametrize("passes", ["all", "none", "-vectors", "-tidy", "-again"])
@pytest.mark.parametrize(("fn", "args", "wrt"), [*WRITTEN, *STAYING], ids=ids)
def test_right(monkeypatch, fn, args, wrt, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args, wrt=wrt)


@pytest.mark.parametrize(("fn", "args", "wrt"), [*WRITTEN, *STAYING], ids=ids)
def test_written_out(fn, args, wrt):
    source = ya.simplegrad(fn, *args, wrt=wrt).source
    written = any(fn is case[0] and wrt == case[2] for case in WRITTEN)
    assert ("starts[0] : starts[-1]" in source) == written, source
    if fn is product:
        assert "saved" not in source
        assert "    t1 = np.repeat((2 * seed) * y, np.diff(starts))\n" in source


@pytest.mark.parametrize("starts", [[0], [0, 0], [1, 4, 4, 8], [3, 3, 3]])
@pytest.mark.parametrize("kind", [np.int32, np.uint32])
def test_other_segments(starts, kind):
    made = ya.simplegrad(product, *WRITTEN[0][1], wrt=["values", "x"]).fn
    args = np.array(starts, kind), COLUMNS, VALUES, X.astype(np.float32)
    found = made(*args)
    y = np.zeros(len(starts) - 1)
    slope = np.zeros(8)
    for i, (a, b) in enumerate(itertools.pairwise(starts)):
        row = args[3][COLUMNS[a:b]]
        y[i] = VALUES[a:b] @ row
        slope[a:b] = 2 * y[i] * row
    assert found[0] == pytest.approx(np.sum(y * y))
    assert found[2].dtype == np.float32
    np.testing.assert_allclose(found[1], slope, 1e-6)


@pytest.mark.parametrize("starts", [[], [0, 3, 2], [-2, 3], [0, 9]])
def test_segments_out_of_order_are_refused_in_words(starts):
    made = ya.simplegrad(product, *WRITTEN[0][1], wrt=["values", "x"]).fn
    with pytest.raises(ValueError, match="made for numbers starts that do not fall"):
        made(np.array(starts, int), COLUMNS, VALUES, X)


def test_of_second_order():
    def slope(values):
        return ya.grad(product, STARTS, COLUMNS, values, X, wrt=["values"])[1]["values"]

    v = rng.normal(size=8)
    found = ya.hvp(product, wrt="values")(STARTS, v, COLUMNS, VALUES, X)
    expected = (slope(VALUES + 1e-6 * v) - slope(VALUES - 1e-6 * v)) / 2e-6
    np.testing.assert_allclose(found, expected, 1e-6, 1e-8)
