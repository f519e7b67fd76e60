"""`for v, w in zip(x, W)`, where W is an array of the module."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

W = np.array([0.5, 0.7, 0.9])
M = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
PLACES, WHERE = np.array([2, 0, 1]), np.array([True, False, True])
SINGLE, NONE = W.astype(np.float32), np.array([])
X, V = np.array([0.3, 0.8, 0.4]), np.array([1.0, -0.5, 0.3])


class Table:
    rates = W


def beside(x):
    total = 0.0
    for v, w in zip(x, W):
        total += v * v * w
    return total


def ahead(x):
    return sum(v * w for w, v in zip(Table.rates, x))


def of_rows(x):
    total = 0.0
    for v, (a, b) in zip(x, M):
        total += v * a - b * v * v
    return total


def of_places(x):
    total = 0.0
    for v, i, is_squared in zip(x, PLACES, WHERE):
        total += v * x[i] if is_squared else v
    return total


def counted(x):
    total = 0.0
    for k, (v, w) in enumerate(zip(x, SINGLE, strict=True)):
        total += v * w * k
    return total


def backwards(x):
    total = 0.0
    for v, w in zip(x, reversed(W)):
        total += np.sin(v) * w
    return total


def of_nothing(x):
    total = x[0]
    for v, w in zip(x, NONE):
        total += v * w
    return total


def within(x):
    rows = []
    for v, w in zip(x, W):
        for u, m in zip(x, M):
            rows.append(u * v * w / m.sum())
    return sum(rows) * rows[1]


PROGRAMS = (
    beside, ahead, of_rows, of_places, counted, backwards, of_nothing, within,
)  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_gradient(f):
    check(f, (X,))
    made = ya.simplegrad(f, X)
    for x in (X, 2 * X):
        value, dx = made(x)
        assert value == f(x)
        np.testing.assert_array_equal(dx, ya.grad(f, x)[1]["x"])
        assert ya.jvp(f)(x, V)[1] == pytest.approx(dx @ V)
        ends = [made(x + s * V)[1] for s in (1e-5, -1e-5)]
        slope = (ends[0] - ends[1]) / 2e-5
        np.testing.assert_allclose(ya.hvp(f)(x, V), slope, rtol=1e-4, atol=1e-6)


def test_the_array_is_read_as_it_is(monkeypatch):
    made = ya.simplegrad(ahead, X)
    monkeypatch.setattr(Table, "rates", 3 * W)
    np.testing.assert_allclose(made(X)[1], 3 * W)
