"""Sums of products that are products of matrices: one matrix under a stack, windows."""

import re

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import PASSES, check

rng = np.random.default_rng(13)
STACK, ROWS = rng.normal(size=(2, 4, 3)), rng.normal(size=(2, 4, 1, 3))
MATRIX, VECTOR = rng.normal(size=(3, 5)), rng.normal(size=3)
IMAGES, FILTERS = rng.normal(size=(2, 4, 5, 3)), rng.normal(size=(2, 2, 3, 2))


def under_a_stack(A, C):
    return np.sum((A @ C) ** 3)


def under_rows(A, C):
    return np.sum((A @ C) ** 3)


def vector_under_a_stack(A, v):
    return np.sum((A @ v) ** 3)


def added_up(A, v):
    for _ in range(3):
        v = np.sum(np.sin(A @ v), axis=0)[:3]
    return np.sum(v)


def windows(x, w):
    k = w.shape[0]
    out = np.zeros((x.shape[0], x.shape[1] - k + 1, x.shape[2] - k + 1, w.shape[3]))
    for i in range(out.shape[1]):
        for j in range(out.shape[2]):
            out[:, i, j, :] = np.sum(
                x[:, i : i + k, j : j + k, :, np.newaxis] * w[np.newaxis],
                axis=(1, 2, 3),
            )
    return np.sum(out**2)


def windows_of_a_loop_of_rows(x, w):
    """The new axis stands behind slices that the loop moves."""
    total = 0.0
    for i in range(x.shape[1] - w.shape[0] + 1):
        rows = x[:, i : i + w.shape[0], :, np.newaxis] * w[np.newaxis, :, :, :]
        total += np.sum(np.sum(rows, axis=(1, 2)) ** 2)
    return total


def by_hand(A, B):
    C = np.sum(A[:, :, None] * B[None, :, :], axis=1)
    return np.sum(C**2)


def rows_cut_off(x, w):
    """The second window has one row, which all rows of the filter meet."""
    total = 0.0
    for i in range(2):
        part = np.sum(x[i : i + 2, :, None] * w[None, None, :], axis=0)
        total += np.sum(part**2)
    return total


CASES = [
    (under_a_stack, (STACK, MATRIX)),
    (under_rows, (ROWS, MATRIX)),
    (vector_under_a_stack, (STACK, VECTOR)),
    (added_up, (STACK, VECTOR)),
    (windows, (IMAGES, FILTERS)),
    (by_hand, (MATRIX, MATRIX.T)),
    (rows_cut_off, (MATRIX[:2], VECTOR)),
]


@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize(("fn", "args"), CASES, ids=[c[0].__name__ for c in CASES])
def test_right(monkeypatch, fn, args, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)


@pytest.mark.parametrize(
    ("fn", "args"), CASES[:6], ids=[c[0].__name__ for c in CASES[:6]]
)
def test_products_of_matrices(fn, args):
    source = ya.simplegrad(fn, *args).source
    assert "np.tensordot" in source or fn is by_hand
    assert "swapaxes" not in source
    assert "broadcast_to" not in source or fn is added_up


ONE_CHANNEL = (IMAGES[..., :1], FILTERS[:, :, :1])
ONE_POINT = (IMAGES, FILTERS[:1, :1])


@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize("args", [ONE_CHANNEL, ONE_POINT, (IMAGES[:1], FILTERS)])
def test_axes_of_length_1(monkeypatch, args, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(windows, args)


def test_axes_of_length_1_are_no_hindrance():
    """Neither is summed over a product as large as all that is multiplied."""
    for args in (ONE_CHANNEL, ONE_POINT):
        back = ya.simplegrad(windows, *args).source.partition("# reverse")[2]
        assert "broadcast_to" not in back
        assert ".sum(axis" not in back


def test_new_axes_are_not_stored_through():
    args = (IMAGES[:, 0], FILTERS[:, 0])
    check(windows_of_a_loop_of_rows, args)
    back = ya.simplegrad(windows_of_a_loop_of_rows, *args).source
    (dx,) = (line for line in back.splitlines() if "dx[" in line)
    assert re.match(r" +dx\[:, i ?: ?[^,]*, :\] \+= np\.tensordot\(", dx)
    (dw,) = (line for line in back.splitlines() if "dw +=" in line)
    assert dw


def test_a_filter_of_one_row_is_broadcast():
    """Generated for two rows; what has one row is refused, not summed wrongly."""
    gradient = ya.simplegrad(windows, IMAGES, FILTERS)
    with pytest.raises(ValueError, match="made for"):
        gradient(IMAGES, FILTERS[:1])


def test_a_window_of_one_row_is_broadcast():
    def f(x, w, n):
        return np.sum(np.sum(x[:n, :, None] * w[:, None, :], axis=1) ** 2)

    x, w = rng.normal(size=(3, 4)), rng.normal(size=(3, 2))
    gradient = ya.simplegrad(f, x, w, 3, wrt=["x", "w"])
    _, dx, dw = gradient(x, w, 1)
    expected = ya.simplegrad(f, x[:1] * np.ones((3, 1)), w, 3, wrt=["x", "w"])
    _, dx_spread, dw_spread = expected(x[:1] * np.ones((3, 1)), w, 3)
    np.testing.assert_allclose(dw, dw_spread)
    np.testing.assert_allclose(dx[0], dx_spread.sum(axis=0))


def both_parts(x):
    z = np.fft.rfft(x)
    return np.sum(z.real**2 + z.imag**2)


def test_both_parts_of_a_complex_number():
    check(both_parts, (rng.normal(size=7),))
    source = ya.simplegrad(both_parts, np.ones(7)).source
    assert "1j" not in source
    assert "imag" not in source.partition("# reverse")[2].replace("z.imag**2", "")


@pytest.mark.parametrize("n", [None, 5, 8, 9])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_half_a_spectrum(n, norm):
    def f(x):
        z = np.fft.rfft(x, n, axis=0, norm=norm)
        return np.sum(np.abs(z) ** 3) + np.sum(z.imag)

    check(f, (rng.normal(size=(7, 2)),))
    check(f, (rng.normal(size=(8, 2)),))


def test_one_arm():
    def f(x, c):
        return np.sum(np.where(x > c, x * 1.0, x + 3.0) * x)

    check(f, (VECTOR, 0.1))
    assert "np.where" not in ya.simplegrad(f, VECTOR, 0.1, wrt="x").source.partition(
        "# reverse"
    )[2].replace("# return np.sum(np.where", "")


def test_elements_of_arrays_are_divided_by_the_operator():
    def f(x, g):
        total = 0.0
        for i in range(len(x)):
            total += np.exp(x[i] / g)
        return total

    reverse = ya.simplegrad(f, VECTOR, 2.0).source.partition("# reverse")[2]
    assert "np.divide" not in reverse


def test_a_common_factor_of_products():
    """The adjoint of `X.T @ X` is one product."""

    def f(X):
        return np.sum((X.T @ X) ** 3)

    check(f, (MATRIX,))
    reverse = ya.simplegrad(f, MATRIX).source.partition("# reverse")[2]
    assert sum("@" in line for line in reverse.splitlines() if "#" not in line) == 1


def test_another_shape_of_new_memory_is_no_copy():
    def f(A, C):
        n, m, k = A.shape
        return np.sum((np.reshape(A, (n * m, k)) @ C) ** 3)

    check(f, (STACK, MATRIX))
    assert ".copy()" not in ya.simplegrad(f, STACK, MATRIX).source


def test_what_two_gradients_share_is_a_copy():
    def f(a, b):
        return np.sum((np.ravel(a) * b.ravel() + a.reshape(6) + b.reshape(6)) * 2.0)

    def g(a, b):
        return np.sum(np.tanh(np.reshape(a, 6) + b))

    check(f, (MATRIX[:2, :3].copy(), MATRIX[1:3, :3].copy()))
    check(g, (MATRIX[:2, :3].copy(), np.arange(6.0)))
