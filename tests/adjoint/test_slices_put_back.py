"""`np.add(y[1:-1], x[2:], out=y[1:-1])`: the adjoint of y stays where it is."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

X = np.array([0.3, 1.2, -0.7, 0.8, 1.5, -0.4])


def by_out(x, k):
    u, t = x.copy(), np.empty_like(x)
    for _ in range(3):
        np.multiply(u[1:-1], -2.0, out=t[1:-1])
        np.add(t[1:-1], u[:-2], out=t[1:-1])
        np.subtract(t[1:-1], u[2:] * t[1:-1], out=t[1:-1])
        np.add(u[2:], t[1:-1], out=t[1:-1])
        u[1:-1] += k * t[1:-1]
    return np.sum(u**2)


def by_assignment(x, k):
    y = x * k
    y[1:-1] = y[1:-1] + x[2:]
    y[:2] = x[:2] - y[:2]
    y[::2] = y[::2] + x[1::2] * k
    return np.sum(y**3)


def in_an_arm(x, k):
    y = x * k
    for i in range(2):
        if x[i] > 0.5:
            y[1:3] = y[1:3] + x[i]
        else:
            y[1:] = x[1:] * y[1:]
    return np.sum(y**2) + y[2]


def of_rows(x, k):
    Y = np.outer(x, x) * k
    for i in range(1, 3):
        Y[i, :3] = Y[i, :3] + x[:3]
        Y[1:3, 1:3] = Y[1:3, 1:3] + Y[0, 0]
    return np.sum(Y**2)


def of_another_slice(x, k):
    y = x * k
    y[1:-1] = y[2:] + x[1:-1]
    y[1:-1] = y[::-1][1:-1] + x[1:-1]
    return np.sum(y**2)


def at_places_named_twice(x, k):
    y = x * k
    y[[0, 1, 1]] = y[[0, 1, 1]] + x[:3]
    y[0] = y[0] + x[1]
    return np.sum(y**2)


PROGRAMS = (
    by_out, by_assignment, in_an_arm, of_rows, of_another_slice, at_places_named_twice,
)  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none", "-zeroing"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_gradient(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(f, (X, 0.4))
    _, g = ya.grad(f, X, 0.4)
    along = ya.jvp(f)(X, 0.4, X, 0.5)[1]
    assert along == pytest.approx(g["x"] @ X + 0.5 * g["k"])
    ends = [ya.grad(f, X * (1 + s), 0.4)[1]["x"] for s in (1e-5, -1e-5)]
    found = ya.hvp(f, wrt="x")(X, X, 0.4)
    np.testing.assert_allclose(found, (ends[0] - ends[1]) / 2e-5, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("f", [by_out, by_assignment])
def test_no_slice_is_put_where_it_is(f):
    back = ya.simplegrad(f, X, 0.4).source.partition("# reverse")[2]
    put = [line.strip().partition(" = ") for line in back.splitlines()]
    assert [each for each in put if each[1] and each[0] == each[2]] == []
