"""Adjoints of functions of NumPy that are a call of another one: no helper is left."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import PASSES, check

V = np.array([0.3, -1.0, 2.0, 0.7, 1.1])
K = np.array([0.5, 1.5, -0.4])


def convolved(x, k):
    return np.sum(np.convolve(x, k) ** 2)


def moving(x, k):
    return np.sum(np.convolve(x, k, mode="valid") ** 3)


def weighted(x, k):
    return np.average(x[: len(k)], weights=k * k) ** 2


def polynomial(x, k):
    return np.sum(np.sin(np.polyval(k, x)))


ALL = [convolved, moving, weighted, polynomial]


@pytest.mark.parametrize("passes", PASSES)
def test_the_gradient(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for fn in ALL:
        check(fn, (V, K))
        check(fn, (V.astype(np.float32), K.astype(np.float32)))


@pytest.mark.parametrize("fn", ALL)
def test_no_helper(fn):
    text = ya.simplegrad(fn, V, K).source
    assert text.count("def ") == 1, text


@pytest.mark.parametrize("lengths", [(5, 1), (3, 3), (2, 4), (1, 1), (1, 3)])
@pytest.mark.parametrize("fn", [convolved, moving, polynomial])
def test_other_lengths_are_right_or_refused(fn, lengths):
    made = ya.simplegrad(fn, V, K)
    x, k = V[: lengths[0]], np.resize(K, lengths[1])
    if fn is moving and lengths[0] < lengths[1]:
        with pytest.raises(ValueError, match="made for"):
            made(x, k)
    else:
        value, dx, dk = made(x, k)
        assert value == fn(x, k)
        again = ya.grad(fn, x, k)[1]
        np.testing.assert_allclose(dx, again["x"], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(dk, again["k"], rtol=1e-10, atol=1e-12)
    assert ya.gradcheck(fn, x, k)


@pytest.mark.parametrize("dtype", ["u1", "i1", "i8"])
def test_powers_that_do_not_fit_whole_numbers(dtype):
    """NumPy evaluates a polynomial in floats, whatever the points are."""

    def f(p, x):
        return np.sum(np.polyval(p, x))

    p = np.array([0.3, 0.5, -0.7])
    x = np.array([10**10 if dtype == "i8" else 120, 3], dtype=dtype)
    value, dp = ya.simplegrad(f, p, x, wrt=["p"])(p, x)
    y = x.astype(float)
    assert value == f(p, x)
    assert dp == pytest.approx([y @ y, np.sum(y), 2.0])


def of_a_list(x, k, y):
    n = len(x) - len(k) + 1
    s = np.array([np.dot(x[i : i + len(k)], k) for i in range(n)])
    return np.sum((s - y) ** 2)


def of_lists_alone(x):
    s = np.array([v * v for v in x])
    t = np.array([np.sin(v) for v in x[:1]])
    return np.sum(s * t)


def discounted(cash, rate, t):
    return np.sum(cash / (1 + rate) ** t)


def turned(A, B, x):
    t = (A @ B).T
    return np.sum((x @ t) ** 2)


ROW = np.linspace(0.4, 1.9, 6)


@pytest.mark.parametrize("passes", ["all", "none"])
def test_vectors_of_lengths_that_only_the_data_tell(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for x, y in (
        (ROW, ROW[:4]),
        (ROW, ROW[:1]),
        (ROW[:3], ROW[:4]),
        (ROW[:3], ROW[:1]),
    ):
        check(of_a_list, (x, ROW[3:], y))
    for n in (4, 1):
        check(of_lists_alone, (ROW[:n],))
    check(of_a_list, (ROW[:2], ROW[3:], ROW[:0]))


@pytest.mark.parametrize("t", [ROW, np.arange(4), np.array([0.0, 1.0, 2.0])])
def test_powers_of_numbers_to_arrays(t):
    for rate in (0.05, 0.0):
        check(discounted, (ROW[: len(t)], rate, t))
    source = ya.simplegrad(discounted, ROW[: len(t)], 0.1, t, wrt="rate").source
    assert "def " not in source.partition("return val")[2]


def test_no_transpose_of_a_transpose():
    A, B = ROW.reshape(2, 3), ROW.reshape(3, 2)
    check(turned, (A, B, ROW[:2]))
    assert ".T.T" not in ya.simplegrad(turned, A, B, ROW[:2]).source


# ---------------------------------------------------------------- diagonals


def of_a_product(a, b):
    k = a @ b.T
    return np.mean(np.max(k, axis=1) - np.diag(k))


def of_a_square(a, b):
    k = a @ a.T
    return np.sum(np.diagonal(k) * b[:, 0]) + np.sum(k.diagonal() ** 2)


def of_rows(a, b):
    return np.sum(np.diag(a @ b.T) * np.sum(a, axis=1))


A, B = np.random.default_rng(3).normal(size=(2, 4, 3))


@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize("fn", [of_a_product, of_a_square, of_rows])
def test_the_gradient_of_a_diagonal(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (A, B))


@pytest.mark.parametrize("fn", [of_a_product, of_a_square, of_rows])
def test_a_diagonal_is_as_long_as_the_rows(fn):
    text = ya.simplegrad(fn, A, B).source
    assert text.count("def ") == 1, text


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("m", [1, 2, 4])
def test_a_diagonal_of_other_lengths_is_right_or_refused(n, m):
    for example in (B, B[:2], np.concatenate((B, B))):
        try:
            made = ya.simplegrad(of_rows, A[:2], example)
            found = made(A[:n], B[:m])
        except ValueError:
            continue
        assert found[0] == of_rows(A[:n], B[:m])
        wanted = ya.grad(of_rows, A[:n], B[:m])[1]
        np.testing.assert_allclose(found[1], wanted["a"], rtol=1e-12)
        np.testing.assert_allclose(found[2], wanted["b"], rtol=1e-12)


# ---------------------------------------------------------------- np.gradient


def slope(a, h):
    return np.sum(np.gradient(a[:, 0], h) ** 3)


def slopes(a, h):
    rows, columns = np.gradient(a, 0.5)
    return np.sum(np.sqrt(rows**2 + columns**2 + 1e-3))


def slopes_along(a, h):
    return np.sum(np.gradient(a, axis=1) * np.gradient(a, h, axis=-2) * a)


def bent(a, h):
    return np.sum(np.gradient(np.gradient(a[:, 1])) ** 2)


SLOPES = [slope, slopes, slopes_along, bent]


@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize("fn", SLOPES)
def test_the_gradient_of_differences(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for a in (A, A[:2], A[:2, :2], A[:3].astype(np.float32)):
        check(fn, (a, 0.25))


@pytest.mark.parametrize("fn", SLOPES)
def test_differences_need_no_helper(fn):
    made = ya.simplegrad(fn, A, 0.25, wrt=["a"])
    assert made.source.count("def ") == 1, made.source
    assert made(A.astype(np.float32), 0.25)[1].dtype == np.float32


def test_differences_of_points_that_are_not_evenly_apart_keep_the_helper():
    def along(y, x):
        return np.sum(np.gradient(y, x) ** 2)

    x = np.array([0.0, 0.5, 2.0, 2.5])
    assert "def ungradient" in ya.simplegrad(along, A[:, 0], x).source
    assert ya.gradcheck(along, A[:, 0], x)


# ---------------------------------------------------------------- columns


def design(a, h):
    x = a[:, 0]
    return np.sum((np.column_stack([np.ones_like(x), x, x**2]) @ B[0]) ** 2) * h


def with_a_column_of_ones(a, h):
    return np.sum(np.column_stack((np.ones(len(a)), a)) ** 3) * h


def columns_and_matrices(a, h):
    c = a[:, 0] * h
    return np.sum(np.column_stack((c, a, c, a * h, c)) ** 3)


COLUMNS = [design, with_a_column_of_ones, columns_and_matrices]


@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize("fn", COLUMNS)
def test_the_gradient_of_columns(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (A, 0.25))
    check(fn, (A.astype(np.float32), 0.25))


@pytest.mark.parametrize("fn", COLUMNS)
def test_columns_need_no_helper(fn):
    text = ya.simplegrad(fn, A, 0.25).source
    assert text.count("def ") == 1, text
