"""Those that reach a maximum share its weight evenly, by one formula in all modes.

What does not reach it has weight 0, also where the cotangent or its own tangent is
infinite: a product with a mask gave nan there.
"""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya

LARGEST = {
    "max": lambda x: np.max(x),
    "max over an axis": lambda x: np.sum(np.max(np.reshape(x, (1, 3)), axis=1)),
    "max that keeps axes": lambda x: np.sum(np.max(x, keepdims=True)),
    "the method": lambda x: x.max(),
    "amax": lambda x: np.amax(x),
    "nanmax": lambda x: np.nanmax(x),
    "max with a start": lambda x: np.max(x, initial=-5.0),
    "min": lambda x: -np.min(-x),
    "maximum": lambda x: np.maximum(x[0], np.maximum(x[1], x[2])),
    "fmax": lambda x: np.fmax(x[0], np.fmax(x[1], x[2])),
    "reduce": lambda x: np.maximum.reduce(x),
    "accumulate": lambda x: np.maximum.accumulate(x)[-1],
    "sort": lambda x: np.sort(x)[-1],
    "partition": lambda x: np.partition(x, 2)[2],
    "quantile": lambda x: np.quantile(x, 1.0),
    "percentile": lambda x: np.percentile(x, 100),
    "median": lambda x: np.median(np.concatenate((x, np.array([9.0, 9.0])))),
    "unique": lambda x: np.unique(x)[-1],
}


@pytest.fixture(params=["all", "none"], autouse=True)
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


@pytest.mark.parametrize("largest", LARGEST.values(), ids=LARGEST)
@pytest.mark.parametrize("dtype", [float, np.float32])
def test_an_infinite_cotangent_reaches_the_largest_alone(largest, dtype):
    def f(x):
        return np.sqrt(largest(x))

    x = np.array([-1.0, 0.0, -2.0], dtype)
    with np.errstate(all="ignore"):
        for g in (ya.grad(f, x)[1][0], ya.simplegrad(f, x)(x)[1], ya.vjp(f)(x)[1](1.0)):
            np.testing.assert_array_equal(g, [0.0, np.inf, 0.0])
            assert g.dtype == dtype


@pytest.mark.parametrize("largest", LARGEST.values(), ids=LARGEST)
def test_an_infinite_tangent_of_another_is_not_met(largest):
    def f(x):
        return largest(np.sqrt(x))

    x = np.array([0.0, 4.0, 1.0])
    with np.errstate(all="ignore"):
        _, dy = ya.jvp(f)(x, np.ones(3))
    assert dy == 0.25


@pytest.mark.parametrize("largest", LARGEST.values(), ids=LARGEST)
def test_ties_share_evenly_in_both_modes(largest):
    def f(x):
        return largest(x) ** 2

    x, v = np.array([3.0, 1.0, 3.0]), np.array([1.0, 10.0, 2.0])
    if largest in (LARGEST["median"],):
        v[2] = v[0]  # of two that are equal the middle one is met
    dx = ya.grad(f, x)[1][0]
    assert dx.sum() == pytest.approx(6.0)
    assert dx[1] == 0
    assert dx[0] == dx[2] or largest is LARGEST["median"]
    assert ya.jvp(f)(x, v)[1] == pytest.approx(dx @ v)


def test_nan_is_met_where_it_is_the_result():
    x = np.array([1.0, np.nan, 2.0])
    for f in (np.max, np.min):
        np.testing.assert_array_equal(
            ya.simplegrad(lambda x, f=f: f(x), x)(x)[1], [0.0, 1.0, 0.0]
        )
    g = ya.simplegrad(lambda x: np.nanmax(x), x)(x)[1]
    np.testing.assert_array_equal(g, [0.0, 0.0, 1.0])
