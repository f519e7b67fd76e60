"""`finally` that returns: what the body raises or returns is forgotten."""

import math

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

from .every_mode import check_every_mode, slopes

X = np.array([0.7, 1.3, 2.1])
V = np.array([0.3, -0.5, 0.8])


def plain(x):
    try:
        y = np.sum(x**2)
    finally:
        return y * 2  # noqa: B012


def swallowed(x):
    r = np.sum(x)
    try:
        r = r * 2
        r = math.log(r - 100.0)
    finally:
        return r * x[0]  # noqa: B012


def returned_before(x):
    try:
        return np.sum(x)
    finally:
        return np.sum(x**3)  # noqa: B012


def in_a_loop(x):
    t = 0.0
    for v in x:
        try:
            t = t + math.sqrt(v - 1)
        finally:
            t = t + v**2
            if v > 2:
                break  # noqa: B012
    return t


def broken(x):
    t = 0.0
    for v in x:
        try:
            t = t + v**2
        finally:
            break  # noqa: B012
    return t * x[1]


def helper(v):
    try:
        y = v * 2
    finally:
        return y * v  # noqa: B012


def in_a_helper(x):
    return np.sum(helper(x)) + helper(x[0])


def in_an_arm(x):
    y = x * 2
    if x[0] > 0:
        try:
            y = y * x
        finally:
            return np.sum(y)  # noqa: B012
    return np.sum(y**3)


def after_an_overwrite(x):
    y = x * 2
    y[0] = x[1] * x[2]
    try:
        z = y * x
    finally:
        return np.sum(z**2)  # noqa: B012


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f", [plain, returned_before, broken, in_a_helper, in_an_arm, after_an_overwrite]
)
def test_every_mode(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check_every_mode(f, X, V)


@pytest.mark.parametrize("passes", ["all", "none"])
def test_where_an_error_is_raised(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    val, g = ya.grad(swallowed, X)
    assert val == swallowed(X)
    np.testing.assert_allclose(g[0], slopes(swallowed, X), atol=1e-6)


def test_what_leaves_on_some_ways_alone():
    with pytest.raises(UnsupportedSyntax, match="`finally` leaves by return, break"):
        ya.grad(in_a_loop, X)
