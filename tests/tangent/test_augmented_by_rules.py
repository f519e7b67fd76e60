"""`y[i] **= e` and other operators that change a part of an array, in forward mode."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check_both_orders

X = np.array([0.7, 1.3, 2.2, 1.9])
V = np.array([0.4, -0.8, 0.3, 0.6])


def reciprocal(x, e):
    y = x * 2
    y[y > 2.5] **= -1
    return np.sum(y**2) * e


def power_by_another(x, e):
    y = x * 2
    y[1:] **= e
    y[0] **= y[1]
    return np.sum(y**2)


def whole(x, e):
    y = x - 0.1
    y **= y + e
    return np.sum(y)


def remainders(x, e):
    y = x * 2
    y[1:] %= e
    y[0] //= 2
    y[2:] **= 2
    return np.sum(y**2)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [reciprocal, power_by_another, whole, remainders])
def test_the_tangent_is_by_the_rule_of_the_operator(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check_both_orders(f, X, V, 0.77, atol=1e-5)
    _, tangent = ya.jvp(f, wrt=["x", "e"])(X, 0.77, V, 0.5)
    dx, de = ya.grad(f, X, 0.77)[1]
    np.testing.assert_allclose(tangent, dx @ V + de * 0.5, rtol=1e-12)
