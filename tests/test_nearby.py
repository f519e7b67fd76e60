"""Gradients that are limits of those nearby: arguments of all structures, domains."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import yota_ast as ya

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.fixture(autouse=True, params=["all", "none"])
def _passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


class Pair(NamedTuple):
    p: np.ndarray
    q: float


@dataclass(frozen=True)
class Frozen:
    w: np.ndarray


class Layer:
    def __init__(self):
        self.w = np.zeros(2)
        self.inner = {"b": [np.zeros(2), 1.0]}


def of_pair(pair):
    return math.sqrt(pair.q * pair.q) + np.sqrt(pair.p @ pair.p) + np.sum(pair.p)


def of_frozen(frozen, power):
    return (frozen.w @ frozen.w) ** power + np.sum(frozen.w)


def of_layer(layer):
    w, b = layer.w, layer.inner["b"][0]
    return np.sqrt(w @ w) + np.sum(w) + np.cbrt(b @ (b * b))


def test_arguments_of_all_structures():
    _, g = ya.grad(of_pair, Pair(np.zeros(2), 0.0))
    assert np.array_equal(g[0][0], [1.0, 1.0])
    assert g[0][1] == 0.0
    assert type(g[0][1]) is float
    frozen = Frozen(np.zeros(2))
    assert np.array_equal(ya.grad(of_frozen, frozen, 0.5)[1][0]["w",], [1.0, 1.0])
    assert np.all(np.isnan(ya.grad(of_frozen, frozen, 0.4)[1][0]["w",]))
    layer = Layer()
    w, b = layer.w, layer.inner["b"][0]
    _, g = ya.grad(of_layer, layer)
    assert np.array_equal(g[0]["w",], [1.0, 1.0])
    assert np.all(np.isnan(g[0]["inner", "b", 0]))
    assert layer.w is w
    assert layer.inner["b"][0] is b
    assert not np.any(w)
    assert not np.any(b)


def guarded(x, y):
    if np.any(x < 0):
        raise LookupError("out of the domain")
    return np.sum(np.sqrt(x**3)) + np.sum(x * y) + math.sqrt(x[0]) ** 4


def test_what_raises_out_of_its_domain():
    _, g = ya.grad(guarded, np.zeros(3), np.ones(3), wrt="x")
    assert np.array_equal(g["x"], [1.0, 1.0, 1.0])


@pytest.mark.parametrize("call", ["keyword", "partial", "method", "starred"])
def test_however_it_is_called(call):
    from functools import partial

    class Model:
        def loss(self, x, k=2.0):
            return k * np.sqrt(x @ x) + np.sum(x)

    x = np.zeros(2)
    loss = Model().loss
    if call == "keyword":
        g = ya.grad(loss, k=3.0, x=x)[1]["x"]
    elif call == "partial":
        g = ya.grad(partial(loss, k=3.0), x)[1]["x"]
    elif call == "method":
        g = ya.grad(loss, x)[1]["x"]
    else:
        g = ya.grad(lambda *a: loss(*a), x)[1]["a"][0]
    assert np.array_equal(g, [1.0, 1.0])


@pytest.mark.parametrize("scale", [1e-25, 1e-6, 1.0, 1e20])
def test_units_do_not_matter(scale):
    """What levels off a little further is not told to be level: points lie nearer."""

    def levels_off(x):
        return np.tanh(np.sqrt(x / scale) ** 2)

    assert np.isnan(ya.grad(levels_off, 0.0)[1][0])

    def distance(x, y):
        return np.sqrt(np.sum((x - y) ** 2)) * scale

    x = np.array([1.3, -2.7, 0.0]) * math.sqrt(scale)
    _, g = ya.grad(distance, x, x.copy())
    assert np.array_equal(g["x"], np.zeros(3))


def test_the_slope_of_one_side_or_midway():
    for f, slope in (
        (lambda x: np.sqrt(np.maximum(x, 0.0) ** 2) + x, 1.0),
        (lambda x: np.sqrt(x * x) + x, 1.0),
        (lambda x: np.sqrt(x * x * (1.5 + 0.5 * np.sign(x))) + x, math.nan),
    ):
        np.testing.assert_equal(ya.grad(f, 0.0)[1][0], slope)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g", "c16"])
def test_numbers_of_all_formats(dtype):
    x = np.zeros(2, dtype)
    seed = 1.0
    _, g = ya.grad(lambda x: np.sqrt(np.sum(np.abs(x) ** 2)), x, seed=seed)
    assert g[0].dtype == x.dtype
    assert np.array_equal(g[0], x)
    _, g = ya.grad(lambda x: np.sum(np.sqrt(np.abs(x) ** 2) ** 0.5), x, seed=seed)
    assert not np.any(np.isfinite(g[0]))


def test_an_array_without_axes():
    _, g = ya.grad(lambda x: np.sqrt(x * x) + x, np.array(0.0))
    assert type(g[0]) is np.ndarray
    assert g[0] == 1.0
