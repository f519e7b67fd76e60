"""What a function writes through a view of its own is for all who share the memory: the
tangents between its ops make no copy of the view."""

import numpy as np
import pytest

from .checking import check_both_orders

X, V = np.array([0.3, 0.7, -0.4]), np.array([0.3, -0.7, 0.4])


def a_column_of_the_transposed(x, n):
    m = np.zeros((3, 3))
    flipped = m.T
    column = flipped[:, n]
    column[[0, 2]] += 1.0
    return np.sum(flipped * x) + np.sum(m * x * x)


def rows_of_a_matrix(x, n):
    m = np.ones((3, 3))
    a, b, c = m
    a[[0, n]] += 3.0
    b[[0, n]] *= a[[0, n]]
    return np.sum(m * x) + np.sum(a * x) * np.sum(b * x * x) + np.sum(c)


def beside_tangents_in_place(x, n):
    m = np.ones((3, 3))
    flipped = m.T
    column = flipped[:, n]
    column[[0, 2]] *= 3.0
    row = m[0] * x
    row[n - 1] *= x[0]
    column[[0, 1]] += 2.0
    return np.sum(flipped * x) + np.sum(m * x * x) + np.sum(row * column)


def in_a_loop(x, n):
    m = np.ones((3, 3))
    flipped = m.T
    column = flipped[:, n]
    total = 0.0
    while total < 4.0:
        column[[0, 2]] += 1.0
        total += np.sum(m[:, 0] * m[n]) + np.sum(x * x) * flipped[0, n]
        flipped[n - 1][[0, 1]] *= 0.5
    return total * x[0] + np.sum(flipped * x)


def made_in_each_iteration(x, n):
    total = 0.0
    for i in range(n):
        m = np.ones((3, 3))
        flipped = m.T
        column = flipped[:, n - 1]
        column[[0, 2]] += float(i)
        total += np.sum(flipped * x) * np.sum(m * x * x)
    return total * total


PROGRAMS = [
    a_column_of_the_transposed, rows_of_a_matrix, beside_tangents_in_place, in_a_loop,
    made_in_each_iteration,
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_the_tangent_is_that_of_the_gradient(program, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check_both_orders(program, X, V, 2, atol=1e-8)
