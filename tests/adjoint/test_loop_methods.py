"""Loops of the reverse sweep call methods of arrays; what the user wrote stays."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

rng = np.random.default_rng(3)
X, W = rng.normal(size=(2, 4))


def scaled(x, a, steps):
    for _ in range(steps):
        x = np.sin(a * x) + a
    return np.sum(x)


def totals(x, a, steps):
    s = 0.0
    for _ in range(steps):
        s = np.sin(s + np.sum(np.exp(a * x)))
    return s


def number_or_array(x, a, steps):
    s = 0.0
    for _ in range(steps):
        s = np.sin(s * a) + x
    return np.sum(s * s) + a


@pytest.mark.parametrize("steps", [0, 1, 3])
@pytest.mark.parametrize("fn", [scaled, totals, number_or_array])
def test_values(fn, steps):
    check(fn, (X, 0.7, steps))
    check(fn, (X[:0], 0.7, steps))


def test_loops_of_the_reverse_sweep_sum_by_methods():
    text = ya.simplegrad(scaled, X, 0.7, 3).source
    _, _, loop = text.partition("# reverse")[2].partition("for ")
    assert ".sum()" in loop
    assert "np.sum(" not in loop.replace("# return np.sum", "")


def test_what_stands_elsewhere_stays():
    text = ya.simplegrad(totals, X, 0.7, 3).source
    forward = text.partition("# forward")[2].partition("# reverse")[0]
    assert "np.sum(" in forward
    assert ".sum()" not in forward


def test_a_switch(monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-tidy")
    assert ".sum()" not in ya.simplegrad(scaled, X, 0.7, 3).source
