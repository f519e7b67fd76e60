"""`interp1d` is linear in its values: forward mode and second derivatives."""

import itertools

import numpy as np
import pytest
from scipy import interpolate

import yota_ast as ya

KNOTS = np.array([0.0, 2.0, 1.0, 3.0, 3.5])  # it sorts them
POINTS = np.array([[0.3, 1.7, 2.2], [0.4, 5.0, -1.0]])
KINDS = ("linear", "nearest", "zero", "previous", "quadratic", "cubic")
CASES = [
    (kind, beyond, axis)
    for kind, beyond, axis in itertools.product(KINDS, ("extrapolate", 0.3), (0, -1))
    if (kind, beyond) != ("previous", "extrapolate")  # nan below the first knot
]


def cubes(y, kind, beyond, axis):
    curve = interpolate.interp1d(
        KNOTS, y, kind, axis, bounds_error=False, fill_value=beyond
    )
    return np.sum(curve(POINTS) ** 3)


@pytest.mark.parametrize(("kind", "beyond", "axis"), CASES)
def test_values_in_every_mode(kind, beyond, axis):
    y = np.sin(np.arange(10.0)).reshape((5, 2) if axis == 0 else (2, 5))
    v, rest = np.cos(y), (kind, beyond, axis)
    gradient = ya.grad(cubes, y, *rest, wrt="y")[1]["y"]
    h = 1e-6
    slope = (cubes(y + h * v, *rest) - cubes(y - h * v, *rest)) / (2 * h)
    assert np.sum(gradient * v) == pytest.approx(slope, rel=1e-6)
    assert ya.jvp(cubes, wrt="y")(y, *rest, v)[1] == pytest.approx(slope, rel=1e-6)
    ends = [ya.grad(cubes, y + s * v, *rest, wrt="y")[1]["y"] for s in (h, -h)]
    change = (ends[0] - ends[1]) / (2 * h)
    found = ya.hvp(cubes)(y, v, *rest)
    np.testing.assert_allclose(found, change, rtol=1e-5, atol=1e-6)


def curved(y, x):
    return np.sum(interpolate.interp1d(KNOTS, y, "cubic")(x) ** 3)


def pull(y, x):
    return np.sum(ya.value_and_grad(curved)(y, x)[1] * np.arange(5.0))


def test_points_at_second_order():
    y, x = np.sin(np.arange(5.0)), np.array([0.3, 1.6, 2.2])
    v, h = np.cos(x), 1e-6
    ends = [ya.grad(curved, y, x + s * v)[1]["x"] for s in (h, -h)]
    change = (ends[0] - ends[1]) / (2 * h)
    np.testing.assert_allclose(ya.hvp(curved, wrt="x")(y, v, x), change, rtol=1e-6)
    assert ya.gradcheck(pull, y, x)


def test_the_slope_is_not_followed_to_the_values():
    def steepness(y, x):
        return np.sum(ya.value_and_grad(curved, wrt="x")(y, x)[1] ** 2)

    with pytest.raises(ya.NoRule, match="is not followed to the values"):
        ya.grad(steepness, np.sin(np.arange(5.0)), np.array([0.3, 1.6]))
