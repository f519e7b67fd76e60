"""A batch that is called again is served at once, where nothing has changed."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api import batched_calls

from .comparing import loop, same

SCALE = 2.0
X = np.arange(12.0).reshape(4, 3)


def scaled(x, k=1):
    total = SCALE * np.sum(x)
    for j in range(k):
        total = total + x[j]
    return total


@pytest.fixture
def long_ways(monkeypatch):
    """The calls for which the code is looked for by all that is known of them."""
    calls, entry = [], batched_calls._entry

    def counted(*args, **kwargs):
        calls.append(args)
        return entry(*args, **kwargs)

    monkeypatch.setattr(batched_calls, "_entry", counted)
    return calls


@pytest.mark.parametrize("transform", [lambda f: f, ya.value_and_grad])
def test_the_second_call_is_short(transform, long_ways):
    fn = transform(scaled)
    batch = ya.vmap(fn, in_axes=(0, None))
    for rows in (X, X + 1, X[:2], X[:3, :2].copy()):
        same(batch(rows, 1), loop(fn, (rows, 1), (0, None)))
    assert len(long_ways) == 1


def test_what_decides_is_looked_at(long_ways, monkeypatch):
    batch = ya.vmap(scaled, in_axes=(0, None))
    for args in (
        (X, 1),
        (X, 2),
        (X.astype(np.float32), 1),
        (X[:, :1].copy(), 1),
        (X, 1),
    ):
        same(batch(*args), loop(scaled, args, (0, None)), 1e-6)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    same(batch(X, 1), loop(scaled, (X, 1), (0, None)))


def test_the_axes_are_looked_at():
    def first(x):
        return x[0] * 1.0

    square = X[:3]
    for axis in (0, 1, 0, 1):
        found = ya.vmap(first, in_axes=axis)(square)
        np.testing.assert_array_equal(found, np.take(square, 0, 1 - axis))


def test_closures_are_apart():
    def times(k):
        return lambda x: k * x

    batches = [ya.vmap(times(k)) for k in (2.0, 3.0)]
    for _ in range(3):
        assert [batch(np.ones(2))[0] for batch in batches] == [2.0, 3.0]


def test_another_count_is_an_error_each_time():
    batch = ya.vmap(np.dot)
    same(batch(X, X), np.sum(X * X, axis=1))
    for _ in range(2):
        with pytest.raises(ValueError, match="as many examples"):
            batch(X, X[:2])
        same(batch(X[1:], X[1:]), np.sum(X[1:] ** 2, axis=1))


def test_values_and_gradients_are_apart():
    for _ in range(2):
        assert ya.vmap(scaled)(X).shape == (4,)
        assert ya.vmap(ya.grad(scaled))(X).shape == (4, 3)
        values, slopes = ya.vmap(ya.value_and_grad(scaled))(X)
        assert (values.shape, slopes.shape) == ((4,), (4, 3))
