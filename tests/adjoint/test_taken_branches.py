"""What one way of a choice alone adds stands in a branch."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

rng = np.random.default_rng(7)
X, Y = rng.normal(size=(2, 6))
W = rng.normal(size=(3, 6))


def aligned(x, y):
    D = np.zeros((len(x) + 1, len(y) + 1))
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            cost = abs(x[i - 1] - y[j - 1])
            D[i, j] = min(D[i - 1, j - 1] + cost, D[i - 1, j] + 1, D[i, j - 1] + 0.5)
    return D[len(x), len(y)]


def of_costs(cost, x):
    D = np.zeros((cost.shape[0] + 1, cost.shape[1] + 1))
    for i in range(1, cost.shape[0] + 1):
        for j in range(1, cost.shape[1] + 1):
            D[i, j] = min(D[i - 1, j] + x[0], D[i - 1, j - 1] + cost[i - 1, j - 1])
    return D[-1, -1] * D[-1, -2]


def kept_or_replaced(x, y):
    best = x.copy()
    for i in range(len(x)):
        for j in range(len(y) - 1, 0, -1):
            best[j] = max(best[j], best[j - 1] + y[i])
    return np.sum(best * best)


def of_rows(x, W):
    s = 1.0
    for i in range(len(x)):
        row = W[i % 3] if x[i] > s else W[0] * x[i]
        s = s + np.sin(np.sum(row))
    return s


def carried(x, y):
    s = t = 1.0
    for i in range(len(x)):
        s = s * np.cos(t * x[i] if x[i] > y[i] else y[i])
    return s


def in_a_view(x, y):
    z = x * y
    tail = z[1:]
    for i in range(len(tail)):
        tail[i] = max(tail[i], z[i]) * 1.1
    return np.sum(z * z)


BRANCHES = [
    (aligned, (X, Y), ["elif ", "dD[i, j - 1] += t1\n"]),
    (of_costs, (W, X), ["dcost[i - 1, j - 1] += t1\n", "else:\n"]),
    (kept_or_replaced, (X, Y), ["dbest[j] = 0.0\n"]),
    (of_rows, (X, W), ["else:\n"]),
    (carried, (X, Y), ["else:\n"]),
]


def read_between(x, y):
    z = x.copy()
    for i in range(len(x) - 1):
        low = min(z[i], y[i])
        z[i + 1] = z[i + 1] * z[i] + low
    return np.sum(z * z)


def exchanged(x, y):
    z = x * y
    for i in range(len(z) - 1):
        a, b = z[i], z[i + 1]
        z[i], z[i + 1] = min(a, b), max(a, b)
    return z @ y


CHOICES = [read_between, exchanged]


@pytest.mark.parametrize("passes", ["all", "none", "-branches", "-zeroing", "-inplace"])
@pytest.mark.parametrize("fn", [f for f, *_ in BRANCHES] + [in_a_view, *CHOICES])
def test_gradients(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    args = next((args for f, args, _ in BRANCHES if f is fn), (X, Y))
    check(fn, args)
    grad = ya.simplegrad(fn, *args).fn
    for others in ([a[:0] for a in args], [np.ones_like(a) for a in args]):
        monkeypatch.setenv("YOTA_AST_PASSES", "none")
        if fn is not of_rows or len(others[0]):
            want = ya.simplegrad(fn, *args).fn(*others)
            for got, expected in zip(grad(*others), want, strict=True):
                np.testing.assert_allclose(got, expected, rtol=1e-12)


@pytest.mark.parametrize(("fn", "args", "lines"), BRANCHES)
def test_each_way_adds_its_own(fn, args, lines):
    source = ya.simplegrad(fn, *args).source.partition("# reverse\n")[2]
    assert " else 0.0" not in source
    assert all(line in source for line in lines)


@pytest.mark.parametrize("fn", CHOICES)
def test_nothing_stands_there_twice(fn):
    source = ya.simplegrad(fn, X, Y).source.partition("# reverse\n")[2]
    assert " else 0.0" in source
    assert "else:\n" not in source


def test_a_batch_computes_both_ways():
    grad = ya.simplegrad(aligned, X, Y).fn
    many = ya.vmap(grad)(np.stack([X, Y, X]), np.stack([Y, X, X]))
    for k, pair in enumerate(((X, Y), (Y, X), (X, X))):
        for got, expected in zip(many, grad(*pair), strict=True):
            np.testing.assert_allclose(got[k], expected, atol=1e-15)


def test_code_for_jax_computes_both_ways():
    pytest.importorskip("jax")
    made = ya.simplegrad(aligned, X, Y, backend="jax")
    assert "elif" not in made.source


def test_second_derivatives():
    point = np.concatenate([X, Y]) * 0.7

    def smooth(x):
        s = 0.0
        t = x * x
        for i in range(6):
            t[i] = max(t[i] * x[i + 6], t[i + 1])
            s = s + t[i] * t[i]
        return s

    def slope(x):
        return ya.grad(smooth, x)[1][0]

    h = 1e-5
    eye = np.eye(12)
    want = [(slope(point + h * e) - slope(point - h * e)) / (2 * h) for e in eye]
    got = ya.hessian(smooth)(point)
    np.testing.assert_allclose(got, np.stack(want), atol=1e-6)


def within_a_context(x, a):
    s = np.trace(np.ones((2, 3)))
    try:
        s *= a
    except ValueError:
        s = a
    with np.errstate(all="ignore"):
        x[1] *= max(a, s)
    return np.sum(x) + 0.5 * s


@pytest.mark.parametrize("a", [0.7, -0.9])
def test_what_a_context_defines_is_read_behind_it(a):
    h = 1e-6
    ends = [within_a_context(X.copy(), a + s * h) for s in (1, -1)]
    found = ya.grad(within_a_context, X.copy(), a)[1]["a"]
    assert found == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-6)


def beside_a_slope(p, k):
    x = min(k["k"], 0.7)
    z = np.multiply(p, x)
    return np.tanh(k["k"]) + np.sum(z * z)


def test_what_stays_before_a_branch_finds_what_it_reads():
    # NumPy makes no array of such a list: what it is multiplied by may be anything
    text = ya.simplegrad(beside_a_slope, [1.0, np.ones(3)], {"k": 0.5}, wrt=["k"])
    assert "dk_k = seed * (1 - t1 * t1)" in text.source
