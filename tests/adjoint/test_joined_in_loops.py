"""`np.append`, `np.concatenate` and their like in loops: what is joined is taken apart
again, and nothing is kept of it but what is read."""

import tracemalloc

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

X = np.array([0.5, -0.2, 0.4, 0.9, 0.1, 0.6])


def appended(x, n):
    y = np.array([x[0]])
    for i in range(1, n):
        y = np.append(y, 0.5 * y[-1] + x[i])
    return np.sum(y * y)


def concatenated(x, n):
    y = np.array([x[0]])
    for i in range(1, n):
        y = np.concatenate([y, [0.5 * y[-1] + x[i], y[0]]])
    return np.sum(y * y)


def in_front(x, n):
    y = np.array([x[0]])
    for i in range(1, n):
        y = np.concatenate(([np.sin(y[0]) * x[i]], y))
    return np.sum(y * y)


def stacked_beside(x, n):
    y = np.array([x[0]])
    for i in range(1, n):
        y = np.hstack([y, y[-1] * x[i]])
    return np.sum(y * y) + y[0]


def rows(x, n):
    y = x[None, :]
    for _ in range(1, n):
        y = np.vstack([y, np.sin(y[-1])])
    return np.sum(y * y)


def first_row(x, n):
    y = x[None, :]
    for _ in range(1, n):
        y = np.vstack([np.cos(y[0]) * x, y])
    return np.sum(y**3)


def slices(x, n):
    y = x[:1]
    for i in range(1, n):
        y = np.concatenate((y, x[i : i + 1] * y[-1:]))
    return np.sum(y * y)


def matrices(x, n):
    y = x[None, :]
    for _ in range(1, n):
        y = np.append(y, np.sin(y[-1:]), axis=0)
    return np.sum(y * y)


def doubled(x, n):
    y = x[:2]
    for _ in range(n):
        y = np.concatenate([y, 0.5 * y])
    return np.sum(y**3)


def read_whole(x, n):
    y = np.array([x[0], x[1]])
    for i in range(1, n):
        y = np.append(y, np.mean(y * y) + x[i])
    return np.sum(y * y)


def read_later(x, n):
    y = np.array([x[0]])
    z = y
    for i in range(1, n):
        z = y
        y = np.append(y, y[-1] * z[0] * x[i])
    return np.sum(y * y) + np.sum(z)


def some_turns(x, n):
    y = np.array([x[0]])
    for i in range(1, n):
        if i % 2:
            y = np.append(y, y[-1] * x[i])
        else:
            y = y * x[i]
    return np.sum(y * y)


def of_two(x, n):
    a, b = np.array([x[0]]), np.array([x[1]])
    for i in range(2, n):
        a, b = np.append(a, b[-1] * x[i]), np.append(b, a[0] * a[-1])
    return np.sum(a * a) + b[-1]


def once(x, n):
    y = np.concatenate([x[:n], [x[0] * x[1]], 2 * x])
    z = np.append(y, x[0])
    return np.sum(y**2) + np.sum(z**3)


CASES = [
    appended, concatenated, in_front, stacked_beside, rows, first_row, slices, matrices,
    doubled, read_whole, read_later, some_turns, of_two, once,
]  # fmt: skip


@pytest.mark.parametrize("fn", CASES)
@pytest.mark.parametrize("kind", ["f8", "f4"])
def test_the_gradient_is_right(fn, kind):
    check(fn, (X.astype(kind), 5), wrt=[0])
    check(fn, (X.astype(kind), 1), wrt=[0])


@pytest.mark.parametrize("fn", CASES)
def test_it_is_differentiated_again(fn):
    v, h = np.cos(np.arange(len(X))), 1e-5
    moved = [ya.grad(fn, X + t * v, 4, wrt=0)[1][0] for t in (h, -h)]
    expected = (moved[0] - moved[1]) / (2 * h)
    np.testing.assert_allclose(ya.hvp(fn)(X, v, 4), expected, rtol=1e-6, atol=1e-7)


def test_the_text_takes_apart_what_was_joined():
    text = ya.simplegrad(appended, X, 4, wrt=["x"]).source
    assert "dy[:-1]" in text
    assert "saved" not in text
    assert "zeros_like(y" not in text
    assert "dy[1:]" in ya.simplegrad(in_front, X, 4, wrt=["x"]).source
    text = ya.simplegrad(rows, X, 4, wrt=["x"]).source
    assert "y[-1].copy()" in text


@pytest.mark.parametrize("fn", [appended, concatenated, in_front, stacked_beside, rows])
def test_memory_grows_with_the_result_alone(fn):
    x = np.ones(3000)[: 8 if fn is rows else None]
    made = ya.simplegrad(fn, x, 4, wrt=["x"]).fn

    def peak(n):
        tracemalloc.start()
        made(x, n)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(10)
    assert peak(2000) < 6 * peak(500)
