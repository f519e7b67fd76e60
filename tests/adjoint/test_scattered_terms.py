"""What goes back through indices is added last: no array of zeros for each."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

RNG = np.random.default_rng(3)


def in_a_loop(u, k):
    for _ in range(3):
        u = u + k * np.diff(u) @ np.diff(u)
    return np.sum(u**2)


def along_both_axes(u, k):
    return k * np.sum(np.diff(u, axis=0) ** 2) + np.sum(np.diff(u, axis=1) ** 2)


def beside_what_is_dense(u, k):
    return np.sum(np.diff(np.sin(u)) ** 2) + np.sum(k * u**2) - np.sum(np.diff(u))


def of_second_differences(u, k):
    return k * np.sum(np.diff(u, 2) ** 2) - np.sum(np.diff(u) * u[1:])


def read_twice(u, k):
    d = np.diff(u)
    return np.sum(d[1:] * d[:-1]) + k * np.sum(u * u)


U = RNG.normal(size=7)
CASES = [
    (in_a_loop, U, 0), (along_both_axes, RNG.normal(size=(3, 4)), 1),
    (beside_what_is_dense, U, 1), (of_second_differences, U, 1), (read_twice, U, 1),
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none", "-joined", "-inplace"])
@pytest.mark.parametrize(("fn", "u", "most"), CASES)
def test_one_array_of_zeros_at_most(fn, u, most, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (u, 0.4))
    for dtype in (np.float32, ">f8"):
        got = ya.grad(fn, u.astype(dtype), 0.4)[1]["u"]
        np.testing.assert_allclose(got, ya.grad(fn, u, 0.4)[1]["u"], rtol=2e-4)
    if passes == "all":
        source = ya.simplegrad(fn, u, 0.4).source
        assert source.count("np.zeros") <= most, source


def joined_and_moved(u, w):
    a = np.concatenate([np.roll(u, 1)[:-1], u[:1]])[1:]
    b = np.concatenate([np.diff(u), u[:1]])[1:]
    c = np.diff(w * u) - np.abs(w * u)[1:]
    q = u.copy()
    total = np.sum(a * w[1:]) + np.sum(b) + np.sum(c * w[1:])
    return total - np.sum(np.diff(q) * w[1:])


@pytest.mark.parametrize("passes", ["all", "none"])
def test_a_sum_that_begins_under_another_name(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(joined_and_moved, (U, U[::-1].copy()))


@pytest.mark.parametrize("passes", ["all", "none"])
def test_a_part_that_is_taken_off(passes, monkeypatch):
    """Its sign stands between it and the sum."""

    def f(W):
        y = W[:]
        return (1.0 - W)[1] + y

    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    W = seed = np.arange(6.0).reshape(3, 2)
    expected = seed - np.array([[0.0], [1.0], [0.0]]) * seed.sum(axis=0)
    np.testing.assert_array_equal(ya.grad(f, W, seed=seed)[1]["W"], expected)
