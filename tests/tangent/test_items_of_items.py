"""Containers in containers read at an index, of which parts are left out: the gradient
has zeros of their structure there, and so has the derivative of the gradient."""

import numpy as np
import pytest

import yota_ast as ya

A, B = np.array([1.0, 2.0]), np.array([1.0, -2.0, 0.5])


def of_items(p):
    s = 0.0
    for i in range(len(p)):
        s = s + np.sum(p[i][1][0] ** 2 * p[i][0])
    return s


def one_unread(p):
    s = 0.0
    for i in range(len(p)):
        s = s + p[i][0] ** 3
    return s * np.sum(p[0][1][0])


def with_names(p):
    s = 1.0
    for a, (w, b) in p:
        s = s * a + np.sum(w * w)
    return s


LISTS = [(2.0, [A, 3.0]), (3.0, [B, 0.5])]
CASES = [
    (of_items, LISTS),
    (one_unread, LISTS),
    (with_names, LISTS),
    (of_items, [(2.0, (A, 3.0)), (3.0, (B, 0.5))]),
]


def mapped(fn, *values):
    one = values[0]
    if isinstance(one, (list, tuple)):
        return type(one)(mapped(fn, *parts) for parts in zip(*values, strict=True))
    return fn(*values)


def numbers(value):
    found = []
    mapped(lambda part: found.append(np.ravel(part)), value)
    return np.concatenate(found)


@pytest.mark.parametrize(("fn", "p"), CASES)
def test_second_order(fn, p):
    rng = np.random.default_rng(3)
    v = mapped(lambda part: rng.normal(size=np.shape(part)) + 0.0, p)
    v = mapped(lambda part: part if np.ndim(part) else float(part), v)
    near = [mapped(lambda a, b: a + e * b, p, v) for e in (1e-5, -1e-5)]
    up, down = (numbers(ya.grad(fn, q)[1]["p"]) for q in near)
    got = ya.hvp(fn)(p, v)
    assert mapped(np.shape, got) == mapped(np.shape, p)
    assert numbers(got) == pytest.approx((up - down) / 2e-5, rel=1e-6, abs=1e-6)
