"""Where a slope is infinite, the reverse sweep of Python's numbers does not raise."""

import math

import numpy as np
import pytest

import yota_ast as ya

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def root(x, w):
    return math.sqrt(x) * w


def small_power(x, w):
    return x**0.35 * w


def power(x, w):
    return x**0.5 * w


def power_of_math(x, w):
    return math.pow(x, 0.25) * w


def cube_root(x, w):
    return math.cbrt(x) * w


def arcsine(x, w):
    return math.asin(x + 1) * w


def arccosine(x, w):
    return -math.acos(x + 1) * w


def area(x, w):
    return math.acosh(x + 1) * w


def variable_power(x, w, p=0.5):
    return x**p * w


SINGULAR = [
    root, small_power, power, power_of_math, cube_root, arcsine, arccosine, area,
    variable_power,
]  # fmt: skip


@pytest.fixture(params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("f", SINGULAR)
def test_at_its_singular_point(f):
    """Infinite, or 0 where the cotangent is: never an exception."""
    for w, slope in ((2.0, math.inf), (-2.0, -math.inf), (0.0, 0.0)):
        val, g = ya.grad(f, 0.0, w, wrt="x")
        assert val == f(0.0, w)
        assert g["x"] == slope
        assert type(g["x"]) is float


@pytest.mark.usefixtures("passes")
def test_general_text_does_not_raise():
    droot = ya.simplegrad(root, wrt="x")
    assert droot(0.0, 2.0)[1] == math.inf
    dpower = ya.simplegrad(small_power, wrt="x")
    assert dpower(0.0, 2.0)[1] == math.inf
    assert np.allclose(dpower(np.array([1.0]), 2.0, seed=np.ones(1))[1], 0.7)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("p", [0, 0.0, 1, 2, 1.5, np.float64(0.0)])
def test_a_variable_exponent_at_zero(p):
    _, g = ya.grad(variable_power, 0.0, 3.0, p, wrt="x")
    assert g["x"] == (3.0 if p == 1 else 0.0)


@pytest.mark.usefixtures("passes")
def test_what_numpy_divides_by_zero():
    """NumPy's functions of Python's numbers warn where Python raises."""
    for f, x in (
        (lambda x: np.log(x), 0.0),
        (lambda x: np.log10(x), 0.0),
        (lambda x: np.log1p(x), -1.0),
        (lambda x: np.arctanh(x), 1.0),
        (lambda x: np.power(x, 0.5), 0.0),
        (lambda x: np.power(x, -1.0), 0.0),
        (lambda x: np.divide(1.0, x), 0.0),
        (lambda x: np.sum(np.ones(2)) / x, 0.0),
    ):
        val, g = ya.grad(f, x)
        assert val == f(x)
        assert math.isinf(g[0])


@pytest.mark.usefixtures("passes")
def test_a_sum_divided_by_the_length_of_nothing():
    def mean(x):
        return np.sum(x) / len(x)

    assert ya.grad(mean, np.zeros(0))[1][0].shape == (0,)


@pytest.mark.usefixtures("passes")
def test_rests_of_what_is_not_finite():
    for f in (lambda x, y: math.fmod(x, y), lambda x, y: math.remainder(x, y)):
        _, g = ya.grad(f, 2.5, math.inf)
        assert (g[0], g[1]) == (1.0, 0.0)
        _, g = ya.grad(f, math.nan, 2.0)
        assert math.isnan(g[1])


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (lambda x: math.sqrt(1 + x * x), "dx = seed * x / val"),
        (lambda x: math.sqrt(x), "dx = divided(seed, 2 * val)"),
        (lambda x: x**1.5, "dx = 1.5 * seed * x**0.5"),
        (lambda x: x**-0.5, "dx = -0.5 * seed * val / x"),
        (lambda x: x**0.25, "dx = divided(0.25 * seed, x**0.75)"),
        (lambda x: (x * x + 2.0) ** 0.5, "dx = seed * (x * x + 2.0) ** -0.5 * x"),
    ],
)
def test_only_what_may_be_zero_is_guarded(f, text):
    assert text in ya.simplegrad(f, 2.0).source


def test_where_an_array_is_divided_nothing_is_guarded():
    source = ya.simplegrad(lambda x: np.sum(np.sqrt(x) + np.log(x)), np.ones(2)).source
    assert "dx = seed / x + seed / (2 * " in source
    assert "divide" not in source
