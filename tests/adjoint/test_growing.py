# ruff: noqa: PERF401  (comprehensions are not what is tried here)
"""Lists that grow by an item an iteration: values, gradients, and what the text says.

Each function is compared with central differences, with all passes and none.
"""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.3, 0.7, 1.1])


def trajectory(y, n):
    out = [y]
    for i in range(n):
        y = np.sin(y) * y
        out.append(y)
    table = np.array(out)
    return np.sum(table[:, 0] ** 2) + np.sum(table[-1])


def from_nothing(y, n):
    out = []
    for i in range(n):
        y = y * y
        out.append(y)
    return np.sum(np.array(out) ** 2)


def numbers(y, n):
    out = []
    for i in range(n):
        out.append(y[i % 3] ** 2)
    return np.sum(np.array(out) ** 3)


def last_item(y, n):
    out = [y, 2 * y]
    for i in range(n):
        out.append(np.sin(out[-1]) + out[-2])
    return np.sum(np.array(out) ** 2)


def total(y, n):
    out = [y]
    for i in range(n):
        y = np.cos(y)
        out.append(y * i)
    return np.sum(sum(out) ** 2)


def two_a_turn(y, n):
    out = []
    for i in range(n):
        out.append(y)
        y = np.sin(y)
        out.append(2 * y)
    return np.sum(np.array(out) ** 2)


def not_each_time(y, n):
    out = [y]
    for i in range(n):
        if i % 2:
            continue
        y = np.sin(y)
        out.append(y)
    return np.sum(np.array(out) ** 2)


def left_early(y, n):
    out = []
    for i in range(n):
        y = y * 1.5
        if y[0] > 1:
            break
        out.append(y)
    return np.sum(np.array(out) ** 2)


def from_three(y, n):
    out = [y]
    for i in range(3, 3 + n):
        out.append(y * i)
    return np.sum(np.array(out) ** 2)


def within(y, n):
    rows = []
    for i in range(n):
        row = []
        for j in range(3):
            row.append(y[j] ** i)
        rows.append(row)
    return np.sum(np.array(rows) ** 2)


def grown_twice(y, n):
    out = [y]
    for i in range(n):
        y = np.sin(y)
        out.append(y)
    for i in range(n):
        y = np.cos(y)
        out.append(y)
    return np.sum(np.array(out) ** 2)


def items_written(y, n):
    out = []
    for i in range(n):
        out.append(y * i)
    for i in range(n):
        out[i] = out[i] * y
    return np.sum(np.array(out) ** 2)


def written_after(y, n):
    out = []
    y = y.copy()
    for i in range(n):
        y *= 2
        out.append(y)
    return np.sum(np.array(out) ** 2)


def put_together(y, n):
    out = [v for v in y * y if v > 0.3] + [y[0]]
    return np.sum(y) + sum(out) * n


CASES = [
    put_together,
    trajectory, from_nothing, numbers, last_item, total, two_a_turn, not_each_time,
    left_early, from_three, within, grown_twice, items_written, written_after,
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize("fn", CASES, ids=lambda f: f.__name__)
def test_against_differences(fn, n, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    val, g = ya.grad(fn, X.copy(), n, wrt="y")
    assert val == fn(X.copy(), n)
    step = 1e-6
    for k in range(3):
        up, down = X.copy(), X.copy()
        up[k] += step
        down[k] -= step
        slope = (fn(up, n) - fn(down, n)) / (2 * step)
        assert g["y"][k] == pytest.approx(slope, rel=1e-6, abs=1e-6)


def text(fn, *args, **options):
    return ya.simplegrad(fn, *args, **options).source


def test_an_item_of_the_adjoint_is_that_of_the_append():
    reverse = text(trajectory, X, 4).partition("# reverse")[2]
    assert "dy += dtable[i + 1]" in reverse
    assert "dy += dtable[0]" in reverse
    assert "unbroadcast" not in reverse
    assert "uncast" not in reverse


def test_items_of_a_sum():
    reverse = text(numbers, X, 4).partition("# reverse")[2]
    assert "dout[i]" in reverse
    assert "dout[:-1]" not in reverse


@pytest.mark.parametrize("fn", [two_a_turn, not_each_time, left_early, last_item])
def test_does_not_fire(fn):
    assert "[:-1]" in text(fn, X, 4)


def test_items_are_saved_and_not_the_list():
    forward, _, _ = text(last_item, X, 4).partition("# reverse")
    assert "saved.append(" in forward
    assert "copy" not in forward


def rotated(theta, y):
    c, s = np.cos(theta), np.sin(theta)
    return np.sum((np.array([[c, -s], [s, c]]) @ y) ** 3)


def test_items_of_a_matrix_that_is_written_out():
    y = np.array([1.0, 2.0])
    assert "[1, 0]" in text(rotated, 0.3, y)
    assert "uncast_array" not in text(rotated, 0.3, y)
    _, g = ya.grad(rotated, 0.3, y)
    slope = (rotated(0.3 + 1e-6, y) - rotated(0.3 - 1e-6, y)) / 2e-6
    assert g["theta"] == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("dtype", ["f4", "c16"])
def test_arrays_of_lists_of_other_dtypes(dtype):
    def fn(x, n):
        out = [x]
        for i in range(n):
            out.append(x * (1j if dtype == "c16" else np.float32(2)))
        return np.sum(np.abs(np.array(out)) ** 2)

    x = X.astype("f4") if dtype == "f4" else X
    _, g = ya.grad(fn, x, 3, wrt="x")
    assert g["x"].dtype == x.dtype
    factor = 26 if dtype == "f4" else 8
    np.testing.assert_allclose(g["x"], factor * x, rtol=1e-6)


def one_column(x, y):
    cols = x * y[:, np.newaxis]
    return np.sum(cols[:, 0]) + np.sum(cols[1:] ** 2)


def test_a_number_is_stored_as_it_is():
    x, y = np.array([1.0, 2.0]), np.array([3.0, -1.0, 2.0])
    made = text(one_column, x, y)
    assert "full_like" not in made
    _, g = ya.grad(one_column, x, y)
    np.testing.assert_allclose(g["x"], np.array([4.0, 0.0]) + 10 * x)
    np.testing.assert_allclose(g["y"], 1.0 + 2 * np.sum(x**2) * y * np.array([0, 1, 1]))
