"""Sets of whole numbers that the run computes."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

X = np.array([0.3, 1.7, -0.4])


def of_equal_lengths(x):
    y = x[1:] * 2.0
    if len(set(map(len, (x, y, x)))) != 1 and len({len(x), len(y), 9}) > 1:
        return np.sum(x[:-1] * y)
    return np.sum(x)


def members(x):
    lengths = {v.shape[0] for v in (x, x[1:], x[2:])} | {7}
    total = max(lengths) * x[0] + (1.0 if len(x) in lengths else 0.5) * x[1]
    for n in sorted(lengths):
        total = total + x[n % 3] ** 2
    return total


def edges_once(x, edges):
    total = 0.0
    for i, j in set(edges):
        total += (x[i] - 2 * x[j]) ** 2
    for i, j in sorted({(j, i) for i, j in edges}):
        x = x * x[i] + j
    return total + np.sum(x) + ((0, 1) in set(edges))


@pytest.mark.parametrize("edges", [[(0, 1), (1, 2), (0, 1)], [(2, 2), (1, 0), (0, 2)]])
def test_sets_of_computed_pairs(edges):
    made = ya.simplegrad(edges_once, X, [(0, 1), (1, 2), (0, 1)], wrt="x")
    value, gradient = made(X, edges)
    assert value == edges_once(X, edges)
    steps = 1e-6 * np.eye(3)
    slopes = [
        (edges_once(X + h, edges) - edges_once(X - h, edges)) / 2e-6 for h in steps
    ]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("fn", [of_equal_lengths, members])
def test_it_is_right(fn):
    check(fn, X)
    gradient = ya.simplegrad(fn, X)
    longer = np.array([0.3, 1.7, -0.4, 2.2])
    steps = 1e-6 * np.eye(4)
    slopes = [(fn(longer + h) - fn(longer - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(gradient(longer)[1], slopes, atol=1e-6)


def changed(x):
    lengths = {len(x), len(x[1:])}
    lengths.add(9)
    return len(lengths) * x[0]


def test_a_change_is_refused():
    with pytest.raises(ya.UnsupportedCall, match="changes a set"):
        ya.grad(changed, X)
