"""How fast slopes vanish is found once for each value, within loops and branches."""

import math

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.adjoint.nonsmooth.vanishing_slopes import Vanishing


def nested_products(x, n):
    s = x
    for _ in range(n):
        s = s * s + s * math.sin(s)
        s = s * s + s * math.sin(s)
        s = s * s + s * math.sin(s)
        s = s * s + s * math.sin(s)
        s = s * s + s * math.sin(s)
    return math.sqrt(s * s + 1.0)


def branches_in_loops(x, n):
    a, b, c = x, 2.0 * x, 3.0 * x
    for k in range(n):
        if c > a:
            a, c = c, a + b * b
        for j in range(n):
            if a > j:
                a, b = b, a * math.sin(c)
            elif b > k:
                b, c = c, b * b
            for _ in range(n):
                if b > a:
                    a, b, c = c, a, b
                for _ in range(n):
                    if c > b:
                        a, b, c = c * b, a, b
    return math.sqrt(a * a + b * b + c * c + 1.0)


def roots_of_roots(x, n):
    u = x * x
    for _ in range(n):
        u = math.sqrt(u)
    return u


@pytest.mark.parametrize(
    "fn", [nested_products, branches_in_loops, roots_of_roots], ids=lambda f: f.__name__
)
def test_each_value_is_looked_at_a_few_times(monkeypatch, fn):
    found, calls = Vanishing._of_op, []

    def counted(self, op):
        calls.append(op.out.name)
        return found(self, op)

    monkeypatch.setattr(Vanishing, "_of_op", counted)
    ya.simplegrad(fn, 0.3, 2)
    assert 0 < len(calls) < 100


def one_item(x):
    u = x * x
    u[0] += 1.0
    return np.sum(np.sqrt(u))


def some_items(x):
    u = x * x
    for k in range(2):
        u[k] += 1.0
    return np.sum(u**0.5)


def put(x):
    u = x * x
    u[:1] = 4.0
    return np.sum(np.sqrt(u))


@pytest.mark.parametrize("fn", [one_item, some_items, put], ids=lambda f: f.__name__)
def test_an_array_is_not_positive_where_only_some_items_are(fn):
    _, g = ya.grad(fn, np.array([1.0, 0.0, 0.0]))
    first = 0.0 if fn is put else 1 / math.sqrt(2.0)
    assert g["x"] == pytest.approx([first, 0.0, 0.0], abs=1e-15)
