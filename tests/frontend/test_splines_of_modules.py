"""Splines and other interpolants that are made outside the function: by the module, by
an object, in a table; and those that SciPy fits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import interpolate

import yota_ast as ya

X = np.linspace(0.0, 3.0, 12)
Y = np.sin(X) + 0.1 * X**2
CUBIC = interpolate.CubicSpline(X, Y)
LINE = interpolate.interp1d(X, Y, fill_value="extrapolate")
SMOOTH = interpolate.UnivariateSpline(X, Y, s=0.001)
THROUGH = interpolate.InterpolatedUnivariateSpline(X, Y, k=2)
BASIS = interpolate.make_interp_spline(X, Y)
TABLES = {"a": CUBIC, "b": LINE}
EVERY = [
    CUBIC, LINE, SMOOTH, THROUGH, BASIS, interpolate.Akima1DInterpolator(X, Y),
    interpolate.PchipInterpolator(X, Y), interpolate.PPoly(CUBIC.c, CUBIC.x),
    interpolate.CubicHermiteSpline(X, Y, np.cos(X)),
]  # fmt: skip


@pytest.mark.parametrize("spline", EVERY, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("x", [0.7, np.array([0.3, 1.7]), np.array(2.1)])
def test_one_that_is_there(spline, x):
    def f(x):
        return np.sum(spline(x) * x)

    assert ya.gradcheck(f, x)


class Body:
    def __init__(self):
        self.drag = interpolate.UnivariateSpline(X, Y)
        self.lift = interpolate.CubicSpline(X, Y)

    def force(self, x):
        return self.drag(x) * self.lift(x)


BODY = Body()


def of_an_object(x):
    return BODY.force(x)


def of_an_object_made_here(x):
    return Body().force(x)


def of_a_table(x):
    return sum(f(x) for f in TABLES.values()) + TABLES["a"](x * x)


def one_of_two(x):
    if x < 1:
        f = interpolate.UnivariateSpline(X, Y)
    else:
        f = interpolate.UnivariateSpline(X, 2 * Y)
    return f(x)


def slopes(x):
    return CUBIC(x, 1) * SMOOTH(x, nu=1) + CUBIC.derivative()(x) + CUBIC.integrate(0, x)


@pytest.mark.parametrize(
    "f", [of_an_object, of_an_object_made_here, of_a_table, one_of_two, slopes]
)
@pytest.mark.parametrize("x", [0.7, 1.4])
def test_of_what_holds_it(f, x):
    assert ya.gradcheck(f, x)


def test_what_is_fitted_has_no_slope_in_its_values():
    def f(x, y):
        return interpolate.UnivariateSpline(X, y)(x)

    why = "no formula for the derivative in the values of a fitted spline"
    with pytest.raises(ya.NoRule, match=why):
        ya.grad(f, 0.7, Y)
    assert ya.gradcheck(lambda x: f(x, Y), 0.7)


@pytest.mark.parametrize("ext", [0, 1, 3])
@pytest.mark.parametrize("x", [-0.4, 0.7, 3.9])
def test_beyond_its_ends(ext, x):
    made = interpolate.UnivariateSpline(X, Y, ext=ext)

    def f(x):
        return made(x) * x + interpolate.UnivariateSpline(X, Y, ext=ext)(x)

    assert ya.gradcheck(f, x)


RADIAL = interpolate.RBFInterpolator(X[:, np.newaxis], Y)


def test_one_without_a_rule_is_named_by_its_class():
    def f(x):
        return RADIAL(np.array([[x]]))[0]

    why = "an object of RBFInterpolator has no rule"
    with pytest.raises(ya.NoRule, match=why):
        ya.grad(f, 0.7)


CURVE = interpolate.CubicSpline(X, np.stack([Y, np.cos(X)], axis=-1))


def times(x):
    return CUBIC(x) * x


def along_a_curve(x):
    return np.sum(CURVE(x) ** 2)


def test_the_slope_of_a_curve_of_numbers_is_a_factor():
    """Of a curve of vectors all the components move, and are summed."""
    for x in (0.7, np.array([0.3, 1.7])):
        text = ya.simplegrad(times, x).source
        assert "* CUBIC(x, 1)" in text
        assert "along_curve" not in text
        assert "along_curve(" in ya.simplegrad(along_a_curve, x).source
        assert ya.gradcheck(along_a_curve, x)


class Held:
    def __init__(self, curve, scale=2.0):
        self.curve, self.scale = curve, scale

    def at(self, x):
        return self.scale * np.sum(self.curve(x) * x)


TABLE = interpolate.RegularGridInterpolator((X,), Y)


@pytest.mark.parametrize("spline", [*EVERY, TABLE], ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("x", [0.7, np.array([0.3, 1.7])])
def test_one_that_an_argument_holds(spline, x):
    """Its values are no arguments: nothing is asked of them."""
    if spline is TABLE:
        x = np.atleast_1d(x)
    held = Held(spline)
    assert ya.gradcheck(held.at, x)
    value, grads = ya.grad(lambda held, x: held.at(x), held, x)
    assert value == held.at(x)
    assert list(grads["held"]) == [("scale",)]
    assert ya.gradcheck(lambda x, held: held.at(x), x, held)
    text = ya.simplegrad(lambda held, x: held.at(x), held, x)
    assert text(Held(spline, 3.0), x)[0] == Held(spline, 3.0).at(x)
    assert "held_curve(x" in text.source
    told = f"made for held: Held with its at; held.curve: {type(spline).__name__}"
    with pytest.raises(ValueError, match=f"^lambda_grad: {told}; .*held.scale$"):
        text(Held(np.sin), x)


def test_methods_of_one_that_an_argument_holds():
    def f(held, x):
        return held.curve(x, 1) * held.curve.integrate(0.0, x)

    assert ya.gradcheck(lambda x, held: f(held, x), 0.7, Held(CUBIC))
    assert ya.gradcheck(lambda d, x: d["a"](x) * d["b"](x), TABLES, 0.7)


def test_one_of_complex_values_is_refused():
    held = Held(interpolate.CubicSpline(X, Y + 1j))
    with pytest.raises(ya.UnsupportedCall):
        ya.grad(lambda x: abs(held.curve(x)), 0.7)
    with pytest.raises(ya.UnsupportedCall):
        ya.grad(lambda held, x: abs(held.curve(x)), held, 0.7)


@pytest.mark.parametrize("spline", EVERY, ids=lambda s: type(s).__name__)
def test_forward(spline):
    value, slope = ya.jvp(lambda x: spline(x) * x)(0.7, 2.0)
    assert value == spline(0.7) * 0.7
    assert slope == pytest.approx(2 * ya.grad(lambda x: spline(x) * x, 0.7)[1][0])


def of_no_rule(x):
    """Made of numbers that are there; the class has no rule."""
    curve = interpolate.CubicHermiteSpline(X, Y, np.cos(X))
    return curve(x) * interpolate.LSQUnivariateSpline(X, Y, [1.0, 2.0])(x, 1)


def made_of_what_varies(x):
    return interpolate.BSpline(BASIS.t, BASIS.c * x, BASIS.k)(0.7)


def test_one_of_a_class_without_a_rule():
    assert ya.gradcheck(of_no_rule, 0.7)
    with pytest.raises(ya.NoRule):
        ya.grad(made_of_what_varies, 0.7)
