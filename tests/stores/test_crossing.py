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


def its_own_row_or_another(x):
    m = _matrix(x)
    for i in range(len(x)):
        m[i] = m[i] if x[i] > 1.0 else 2 * m[i]
    return np.sum(m * m * x)


def _normal(v):
    norm = np.linalg.norm(v)
    return v if norm == 0 else v / norm


def its_own_row_by_a_helper(x):
    m = np.asarray(_matrix(x), dtype=float)
    for i in range(len(x)):
        m[i] = _normal(m[i])
    return np.sum(m**3 * x)


def all_of_what_a_loop_has_left(x):
    y = x.copy()
    z = y
    for k in range(len(x)):
        z = z * x[k]
    y[:] = z
    return np.sum(y * y)


SAFE = (
    row_into_its_column, rest_of_a_row_into_its_column, column_into_a_lower_row,
    column_into_the_first_row, last_by_a_name, to_the_front, shifted_and_turned,
    every_other_of_another_row, of_another_matrix, whole_blocks, a_copy,
    of_truth_values_and_places, its_own_row_or_another, its_own_row_by_a_helper,
    all_of_what_a_loop_has_left,
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


def one_of_two_rows(x):
    m = _matrix(x)
    m[:, -1] = m[1] if x[0] < 1.0 else 2 * m[1]
    return np.sum(m * m)


def one_of_two_rows_in_a_loop(x):
    m = _matrix(x)
    for k in range(2):
        row = m[k]
        if x[k] > 5.0:
            row = x
        m[:, -1] = row
    return np.sum(m * m)


def a_row_by_a_helper(x):
    m = _matrix(x)
    m[:, -1] = _same(m[1])
    return np.sum(m * m)


def _same(v):
    if np.sum(v) == 0:
        return v + 1
    return v


def a_row_that_may_be_another(x):
    m = _matrix(x)
    m[:, -1] = np.require(m[1])
    return np.sum(m * m)


def the_larger_row(x):
    m = _matrix(x)
    m[:, -1] = max([m[1], m[1] * 0], key=np.sum)
    return np.sum(m * m)


def every_other_of_what_a_loop_has_left(x):
    y = np.array([x[0], x[1], x[2], 1.0])
    z = y
    for k in range(len(x)):
        if x[k] > 3.0:
            z = z * x[k]
    y[::2] = z[:2]
    return np.sum(y * y)


WHY = (
    "a row or column is stored into another one of the same array: NumPy may overwrite "
    "values before it has read them"
)
CROSSING = (
    row_into_a_column, column_into_a_row, by_two_views, transposed, by_copyto, spread,
    spread_in_a_row, by_a_mask, by_place, of_a_flat_view,
    every_other_of_what_a_loop_has_left, one_of_two_rows, one_of_two_rows_in_a_loop,
    a_row_by_a_helper, a_row_that_may_be_another, the_larger_row,
)  # fmt: skip


@pytest.mark.parametrize("f", CROSSING)
def test_what_may_be_overwritten_first_is_refused(f):
    with pytest.raises(ya.UnsupportedSyntax, match=WHY):
        ya.grad(f, V)


def test_lines_by_indices_that_are_not_known():
    with pytest.raises(ya.UnsupportedSyntax, match=WHY):
        ya.grad(by_indices, V, 2, 1)


def normal_rows(q):
    c = np.asarray(q, dtype=np.float64)
    for i in range(len(c)):
        c[i] = _normal(c[i])
    return np.sum(c**3)


def test_rows_of_what_may_be_the_argument():
    q = np.array([[0.3, -0.4, 0.8], [1.1, 0.2, 0.5]])
    val, g = ya.grad(normal_rows, q.copy())
    assert val == normal_rows(q.copy())
    for k in np.ndindex(q.shape):
        h = np.zeros_like(q)
        h[k] = 1e-6
        slope = (normal_rows(q + h) - normal_rows(q - h)) / 2e-6
        assert g[0][k] == pytest.approx(slope, abs=1e-6)


def items_of_unknown_rank(x):
    z = x * 1.0
    first, total = z[0], 0.0
    for k in range(len(x) - 1):
        total += x[k] ** 2
    z[-1] = first
    for k in range(len(x) - 1):
        z[k], z[k + 1] = z[k + 1], z[k] * x[k]
    return np.sum(z * x) * total


def a_line_of_unknown_rank(x):
    z = x * 1.0
    z[:, -1] = z[1]
    return np.sum(z * z)


def test_lines_of_arrays_of_unknown_rank():
    made = ya.simplegrad(items_of_unknown_rank)
    assert made(V)[0] == items_of_unknown_rank(V)
    np.testing.assert_allclose(made(V)[1], ya.grad(items_of_unknown_rank, V)[1][0])
    with pytest.raises(ya.UnsupportedSyntax, match=WHY):
        ya.simplegrad(a_line_of_unknown_rank)
