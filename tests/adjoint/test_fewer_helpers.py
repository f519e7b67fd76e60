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
