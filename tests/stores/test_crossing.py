"""Arrays that are stored into themselves: NumPy reads first, or it is refused.

Where a row is stored into a column NumPy copies element by element, and may read what
it has just written: `m[:, -1] = m[1]` is then not what it says.
"""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya

V = np.array([0.7, 1.3, 0.4])


def _matrix(x):
    return np.outer(x, x**2)


def row_into_its_column(x):
    m = _matrix(x)
    for i in range(len(x)):
        m[:, i] = m[i]
    return np.sum(m * m * x)


def rest_of_a_row_into_its_column(x):
    m = _matrix(x)
    for k in range(len(x) - 1):
        m[k + 1 :, k] = m[k, k + 1 :]
    return np.sum(m * m * x)


def column_into_a_lower_row(x):
    m = _matrix(x)
    m[2] = m[:, 0]
    return np.sum(m * m * x)


def column_into_the_first_row(x):
    m = _matrix(x)
    m[0] = m[:, 2]
    m[:, 1] = m[0]
    return np.sum(m * m * x)


def last_by_a_name(x):
    m, n = _matrix(x), len(x)
    m[:, n - 1] = m[n - 1]
    return np.sum(m * m * x)


def to_the_front(x):
    y = x.copy()
    y[:2] = y[::2]
    return np.sum(y * y * x)


def shifted_and_turned(x):
    y = x.copy()
    y[1:] = y[:-1]
    y[::-1] = y
    y[1:][1:] = y[:-2]
    return np.sum(y * y * x)


def every_other_of_another_row(x):
    m = _matrix(x)
    m[0, ::2] = m[1, :2]
    return np.sum(m * m * x)


def of_another_matrix(x):
    m = np.zeros((2, 3, 3))
    m[0] = _matrix(x)
    m[1, :, 0] = m[0, 0]
    m[1, 0] = m[0, :, 1]
    return np.sum(m * m * x)


def whole_blocks(x):
    m = _matrix(x)
    m[:, :2] = m[:2].T
    m[:] = m.T
    m[0], m[1] = m[1].copy(), m[0].copy()
    return np.sum(m * m * x)


def a_copy(x):
    m = _matrix(x)
    m[:, 2] = m[1].copy()
    m[:, 1] = 2 * m[2]
    m[[0, 1, 2], 0] = m[1]
    return np.sum(m * m * x)


def of_truth_values_and_places(x):
    y = x.copy()
    y[y < 1.0] = y[::-1][y < 1.0]
    y[[2, 0]] = y[:2]
    y[:] = y.reshape(-1)
    np.putmask(y, y < 1.0, y[::-1])
    return np.sum(y * x)


SAFE = (
    row_into_its_column, rest_of_a_row_into_its_column, column_into_a_lower_row,
    column_into_the_first_row, last_by_a_name, to_the_front, shifted_and_turned,
    every_other_of_another_row, of_another_matrix, whole_blocks, a_copy,
    of_truth_values_and_places,
)  # fmt: skip


@pytest.mark.parametrize("f", SAFE)
def test_what_is_read_before_it_is_written(f):
    assert ya.gradcheck(f, V)


def row_into_a_column(x):
    m = _matrix(x)
    m[:, -1] = m[1]
    return np.sum(m * m)


def column_into_a_row(x):
    m = _matrix(x)
    m[1] = m[:, 2]
    return np.sum(m * m)


def by_two_views(x):
    m = _matrix(x)
    column, row = m[:, 2], m[1]
    column[:] = row
    return np.sum(m * m)


def transposed(x):
    m = _matrix(x)
    m.T[2] = m[1]
    return np.sum(m * m)


def by_copyto(x):
    m = _matrix(x)
    np.copyto(m[:, 2], m[1])
    return np.sum(m * m)


def by_indices(x, i, j):
    m = _matrix(x)
    m[:, i] = m[j]
    return np.sum(m * m)


def spread(x):
    y = x.copy()
    y[::2] = y[:2]
    return np.sum(y * y)


def spread_in_a_row(x):
    m = _matrix(x)
    row = m[1]
    row[::2] = m[1, :2]
    return np.sum(m * m)


def by_a_mask(x):
    y = x.copy()
    y[y < 1.0] = y[:2]
    return np.sum(y * x)


def by_place(x):
    y = x.copy()
    np.place(y, y < 1.0, y[:2])
    return np.sum(y * x)


def of_a_flat_view(x):
    m = _matrix(x)
    m.reshape(-1)[0:9:4] = m.reshape(-1)[2:5]
    return np.sum(m * m)


WHY = (
    "a row or column is stored into another one of the same array: NumPy may overwrite "
    "values before it has read them"
)
CROSSING = (
    row_into_a_column, column_into_a_row, by_two_views, transposed, by_copyto, spread,
    spread_in_a_row, by_a_mask, by_place, of_a_flat_view,
)  # fmt: skip


@pytest.mark.parametrize("f", CROSSING)
def test_what_may_be_overwritten_first_is_refused(f):
    with pytest.raises(ya.UnsupportedSyntax, match=WHY):
        ya.grad(f, V)


def test_lines_by_indices_that_are_not_known():
    with pytest.raises(ya.UnsupportedSyntax, match=WHY):
        ya.grad(by_indices, V, 2, 1)
