"""Lists and tuples that are put together of others, in a loop and before one."""

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.5, -1.5, 2.0])


def inserted(x, n):
    rows = []
    for i in range(n):
        rows.insert(0, x[i] * (i + 1))
    return rows[0] ** 2 + rows[1] * rows[2]


def inserted_within(x, n):
    rows = [x[0], x[1]]
    for i in range(n):
        rows.insert(1, x[i] ** 2)
    total = 0.0
    for k, v in enumerate(rows):
        total = total + k * v
    return total


def joined(x, n):
    rows = [x[0], x[1] ** 2]
    for i in range(n):
        rows = [*rows, x[i] * 2.0]
    return rows[0] * rows[1] + rows[-1] ** 3


def in_front(x, n):
    rows = [1.0, x[1]]
    for i in range(n):
        rows = [x[i] * 2.0] + rows  # noqa: RUF005
    return rows[0] * rows[1] + rows[-1] ** 3 + rows[-2]


def of_arrays(x, n):
    rows = []
    for i in range(n):
        rows = rows + [x * i, x[:1]]  # noqa: RUF005
    return sum(np.sum(r**2) for r in rows)


def fixed_beside(x, n):
    fixed = [2.0, 3.0]
    for i in range(n):
        fixed = fixed + [4.0]  # noqa: RUF005
    rows = fixed + [x[0], x[1]]  # noqa: RUF005
    return rows[0] * rows[-1] + rows[1] * rows[-2] ** 2


def tuples(x, n):
    rows = (x[0],)
    for i in range(n):
        rows = (x[i] ** 2,) + rows  # noqa: RUF005
    return rows[0] * rows[-1] + rows[1]


ALL = [inserted, inserted_within, joined, in_front, of_arrays, fixed_beside, tuples]


@pytest.mark.parametrize("fn", ALL, ids=lambda fn: fn.__name__)
def test_forward(fn):
    v = np.array([1.0, -0.5, 0.25])
    up, down = (fn(X + t * v, 3) for t in (1e-6, -1e-6))
    value, along = ya.jvp(fn, wrt=0)(X, 3, v)
    assert value == fn(X, 3)
    assert along == pytest.approx((up - down) / 2e-6)


@pytest.mark.parametrize("fn", [f for f in ALL if f is not inserted_within])
def test_second_order(fn):
    v = np.array([1.0, -0.5, 0.25])
    near = [ya.grad(fn, X + t * v, 3)[1]["x"] for t in (1e-5, -1e-5)]
    assert ya.hvp(fn)(X, v, 3) == pytest.approx((near[0] - near[1]) / 2e-5, abs=1e-7)
