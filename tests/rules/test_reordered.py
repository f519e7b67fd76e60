"""Elements taken in the order of columns: a view that is written is not one of rows."""

import numpy as np
import pytest

import yota_ast as ya


def written(x):
    y = x * 1.0
    z = y.reshape((2, 2), order="F")
    z[0, 1] = 5.0
    return np.sum(y * np.arange(4.0) * x) + np.sum(z[1] ** 2)


def test_a_write_into_a_view_by_columns_is_right_or_refused():
    x = np.array([0.5, 1.5, -2.0, 3.0])
    try:
        _, g = ya.grad(written, x)
    except ya.YotaError:
        return
    np.testing.assert_allclose(g["x"], [0.0, 6.0, 10.0, 24.0])


def by_rows(x, w):
    return np.sum(np.reshape(x, (3, 2), order="C") ** 2 * w)


def by_columns(x, w):
    return np.sum(np.reshape(x, (3, 2), order="F") ** 2 * w)


@pytest.mark.parametrize(("f", "order"), [(by_rows, "C"), (by_columns, "F")])
def test_reading_in_either_order(f, order):
    x, w = np.arange(1.0, 7.0).reshape(2, 3), np.arange(6.0).reshape(3, 2)
    _, g = ya.grad(f, x, w, wrt=["x"])
    slope = 2 * np.reshape(x, (3, 2), order=order) * w
    np.testing.assert_allclose(g["x"], np.reshape(slope, (2, 3), order=order))
