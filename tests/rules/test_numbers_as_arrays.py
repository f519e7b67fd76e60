"""NumPy's functions of arrays, given a number: what comes back, and its slope."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya


def running(x):
    c = np.cumsum(np.asarray(x), axis=0)
    return x * c.ndim + np.sum(c)


def running_product(x):
    c = np.asarray(x).cumprod(-1)
    return x * c.ndim + np.sum(c)


def turned(x):
    c = np.flip(np.asarray(x))
    return x * isinstance(c, np.ndarray) + c


def order(x):
    return x * np.argsort(x).ndim


def largest(x):
    """Which is NumPy's or Python's, as its arguments come."""
    c = max(0.5, 0.25, np.float64(x))
    return x * isinstance(c, np.float64) + c


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [running, running_product, turned, order, largest])
@pytest.mark.parametrize("x", [1.5, np.float64(1.5)], ids=["float", "float64"])
def test_the_value_and_the_slope(f, x, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    value, gradient = ya.grad(f, x)
    assert value == f(x)
    slope = (f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6
    assert gradient["x"] == pytest.approx(slope, rel=1e-6)
