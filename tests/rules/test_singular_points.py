"""Points at which formulas divide by 0, and mathematics or a convention has a number.

Everything runs through `ya.grad`, with warnings as errors where the function itself
gives none, and with all passes on or off.
"""

import warnings

import numpy as np
import pytest

import yota_ast as ya

from .coverage_lists import use

zeros, ones = np.zeros(3), np.ones(3)
POINTS = [
    # norms and distances
    ("np.linalg.norm(x)", zeros, zeros),
    ("np.linalg.norm(x, axis=0)", np.zeros((3, 2)), np.zeros((3, 2))),
    ("np.linalg.norm(x, 3)", zeros, zeros),
    ("np.linalg.vector_norm(x)", zeros, zeros),
    ("np.linalg.matrix_norm(x)", np.zeros((2, 2)), np.zeros((2, 2))),
    ("np.linalg.norm(x, -1)", np.array([0.0, 0.0, 2.0]), zeros),
    ("np.linalg.norm(x, -2)", np.array([1.0, 0.0, 2.0]), zeros),
    ("np.linalg.norm(x, -1, axis=1)", np.array([[1.0, 0], [0, 0]]), np.zeros((2, 2))),
    ("np.linalg.norm(x, 0.5)", zeros, zeros),
    ("np.linalg.norm(x, 2)", np.eye(3), np.eye(3) / 3),
    ("np.linalg.norm(x, -2)", np.diag([2.0, 1.0, 1.0]), np.diag([0.0, 0.5, 0.5])),
    ("np.linalg.norm(x, 2)", np.eye(2, dtype="f4"), np.eye(2) / 2),
    ("np.linalg.norm(x, -2)", np.diag([1.0, 0.0]), np.zeros((2, 2))),
    ("np.linalg.norm(x, 'nuc')", np.diag([1.0, 0.0]), np.diag([1.0, 0.0])),
    ("np.linalg.norm(x, 'nuc')", np.ones((3, 3), "f4"), np.ones((3, 3)) / 3),
    ("np.sum(np.linalg.svdvals(x))", np.diag([1.0, 0.0]), np.diag([1.0, 0.0])),
    ("np.hypot(x, 0.0)", 0.0, 0.0),
    ("np.hypot.reduce(x)", zeros, zeros),
    ("np.arctan2(x, 0.0)", 0.0, 0.0),
    ("np.abs(x)", 0.0, 0.0),
    ("np.heaviside(0.0, x)", 0.7, 1.0),
    ("np.heaviside(np.array([-1, 0, 2]), x)", ones, np.array([0.0, 1.0, 0.0])),
    ("np.heaviside(x, 0.5)", 0.0, 0.0),
    ("np.abs(x + 0j)", zeros, zeros),
    ("np.angle(x + 0j)", zeros, zeros),
    ("np.sqrt(np.sum(x * x)) * 0.0", ones, zeros),
    # powers
    ("x ** 0", 0.0, 0.0),
    ("x ** 1", 0.0, 1.0),
    ("x ** 2", 0.0, 0.0),
    ("x ** 2.0", -2.0, -4.0),
    ("np.power(x, 3)", np.array([-2.0, 0.0]), np.array([12.0, 0.0])),
    ("0.0 ** x", 2.0, 0.0),
    ("np.float_power(x, 2)", -3.0, -6.0),
    # products with zeros
    ("np.prod(x)", np.array([2.0, 0.0, 3.0]), np.array([0.0, 6.0, 0.0])),
    ("np.prod(x)", np.array([0.0, 0.0, 3.0]), zeros),
    ("np.cumprod(x)[-1]", np.array([2.0, 0.0, 3.0]), np.array([0.0, 6.0, 0.0])),
    ("np.multiply.reduce(x)", np.array([2.0, 0.0]), np.array([0.0, 2.0])),
    ("np.linalg.det(x)", np.diag([2.0, 0.0]), np.diag([0.0, 2.0])),
    # removable singularities and flat spreads
    ("np.sinc(x)", 0.0, 0.0),
    ("np.i0(x)", np.zeros(2), np.zeros(2)),
    ("np.std(x)", ones, zeros),
    ("np.var(x)", ones, zeros),
    ("np.nanstd(x)", ones, zeros),
    ("np.std(x, where=[True, True, False])", ones, zeros),
    # large arguments
    ("np.log1p(np.exp(x))", 800.0, 1.0),
    ("np.log(1 + np.exp(x))", 800.0, 1.0),
    ("np.logaddexp(x, 0.0)", 800.0, 1.0),
    ("np.logaddexp(x, 0.0)", -800.0, 0.0),
    ("np.logaddexp.reduce(x)", np.array([1e3, 0.0]), np.array([1.0, 0.0])),
    # arms that are not taken
    ("np.where(x > 0, np.sqrt(x), 0.0)", zeros, zeros),
    ("np.where(x > 0, np.log(x), x)", zeros, ones),
    ("np.where(x != 0, np.sin(x) / x, 1.0)", zeros, zeros),
    ("np.select([x > 0], [np.sqrt(x)], 0.0)", zeros, zeros),
    ("np.select([x < 0, x > 0], [x, np.log(x)], 1.0)", zeros, zeros),
    ("np.sqrt(x, out=np.zeros(3), where=x > 0)", zeros, zeros),
    ("np.divide(1.0, x, out=np.zeros(3), where=x != 0)", zeros, zeros),
    # ties
    ("np.max(x)", np.array([1.0, 3.0, 3.0]), np.array([0.0, 0.5, 0.5])),
    ("np.min(x)", np.array([1.0, 1.0, 3.0]), np.array([0.5, 0.5, 0.0])),
    ("np.max(x, initial=3.0)", np.array([1.0, 3.0]), np.array([0.0, 0.5])),
    ("np.maximum(x, 1.0)", 1.0, 0.5),
    ("np.minimum(x, x)", 1.0, 1.0),
    ("np.maximum.reduce(x)", ones, ones / 3),
    ("np.maximum.accumulate(x)[-1]", np.array([2.0, 2.0]), np.array([0.5, 0.5])),
    ("np.median(x)", np.array([1.0, 2.0, 2.0]), np.array([0.0, 0.5, 0.5])),
    (
        "np.median(x)",
        np.array([1.0, 2.0, 2.0, 2.0]),
        np.array([0.0, 1.0, 1.0, 1.0]) / 3,
    ),
    ("np.percentile(x, 50)", np.array([2.0, 2.0, 5.0]), np.array([0.5, 0.5, 0.0])),
    ("np.sort(x)[-1]", np.array([1.0, 3.0, 3.0]), np.array([0.0, 0.5, 0.5])),
    ("np.partition(x, 1)[0]", np.array([1.0, 1.0, 3.0]), np.array([0.5, 0.5, 0.0])),
    ("np.unique(x)[0]", np.array([1.0, 1.0, 3.0]), np.array([0.5, 0.5, 0.0])),
    ("np.ptp(x)", ones, zeros),
    ("np.clip(x, 1.0, 2.0)", 1.0, 1.0),
    # kinks, empty arrays
    ("np.interp(x, [0.0, 1.0, 3.0], [0.0, 1.0, 0.0])", 1.0, 0.25),
    ("np.mean(x)", np.zeros(0), np.zeros(0)),
    ("np.sum(x)", np.zeros((0, 3)), np.zeros((0, 3))),
    ("np.linalg.eigvalsh(x)", np.eye(2), None),
    ("np.linalg.svdvals(x)", np.zeros((2, 2)), None),
]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(("text", "x", "expected"), POINTS)
def test_point(text, x, expected, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    one = use(text, x=x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shape = np.shape(one.fn(x))
        seed = np.ones(shape) if shape else 1.0
        _, g = ya.grad(one.fn, x, seed=seed)
    assert np.all(np.isfinite(g["x"]))
    if expected is not None:
        rounding = 1e-6 if getattr(x, "dtype", None) == np.float32 else 1e-12
        np.testing.assert_allclose(g["x"], expected, atol=rounding)


def test_where_the_cotangent_is_0_roots_have_none():
    one = use("np.sum(np.sqrt(x) * m)", x=np.array([0.0, 4.0]), m=np.array([0.0, 1.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, g = ya.grad(one.fn, np.array([0.0, 4.0]), np.array([0.0, 1.0]), wrt=["x"])
    assert g["x"][1] == 0.25


def from_one(t):
    if t == 0.0:
        return t * 0.0 + 1.0
    return np.exp(t)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(("t", "slope"), [(0.0, 0.0), (1.0, np.exp(1.0))])
def test_the_branch_of_one_point(t, slope, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    assert ya.grad(from_one, t)[1][0] == slope
    assert ya.jvp(from_one)(t, 1.0)[1] == slope


special = pytest.importorskip("scipy.special")


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (lambda x: np.linalg.norm(np.hstack([x, 1 + x]), 0.5), np.nan),
        (lambda x: special.rel_entr(x, 2 * x), np.nan),
        (lambda x: special.kl_div(x, 2 * x), np.nan),
        (lambda x: special.xlogy(x, x), -np.inf),
        (lambda x: special.xlog1py(x, x - 1), -np.inf),
        (lambda x: special.xlogy(0.0, x) + special.rel_entr(0.0, x), 0.0),
        (lambda x: special.kl_div(0.0, x), 1.0),
        (lambda x: special.rel_entr(x, x), np.nan),
        (lambda x: special.kl_div(x, x), np.nan),
    ],
)
def test_what_has_no_slope_is_not_told(f, slope, passes, monkeypatch):
    """At 0; where the slope is not told the one-sided ones are neither 0 nor bound."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for x in (0.0, np.array([0.0])):
            _, g = ya.grad(lambda x: np.sum(f(x)), x)
            np.testing.assert_equal(np.sum(g["x"]), slope)
