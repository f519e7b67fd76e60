"""Stores whose index names an element twice: the last value alone has an adjoint."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

M = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
X = np.array([0.3, 0.5, -0.2])
V = np.array([0.1, 0.7, -0.3, 0.4, 0.9, 0.2])


def rows_of_a_matrix(x, v):
    r, _ = np.nonzero(M)
    y = x.copy()
    y[r] += v
    return np.sum(y**2)


def places_in_a_matrix(x, v):
    y = x.copy()
    y[np.argwhere(M > 0)] = np.reshape(v, (3, 2)).repeat(2, 0)
    return np.sum(y**2)


def orders_of_rows(x, v):
    y = x.copy()
    y[np.argsort(M, axis=1)] = np.outer(v[:3], v[:3])
    return np.sum(y**2)


def from_both_ends(x, v):
    y = x.copy()
    y[np.arange(-2, 2)] += v[:4]
    return np.sum(y**2)


def unlike_numbers(x, v):
    y = x.copy()
    y[np.unique(np.array([-1, 2, 0]))] += v[:3]
    return np.sum(y**2)


def one_row(x, v):
    y = np.outer(x, x)
    y[np.arange(1), np.array([0, 1, 0])] = v[:3]
    y[x > 0.4, np.array([0, 0, 1])] += v[3:]
    return np.sum(y**2)


def backwards(x, v):
    y = x.copy()
    y[np.arange(2, -1, -1)] = v[:3] * y
    y[np.arange(0, 3, 2)] *= v[1]
    return np.sum(y**2)


FUNCTIONS = [
    rows_of_a_matrix, places_in_a_matrix, orders_of_rows, from_both_ends,
    unlike_numbers, one_row, backwards,
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", FUNCTIONS)
def test_the_gradient(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (X, V))


def picked(p, y):
    return -np.sum(np.log(p[np.arange(len(y)), y]))


def test_one_of_each_row_is_added_without_a_loop():
    p, y = np.full((3, 2), 0.5), np.array([0, 1, 0])
    assert "add.at" not in check(picked, (p, y))
    assert "add.at" in ya.simplegrad(lambda p, y: np.sum(p[y, y]), p, y % 2).source
