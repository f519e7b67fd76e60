"""Loops of which a part goes on from iteration to iteration, and the rest does not."""

from contextlib import nullcontext

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

rng = np.random.default_rng(9)
X, W = rng.normal(size=(2, 3, 5))
ROW = X[0]


def two_ways(x, a, b):
    y = np.zeros_like(x)
    y[:, 0] = a * x[:, 0]
    for j in range(1, x.shape[1]):
        y[:, j] = a * x[:, j] + b * y[:, j - 1]
    z = np.zeros_like(x)
    z[:, -1] = a * y[:, -1]
    for j in range(x.shape[1] - 2, -1, -1):
        z[:, j] = a * y[:, j] + b * z[:, j + 1]
    return np.sum(z * z)


def along_rows(x, w, b):
    y = np.zeros_like(x)
    for i in range(x.shape[0] - 1):
        y[i + 1, :] = w[i, :] * x[i, :] + b * y[i, :]
    return np.sum(y**3 * w)


def of_numbers(x, a, b):
    y = np.zeros_like(x)
    for j in range(2, len(x)):
        y[j] = a * x[j] + b * y[j - 2]
    return np.sum(y * y)


SPLIT = [
    (two_ways, (X, 0.4, 0.7)), (along_rows, (X, W, 0.6)), (of_numbers, (ROW, 2.0, 0.3)),
]  # fmt: skip


def written_again(x, w):
    """What the adjoint of w reads is no more there when the loop is done."""
    y = x.copy()
    for j in range(1, x.shape[1]):
        y[:, j] = w[:, j] * y[:, j] + y[:, j - 1]
        y[:, j - 1] = 0.5 * x[:, j]
    return np.sum(y * y)


def a_loop_within(x, a):
    """The loop within is gone, and hands on as it was what the other then writes."""
    n = x.shape[0]
    y, z = x.copy(), np.sin(x)
    for i in range(n - 2, 0, -1):
        y[i, 0] = a * z[i, 1]
        for j in range(1, x.shape[1] - 1):
            y[i, j] += x[i + 1, j + 1]
    return np.sum(y * x)


def read_on(x, w):
    y = np.zeros_like(x)
    for j in range(1, x.shape[1]):
        y[:, j] = w[:, j] * y[:, j - 1] * x[:, j]
    return np.sum(y * y + w)


def of_any_length(x, n, a):
    """The loop may go on to the end, or may stop before."""
    y = np.zeros_like(x)
    for j in range(1, n):
        y[j] = a * x[j] + 0.5 * y[j - 1]
    return np.sum(y * y)


STAYING = [(written_again, (X, W)), (of_any_length, (ROW, 4, 0.5))]


def last_is_read(x, a):
    """The adjoint of the last item is read behind the loop, and set to 0 in it."""
    y = x.copy()
    y[-1] *= a
    for j in range(len(x)):
        y[j] = a * x[j] + x[-1]
    y[-2] += y[-1] * a
    for j in range(len(x) - 1):
        y[j] = a * x[j] ** 2
    return np.sum(y * y)


def back_of(fn, args):
    return ya.simplegrad(fn, *args).source.partition("# reverse")[2]


EVERY = [
    *SPLIT, *STAYING, (read_on, (X, W)), (last_is_read, (ROW, 0.7)),
    (a_loop_within, (np.vstack([X, W]), 0.3)),
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "-vectors", "-zeroing", "-inplace", "-once"])
@pytest.mark.parametrize(("fn", "args"), EVERY, ids=[c[0].__name__ for c in EVERY])
def test_right(monkeypatch, fn, args, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)


@pytest.mark.parametrize(("fn", "args"), SPLIT, ids=[c[0].__name__ for c in SPLIT])
def test_split(monkeypatch, fn, args):
    lines = back_of(fn, args).splitlines()
    within = [line for line in lines if line.startswith("        ") and " += " in line]
    assert len(within) == "\n".join(lines).count("for ")  # one statement a loop
    monkeypatch.setenv("YOTA_AST_PASSES", "-vectors")
    assert back_of(fn, args).splitlines() != lines


@pytest.mark.parametrize(("fn", "args"), STAYING, ids=[c[0].__name__ for c in STAYING])
def test_stays(monkeypatch, fn, args):
    source = back_of(fn, args)
    monkeypatch.setenv("YOTA_AST_PASSES", "-vectors")
    assert back_of(fn, args) == source


@pytest.mark.parametrize("n", [0, 1, 2, 3, 9])
def test_other_lengths(n):
    x, w = rng.normal(size=(2, n, n))
    for fn, made_for in SPLIT[1:]:
        others = (x, w, 0.6) if fn is along_rows else (x[:1].ravel(), 2.0, 0.3)
        done = ya.simplegrad(fn, *made_for)(*others)
        np.testing.assert_allclose(done[0], fn(*others))
        expected = ya.grad(fn, *others, dynamic=False)[1]
        for one, other in zip(done[1:], expected, strict=True):
            np.testing.assert_allclose(one, other, 1e-12)


def test_text():
    lines = [line.strip() for line in back_of(*SPLIT[0]).splitlines()]
    assert "dz[:, j + 1] += b * dz[:, j]" in lines
    assert "dy[:, :-1] = a * dz[:, :-1]" in lines
    assert "dz[:, j] = 0.0" not in lines


@pytest.mark.parametrize("backend", ["numba", "jax"])
@pytest.mark.parametrize(("fn", "args"), SPLIT, ids=[c[0].__name__ for c in SPLIT])
def test_other_back_ends(backend, fn, args):
    library = pytest.importorskip(backend)
    with library.enable_x64(True) if backend == "jax" else nullcontext():
        done = ya.simplegrad(fn, *args, backend=backend)(*args)
    expected = ya.simplegrad(fn, *args)(*args)
    for one, other in zip(done, expected, strict=True):
        np.testing.assert_allclose(one, other, 1e-12)


def last_of_sums(x, a):
    total = 0.0
    for v in x:
        total += v
        a = total
    return np.hypot(a, 1.0)


def slopes_of_sums(x, a):
    _, d = ya.grad(last_of_sums, x, a, wrt=["x"])
    return np.sum(np.sin(d[0]))


@pytest.mark.parametrize("passes", ["all", "-vectors"])
def test_a_sum_that_goes_on_under_two_names_stays(monkeypatch, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(slopes_of_sums, (ROW, 0.7))
    found = ya.hvp(last_of_sums)(ROW, np.ones(5), 0.7)
    total = np.sum(ROW)  # the slope of total / hypot(total, 1), five times
    np.testing.assert_allclose(found, np.full(5, 5 / np.hypot(total, 1) ** 3))
