"""Buffers that each iteration writes before it reads them: their adjoints are not
carried, and results are written into them as the function writes them."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

X = np.array([0.3, -1.0, 2.0, 0.7, 1.1, 0.4])
Y = np.array([1.3, 0.2, -0.5, 0.6, 0.9, -0.1])
G = np.random.default_rng(1).normal(size=(4, 6))


def whole(x, n):
    work, other = np.empty_like(x), np.zeros_like(x)
    for _ in range(n):
        np.sin(x, out=work)
        np.multiply(work, x, out=other)
        x = x + other
    return np.sum(x * x)


def inner_part(x, k, n):
    x = x.copy()
    lap = np.zeros_like(x)
    for _ in range(n):
        np.multiply(x[1:-1], -2.0, out=lap[1:-1])
        np.add(lap[1:-1], x[:-2], out=lap[1:-1])
        lap[1:-1] += x[2:]
        x[1:-1] += k * lap[1:-1]
    return np.sum(x**2)


def moving_part(x, y):
    work, total = np.zeros_like(x), 0.0
    for i in range(1, len(x)):
        work[:i] = x[:i] * y[i]
        total = total + np.sum(work[:i] ** 2)
    return total


def rows(g, y):
    work, total = np.empty(g.shape[1]), 0.0
    for row in g:
        np.exp(row * y, out=work)
        work[0] = 1.0
        total += work @ work
    return total


def swapped(x, n):
    new, old = np.empty_like(x), np.empty_like(x)
    for _ in range(n):
        np.cos(x, out=new)
        np.multiply(new, x, out=old)
        new, old = old, new
        x = x + 0.1 * new
    return np.sum(x)


def by_mask(x, y, n):
    work = np.zeros_like(x)
    mask = y > 0
    for _ in range(n):
        work[mask] = x[mask] * y[mask]
        x = x + work
        work[mask] = 0.5
    return np.sum(x * y)


def read_first(x, n):
    work = x * 0.5
    for _ in range(n):
        x = x + work * work
        np.sin(x, out=work)
    return np.sum(x)


def read_behind(x, n):
    work = np.zeros_like(x)
    for _ in range(n):
        np.sin(x, out=work)
        x = x * work
    return np.sum(x * work)


def other_part(x, y, n):
    work = np.zeros_like(x)
    for _ in range(n):
        work[1:] = x[1:] * y[1:]
        x = x + work
        work[0] = x[1]
    return np.sum(x)


def in_arm(x, n):
    work = np.zeros_like(x)
    for i in range(n):
        if i % 2:
            np.sin(x, out=work)
        x = x + 0.5 * work
    return np.sum(x)


FUNCTIONS = [
    (whole, (X, 3)),
    (inner_part, (X, 0.2, 3)),
    (moving_part, (X, Y)),
    (rows, (G, Y)),
    (swapped, (X, 3)),
    (by_mask, (X, Y, 3)),
    (read_first, (X, 3)),
    (read_behind, (X, 3)),
    (other_part, (X, Y, 3)),
    (in_arm, (X, 4)),
]


@pytest.mark.parametrize(("fn", "args"), FUNCTIONS)
def test_right(fn, args):
    check(fn, args)
    if isinstance(args[-1], int):  # no iteration, and one
        check(fn, (*args[:-1], 0))
        check(fn, (*args[:-1], 1))


@pytest.mark.parametrize(("fn", "args"), FUNCTIONS)
def test_of_second_order(fn, args):
    x, *rest = args
    v, step = np.random.default_rng(5).normal(size=x.shape), 1e-6
    gradient = ya.simplegrad(fn, *args).fn
    ahead, behind = gradient(x + step * v, *rest)[1], gradient(x - step * v, *rest)[1]
    found = ya.hvp(fn)(x, v, *rest)
    np.testing.assert_allclose(found, (ahead - behind) / (2 * step), 1e-5, 1e-8)


def reverse_of(fn, args):
    return ya.simplegrad(fn, *args).source.partition("# reverse")[2]


def forward_of(fn, args):
    return ya.simplegrad(fn, *args).source.partition("# reverse")[0]


def test_adjoints_of_buffers_are_not_carried():
    for fn, args in FUNCTIONS[:4]:
        text = reverse_of(fn, args)
        assert "dwork = np.zeros" not in text
        assert "dlap = np.zeros" not in text


@pytest.mark.parametrize("at", range(6, 10))
def test_what_an_iteration_may_find_is_carried(at):
    fn, args = FUNCTIONS[at]
    assert "zeros_like(work)" in reverse_of(fn, args)


def test_results_are_written_where_the_function_writes_them():
    text = forward_of(inner_part, (X, 0.2, 3))
    assert "np.multiply(x[1:-1], -2.0, out=lap[1:-1])" in text
    assert "np.add(lap[1:-1], x[:-2], out=lap[1:-1])" in text


def into_row(x, y):
    table = np.empty((2, x.size))
    np.multiply(x, y, out=table[1])
    np.add(table[1], 1.0, table[0])
    sums = np.empty(2)
    table.sum(axis=1, out=sums)
    return sums[0] * sums[1]


def test_a_row_is_written_by_the_call():
    check(into_row, (X, Y))
    text = forward_of(into_row, (X, Y))
    assert "np.multiply(x, y, out=table[1])" in text
