"""A sum of outer products is one product of matrices."""

import numpy as np
import pytest

import yota_ast as ya

A = np.array([[1.0, 2.0, -1.0], [0.5, 3.0, 0.25]])
P, R = np.array([1.0, -2.0, 0.5]), np.array([3.0, -1.0])


def text(f, *args):
    return ya.simplegrad(f, *args).source.partition("# reverse")[2]


def both_ways(a, p, r):
    return np.sum((a @ p) ** 2) + np.sum((r @ a) ** 3)


def taken_off(a, p, r):
    return np.sum((a @ p) ** 2) - np.sum((r @ a) ** 3)


def three(a, p, r):
    return np.sum((a @ p) ** 2) + np.sum((r @ a) ** 3) + np.sum(np.sin(a @ (p * p)))


@pytest.mark.parametrize("f", [both_ways, taken_off, three], ids=lambda f: f.__name__)
def test_one_product(f, monkeypatch):
    assert "np.outer" not in text(f, A, P, R)
    found = ya.simplegrad(f, A, P, R)(A, P, R)
    monkeypatch.setenv("YOTA_AST_PASSES", "-collect")
    assert text(f, A, P, R).count("np.outer") > 1
    for got, expected in zip(found, ya.simplegrad(f, A, P, R)(A, P, R), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-13)


def in_a_loop(a, p, n):
    for _ in range(n):
        p = np.sin(a @ p) + p @ a
    return np.sum(p)


def test_sums_in_loops_stay():
    assert "np.stack((" not in text(in_a_loop, np.eye(3), P, 2)


def one_row(a, p):
    return np.sum((a @ p) ** 2) + np.sum(a * a)


def test_one_outer_product_stays():
    assert "np.outer" in text(one_row, A, P)


def scaled(a, p, s):
    return np.sum(s * a @ p)


def test_a_number_multiplies_a_vector():
    assert "s * np.outer" not in text(scaled, A, P, 2.0)
    np.testing.assert_allclose(
        ya.simplegrad(scaled, A, P, 2.0)(A, P, 2.0)[1],
        np.outer([2.0, 2.0], P),
    )
