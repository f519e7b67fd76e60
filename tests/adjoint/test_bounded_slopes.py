"""Where infinite slopes end in nan, a text is made in which they are 0."""

import math

import numpy as np
import pytest
from scipy import special

import yota_ast as ya

from ..rules.coverage_lists import use

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


def cubed_in_a_loop(x):
    y = 1.0
    for _ in range(3):
        y = y * x
    return y


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize(
    ("f", "at", "slope"),
    [
        (lambda x: np.sqrt(x) * np.sqrt(x), 0.0, 1.0),
        (lambda x: np.sqrt(x) ** 2, 0.0, 1.0),
        (lambda x: np.sin(np.sqrt(x)) ** 2, 0.0, 1.0),
        (lambda x: np.cos(np.sqrt(x)), 0.0, -0.5),
        (lambda x: np.arccos(x) ** 2, 1.0, -2.0),
        (lambda x: np.cos(np.arccos(x)), 1.0, 1.0),
        (lambda x: np.exp(np.log(x)), 0.0, 1.0),
        (lambda x: np.exp(0.5 * np.log(x)), 0.0, math.inf),
        (lambda x: 2 * np.sqrt(x) - np.sqrt(x), 0.0, math.inf),
        (lambda x: np.sqrt(x) - x**0.25, 0.0, -math.inf),
        (lambda x: sum(np.sqrt(x) * np.sqrt(k * x) for k in range(3)), 0.0, 2.41421356),
        (lambda x: 2 * np.arccos(x) + np.arccos(-x), 1.0, -math.inf),
        (lambda x: sum((s + 1.5) * np.arccos(s * x) for s in (1, -1)), 1.0, -math.inf),
        (lambda x: np.sqrt(1e-20 * x) ** 2 * 1e20 + 5 * x, 0.0, 6.0),
        (lambda x: np.sqrt(x**1.5), 0.0, math.inf),
        (lambda x: (x**3) ** (1 / 3), 0.0, 1.0),
        (lambda x: np.exp(np.log(x**3) / 3), 0.0, 1.0),
        (lambda x: (x * x * x) ** (1 / 3), 0.0, 1.0),
        (lambda x: np.cbrt(x * x * x), 0.0, 1.0),
        (lambda x: (np.sin(x) * x * x) ** (1 / 3), 0.0, 1.0),
        (lambda x: (x**2 * x) ** (1 / 3), 0.0, 1.0),
        (lambda x: cubed_in_a_loop(x) ** (1 / 3), 0.0, 1.0),
        (lambda x: np.nansum(x * np.log(x)), 0.0, -math.inf),
        (lambda x: np.sum((x > 0) * np.sqrt(x)), 0.0, math.inf),
        (lambda x: np.abs(2 * np.sqrt(x + 0j) + np.sqrt(-x + 0j)), 0.0, math.inf),
    ],
)
def test_zero_times_infinity_is_not_zero(f, at, slope):
    """What hangs on the infinite slopes is not told: 0 would be wrong."""
    _, g = ya.grad(f, at)
    assert np.isnan(g[0]) or g[0] == pytest.approx(slope)
    _, g = ya.grad(lambda x: np.sum(f(x)), np.array([at, at]))
    assert np.all(np.isnan(g[0]) | np.isclose(g[0], slope))


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize(
    ("f", "at", "slope"),
    [
        (lambda x: math.sqrt(x) ** 2, 0.0, 1.0),
        (lambda x: math.sqrt(x) * math.sqrt(x), 0.0, 1.0),
        (lambda x: (x**0.25) ** 4, 0.0, 1.0),
        (lambda x: math.pow(math.pow(x, 0.5), 2), 0.0, 1.0),
        (lambda x: math.acos(x) ** 2, 1.0, -2.0),
        (lambda x: math.cos(math.acos(x)), 1.0, 1.0),
    ],
)
def test_zero_times_infinity_of_python_numbers(f, at, slope):
    val, g = ya.grad(f, at)
    assert val == f(at)
    assert np.isnan(g[0]) or g[0] == pytest.approx(slope)
    _, dx = ya.simplegrad(f, at)(at)
    assert np.isnan(dx) or dx == pytest.approx(slope)


MASK = np.array([0.0, 1.0])
SLOPES = np.array([[2.0, 1.0], [1.0, 3.0]], np.float16)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (lambda x: np.sqrt(np.sum(x * x)), [0.0, 0.0]),
        (lambda x: np.sum(np.abs(x) ** 3) ** (1 / 3), [0.0, 0.0]),
        (lambda x: np.sum(x**4) ** 0.25, [0.0, 0.0]),
        (lambda x: np.sum(np.sqrt(x**3)) + x[0], [1.0, 0.0]),
        (lambda x: np.sqrt(np.sum(x * (SLOPES @ x))), [0.0, 0.0]),
        (lambda x: (x[0] * x[1]) ** (1 / 2) + x[0], [1.0, 0.0]),
        (lambda x: np.sum((np.sin(x) * x * np.abs(x)) ** (1 / 3)), [0.0, 0.0]),
        (lambda x: np.sum((x * x * x * x) ** 0.25), [0.0, 0.0]),
        (lambda x: np.arccos(np.cos(x[0])) + 3 * x[1], [0.0, 3.0]),
        (lambda x: np.sqrt(x @ x) + np.sum(x**3 + 2 * x), [2.0, 2.0]),
    ],
)
def test_what_stands_still(f, slope, dtype):
    _, g = ya.grad(f, np.zeros(2, dtype))
    assert g[0].dtype == dtype
    assert np.array_equal(g[0], slope)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize(
    ("text", "limit"),
    [
        # a slope of 1 on the way up
        ("np.sum(np.prod(np.stack([x, x, x]), axis=0) ** (1 / 3))", 1.0),
        ("np.cbrt((x * x) @ x)", None),
        ("np.prod(x) ** (1 / 3)", None),
        ("np.einsum('i,i,i->', x, x, x) ** (1 / 3)", None),
        ("np.cbrt(np.dot(x, np.outer(x, x) @ np.ones(3)))", None),
        ("np.linalg.det(np.diag(x)) ** (1 / 3)", None),
        ("np.sum(np.cumprod(x) ** (1 / 3))", None),
        ("np.max(np.tensordot(x, x * x, 1)) ** (1 / 3)", None),
        ("np.inner(x, x * x) ** (1 / 3)", None),
        ("np.sum(np.convolve(x, x)[1:4:2] * x[:2]) ** (1 / 3)", None),
        ("np.linalg.norm(x ** 0.5) ** 2", 1.0),
        ("np.sum(np.hypot(x ** 0.5, 0.0) ** 2)", 1.0),
        ("np.sum(np.sqrt(np.trapezoid(np.stack([x, x]), axis=0)) ** 2)", 1.0),
        # cusps
        ("(x @ x) ** (1 / 3)", math.inf),
        ("np.cbrt(x @ x)", math.inf),
        ("np.cbrt(np.linalg.norm(x) ** 2)", math.inf),
        ("(x[0] * x[1] + x[2] ** 2) ** (1 / 3)", math.inf),
        ("np.einsum('i,i', x, x) ** 0.3", math.inf),
        ("np.sum(np.var(np.stack([x, 2 * x]), axis=0) ** 0.25)", math.inf),
        ("np.linalg.norm(x) ** 0.5", math.inf),
        ("np.sqrt(np.std(np.concatenate([x, -x])))", math.inf),
    ],
)
def test_what_moves_is_not_told_to_stand_still(text, limit):
    one = use(text, x=np.zeros(3))
    for x in (np.zeros(3), np.array([0.0, 0.0, -0.0])):
        _, g = ya.grad(one.fn, x)
        told = np.isclose(g["x"], math.inf if limit is None else limit)
        assert np.all(np.isnan(g["x"]) | told)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize(
    "text",
    [
        "np.sqrt(np.prod(x) ** 2) + np.sum(x)",
        "np.sqrt(np.einsum('i,i->', x, x)) + np.sum(x)",
        "np.sqrt(x @ np.eye(3) @ x) + np.sum(x)",
        "np.sqrt(np.tensordot(x, x, 1)) + np.sum(x)",
        "np.sqrt(np.sum((x - np.mean(x)) ** 2)) + np.sum(x)",
        "np.sqrt(np.var(x)) + np.sum(x)",
        "np.sqrt(np.max(x * x)) + np.sum(x)",
        "np.sqrt(np.sum(np.maximum(x - 1e-3, 0) ** 2)) + np.sum(x)",
        "np.cbrt((x @ x) ** 2) + np.sum(x)",
        "np.sum(np.sqrt(np.sum((x[:, None] - x) ** 2, axis=-1))) + np.sum(x)",
        "np.sqrt(np.linalg.det(np.outer(x, x)) ** 2) + np.sum(x)",
        "np.sqrt(np.trapezoid(x * x)) + np.sum(x)",
    ],
)
def test_least_values_of_what_is_not_elementwise(text):
    one = use(text, x=np.zeros(3))
    _, g = ya.grad(one.fn, np.zeros(3))
    np.testing.assert_array_equal(g["x"], np.ones(3))


@pytest.mark.usefixtures("passes")
def test_a_weight_of_zero():
    """What has no part in a function has no slope; a mask of x has a part in it."""

    def weighted(x, w):
        return np.sum(w * np.sqrt(x)) + np.sum(MASK[0] * np.log(x + 1e-300))

    _, g = ya.grad(weighted, np.array([0.0, 4.0]), MASK, wrt="x")
    assert np.array_equal(g["x"], [0.0, 0.25])
    _, g = ya.grad(weighted, np.array([0.0, 4.0]), 1e-30 * MASK[::-1], wrt="x")
    assert np.array_equal(g["x"], [math.inf, 0.0])

    def of_itself(x):
        return np.sum((x > 0) * np.sqrt(x))

    _, g = ya.grad(of_itself, np.array([0.0, 4.0]))
    assert np.isnan(g["x"][0])
    assert g["x"][1] == 0.25


@pytest.mark.usefixtures("passes")
def test_seeds_of_containers():
    def both(x):
        return {"root": [np.sqrt(x) ** 2], "norm": (np.sqrt(x * x), 3 * x)}

    seed = {"root": [np.zeros(2)], "norm": (np.ones(2), np.ones(2))}
    _, g = ya.grad(lambda x: both(x)["norm"], np.zeros(2), seed=seed["norm"])
    assert np.array_equal(g["x"], [3.0, 3.0])
    _, g = ya.grad(both, np.zeros(2), seed=seed | {"root": [np.ones(2)]})
    assert np.all(np.isnan(g["x"]))


@pytest.mark.usefixtures("passes")
def test_an_infinite_slope_beside_what_stands_still():
    def f(x):
        return np.sqrt(x[0]) + np.sqrt(x[1] ** 2 + x[2] ** 2)

    _, g = ya.grad(f, np.zeros(3))
    assert np.array_equal(g["x"], [math.inf, 0.0, 0.0])

    def parts(m):
        return np.sum(np.sqrt(m["a"])) + np.sqrt(np.sum(m["b"][0] ** 2)) + m["c"] ** 2

    _, g = ya.grad(parts, {"a": np.zeros(2), "b": [np.zeros(2)], "c": 3.0})
    assert np.array_equal(g["m"]["a"], [math.inf, math.inf])
    assert np.array_equal(g["m"]["b"][0], [0.0, 0.0])
    assert g["m"]["c"] == 6.0


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
