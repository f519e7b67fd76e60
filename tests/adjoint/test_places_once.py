"""Places of which none is named twice: what is read or stored there needs no helper."""

import re

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

RNG = np.random.default_rng(5)


def lower(v, x):
    a = np.zeros((len(x), len(x)))
    a[np.tril_indices(len(x))] = v
    return np.sum((a @ x) ** 2)


def beside_the_diagonal(v, x):
    a = np.zeros((3, 3))
    a[np.triu_indices(3, 1)] = v
    a[np.diag_indices(3)] = np.exp(x)
    return np.sum((a @ x) ** 2)


def parts_of_places(v, x):
    a = np.outer(x, x)
    rows, columns = np.tril_indices(3, -1)
    a[columns, rows] = v * a[rows, columns]
    return np.sum(a**2)


def where_true(v, x):
    y = np.append(v, x)
    i = np.where(y > 0)[0]
    y[i] = 2 * y[i]
    j = (y > 1).nonzero()
    return np.sum(y**2) + np.sum(y[j] ** 3)


def read_of_a_triangle(v, x):
    a = np.outer(v, x) @ np.outer(x, v)
    return np.sum(a[np.triu_indices(len(v), 1)] ** 2) + np.sum(a[np.diag_indices(3)])


CASES = [
    (lower, 6), (beside_the_diagonal, 3), (parts_of_places, 3), (where_true, 3),
    (read_of_a_triangle, 3),
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(("fn", "count"), CASES)
def test_places_that_are_named_once(fn, count, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    v, x = RNG.normal(size=count), RNG.normal(size=3)
    check(fn, (v, x))
    assert ya.gradcheck(fn, v.astype(np.float32), x)
    source = ya.simplegrad(fn, v, x).source
    assert "def unstore" not in source
    assert passes == "none" or "np.add.at" not in source
    assert passes == "none" or "def " not in source.partition("return val")[2]


def test_the_length_of_a_triangle_is_checked():
    gradient = ya.simplegrad(lower, RNG.normal(size=6), RNG.normal(size=3)).fn
    v, x = RNG.normal(size=10), RNG.normal(size=4)
    for n in (4, 1, 0):
        m = n * (n + 1) // 2
        wanted = ya.grad(lower, v[:m], x[:n])[1]
        np.testing.assert_array_equal(gradient(v[:m], x[:n])[1], wanted["v"])
    message = (
        "lower_grad: made for v (n,), x (m,), "
        "(x.shape[0] * x.shape[0] + x.shape[0]) // 2 == v.shape[0], floats"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        gradient(v[:1], x)
    np.testing.assert_allclose(  # one number for all of them: added up
        ya.grad(lower, v[:1], x)[1]["v"],
        np.sum(ya.grad(lower, np.full(10, v[0]), x)[1]["v"]),
    )  # fmt: skip


def rows_alone(v, x):
    a = np.zeros((3, 3))
    a[np.tril_indices(3)[0]] = v
    return np.sum(a**2) * x[0]


@pytest.mark.parametrize("passes", ["all", "none"])
def test_places_that_are_named_twice(passes, monkeypatch):
    """Rows alone are named as often as they have columns: the last value stays."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(rows_alone, (RNG.normal(size=(6, 3)), RNG.normal(size=3)))
    source = ya.simplegrad(rows_alone, np.ones((6, 3)), np.ones(3)).source
    assert "def unstore" in source
