"""Where infinite slopes end in nan, a text is made in which they are 0."""

import math

import numpy as np
import pytest
from scipy import special

import yota_ast as ya

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def filled(h, D):
    """The area of a circle up to a height: above the top, that of the whole."""
    R = 0.5 * D
    h = min(h, D)
    root = math.sqrt(2.0 * R * h - h * h)
    return R * R * math.acos((R - h) / R) - (R - h) * root


def series(p, z):
    """The first term stands still: 1 / gamma(0)."""
    j = np.arange(4.0)
    return np.sum(np.exp(j * z - special.gammaln(1 + j) - special.gammaln(p * j)))


def powered(x, w):
    u = x - x
    return np.sum(w * u**0.3 + np.sqrt(u) + np.arccos(1 - u) + x * x)


def logarithm(x):
    return np.sum(np.exp(2 * np.log(x * x)) + x)


def _lengths(p, q):
    return np.sqrt((p - q) ** 2) ** 1.5 + np.sqrt((p - q) ** 2) * (p - q)


def left_out(x, y):
    """A root of what is negative, which the smaller value leaves out."""
    other = np.sum((x - np.sqrt(y)) ** 2) * x
    return min(np.sum(x * x), other) + x


def helper_called(p, q):
    total = 0.0
    for k in range(3):
        total += np.sum(_lengths(p * k, q * k))
    return total


@pytest.fixture(params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


@pytest.mark.usefixtures("passes")
def test_infinite_parts_that_cancel():
    val, g = ya.grad(filled, 3.0, 2.0)
    assert val == filled(3.0, 2.0)
    assert g["h"] == 0.0
    assert g["D"] == pytest.approx(math.pi)
    assert "bounded(" in g.source


@pytest.mark.usefixtures("passes")
def test_infinite_slopes_of_what_is_left_out():
    _, g = ya.grad(series, 0.7, -0.5)
    step = 1e-6
    ahead, behind = series(0.7 + step, -0.5), series(0.7 - step, -0.5)
    assert g["p"] == pytest.approx((ahead - behind) / (2 * step), rel=1e-6)
    assert np.isfinite(g["z"])


@pytest.mark.usefixtures("passes")
def test_operands_that_stand_still():
    x, w = np.array([1.0, 2.0]), np.array([3.0, 0.0])
    _, g = ya.grad(powered, x, w)
    assert np.array_equal(g["x"], 2 * x)
    assert np.array_equal(g["w"], np.zeros(2))


@pytest.mark.usefixtures("passes")
def test_a_logarithm_of_what_is_least():
    _, g = ya.grad(logarithm, np.array([0.0, 1.0]))
    assert np.allclose(g["x"], [1.0, 5.0])


@pytest.mark.usefixtures("passes")
def test_what_is_nan_and_left_out():
    _, g = ya.grad(left_out, 3.0, -2.0)
    assert (g["x"], g["y"]) == (7.0, 0.0)
    x = np.array([1.0, -2.0])
    _, g = ya.grad(lambda x: np.nansum(np.log(x) * x) + np.sum(x), x)
    assert np.array_equal(g[0], [2.0, 1.0])


@pytest.mark.usefixtures("passes")
def test_within_helpers_and_loops():
    _, g = ya.grad(helper_called, np.array([1.0, 2.0]), np.array([1.0, 0.5]))
    assert np.all(np.isfinite(g["p"]))
    assert np.allclose(g["p"], [0.0, 1.5 * 1.5**0.5 * (1 + 2**1.5) + 3.0 * 5])


def test_infinite_slopes_that_remain():
    """What has an infinite slope keeps it: nothing is nan."""
    for f in (np.sqrt, np.log, lambda x: x**0.5, lambda x: -np.arccos(x + 1)):
        _, g = ya.grad(f, 0.0)
        assert g[0] == math.inf
        assert "bounded(" not in g.source


def test_a_pole_does_not_end():
    """`1 / (1 / x)` goes through the pole of `1 / x`; 0 would be wrong."""
    _, g = ya.grad(lambda x: np.sum(1 / (1 / x)), np.array([0.0, 2.0]))
    assert np.isnan(g[0][0])
    _, g = ya.grad(lambda x: np.sum(1 / x**-1.0), np.array([0.0, 2.0]))
    assert np.isnan(g[0][0])


def test_an_overflow_does_not_end():
    _, g = ya.grad(lambda x: np.sum(np.exp(-np.exp(x * x))), np.array([40.0, 0.1]))
    assert not np.isfinite(g[0][0]) or g[0][0] == 0
    assert np.isfinite(g[0][1])


def test_what_has_effects_runs_once(capsys):
    def f(x):
        print("once")
        return np.sum(np.sqrt((x - x) ** 2) + x)

    ya.grad(f, np.ones(2))
    assert capsys.readouterr().out == "once\n"

    def write(x):
        x += 1.0
        return np.sum(np.sqrt(x * 0.0) * x)

    x = np.ones(2)
    ya.grad(write, x)
    assert np.array_equal(x, [2.0, 2.0])


def test_the_usual_text_serves_other_points():
    _, near = ya.grad(filled, 1.0, 2.0)
    assert "bounded(" not in near.source
    _, edge = ya.grad(filled, 3.0, 2.0)
    _, again = ya.grad(filled, 1.0, 2.0)
    assert again.source == near.source != edge.source


def test_the_second_derivative_of_the_helper():
    def f(d):
        return np.sum(ya.runtime.bounded(d, np.ones(3)) ** 2)

    _, g = ya.grad(f, np.array([1.0, math.inf, -2.0]))
    assert np.array_equal(g[0], [2.0, 0.0, -4.0])
