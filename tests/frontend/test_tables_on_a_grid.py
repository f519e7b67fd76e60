"""Tables on a grid and surfaces of SciPy: made by the module, by an object, in the
function itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import interpolate

import yota_ast as ya

U = np.linspace(0.0, 3.0, 7)
V = np.linspace(0.0, 2.0, 6)
W = np.linspace(-1.0, 1.0, 5)
Z = np.sin(U)[:, np.newaxis] * np.cos(V)
CUBE = Z[:, :, np.newaxis] * np.exp(W)
MADE = {"bounds_error": False, "fill_value": None}
TABLES = {
    "linear": interpolate.RegularGridInterpolator((U, V), Z),
    "beyond": interpolate.RegularGridInterpolator((U, V), Z, **MADE),
    "filled": interpolate.RegularGridInterpolator((U, V), Z, "linear", False, 2.0),
    "nearest": interpolate.RegularGridInterpolator((U, V), Z, "nearest"),
    "cubic": interpolate.RegularGridInterpolator((U, V), Z, "cubic"),
    "down": interpolate.RegularGridInterpolator((U[::-1], V), Z[::-1]),
}
OF_THREE = interpolate.RegularGridInterpolator((U, V, W), CUBE)
OF_ONE = interpolate.RegularGridInterpolator((U,), np.sin(U))
SURFACES = {
    "cubic": interpolate.RectBivariateSpline(U, V, Z),
    "flat": interpolate.RectBivariateSpline(U, V, Z, kx=1, ky=1),
    "mixed": interpolate.RectBivariateSpline(U, V, Z, kx=2, ky=1),
}
PLACES = [(0.7, 1.3), (2.1, 0.55), (1.1, 1.9)]


def agrees(f, *args):
    """Both modes, against differences and each other."""
    assert ya.gradcheck(f, *args)
    ones = [np.ones_like(a) if isinstance(a, np.ndarray) else 1.0 for a in args]
    g = ya.grad(f, *args)[1]
    slope = sum(np.sum(g[k]) for k in range(len(args)))
    assert ya.jvp(f)(*args, *ones)[1] == pytest.approx(slope)


@pytest.mark.part(2)
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("place", PLACES)
def test_a_table_at_a_point(name, place):
    table = TABLES[name]
    agrees(lambda x, y: float(table((x, y))) * x, *place)
    agrees(lambda x, y: table([x, y])[0] * y, *place)
    agrees(lambda x, y: np.sum(table(np.array([[x, y], [y, x * 0.5]]))), *place)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_at_several_points(name):
    table = TABLES[name]
    x, y = np.array([0.7, 2.1, 1.1]), np.array([1.3, 0.55, 1.9])
    agrees(lambda x, y: np.sum(table((x, y)) * x), x, y)
    agrees(lambda x, y: np.sum(table((x, y)) ** 2), x, 0.7)
    agrees(lambda x, y: np.sum(table((x[:, np.newaxis], y)) ** 2), x, y)
    agrees(lambda at: np.sum(table(at) ** 2), np.stack([x, y], axis=-1))


@pytest.mark.parametrize("place", [(-0.4, 1.3), (3.5, 0.5), (1.1, 2.9), (4.0, 4.0)])
@pytest.mark.parametrize("name", ["beyond", "filled"])
def test_a_table_beyond_its_ends(name, place):
    table = TABLES[name]
    agrees(lambda x, y: float(table((x, y))) * x * y, *place)


def test_tables_of_one_and_of_three_axes():
    agrees(lambda x, y: float(OF_THREE((x, y, x * 0.3))), 0.7, 1.3)
    agrees(lambda x: np.sum(OF_ONE(x) ** 2), np.array([0.7, 1.3]))
    agrees(lambda x: OF_ONE([x])[0], 0.7)
    agrees(lambda x: np.sum(OF_ONE((x,)) ** 2), np.array([0.7, 1.3]))


def test_a_table_of_vectors_has_no_slopes():
    table = interpolate.RegularGridInterpolator((U, V), np.stack([Z, Z], axis=-1))
    with pytest.raises(ValueError, match="slope of this table is unknown"):
        ya.grad(lambda x: np.sum(table((x, 1.0))), 0.7)


@pytest.mark.parametrize("name", SURFACES)
@pytest.mark.parametrize("place", [*PLACES, (-0.4, 1.3), (3.5, 0.5), (1.1, 2.9)])
def test_a_surface_at_a_point(name, place):
    surface = SURFACES[name]
    agrees(lambda x, y: surface(x, y)[0, 0] * x, *place)
    agrees(lambda x, y: surface.ev(x, y) * y, *place)
    agrees(lambda x, y: float(surface(x, y, grid=False)), *place)


@pytest.mark.parametrize("name", SURFACES)
def test_a_surface_at_several_points(name):
    surface = SURFACES[name]
    x, y = np.array([0.7, 1.1, 2.1]), np.array([0.55, 1.3])
    agrees(lambda x, y: np.sum(surface(x, y) ** 2), x, y)
    agrees(lambda x, y: np.sum(surface(x, y) ** 2), x, 0.3)
    agrees(lambda x, y: np.sum(surface.ev(x, y) ** 2), x, 0.3)
    agrees(lambda x, y: np.sum(surface.ev(x[:, np.newaxis], y) ** 2), x, y)
    agrees(lambda x, y: np.sum(surface(x, y, grid=False) ** 2), x, x[::-1] / 2)


def test_slopes_of_a_surface():
    surface = SURFACES["cubic"]
    agrees(lambda x, y: surface.ev(x, y, 1, 0) * surface(x, y, 0, 1)[0, 0], 0.7, 1.3)


class Map:
    def __init__(self):
        self.thrust = TABLES["linear"]
        self.lift = SURFACES["cubic"]

    def force(self, x, y):
        return self.thrust((x, y)) * self.lift.ev(x, y)


MAP = Map()


def made_here(x, y):
    table = interpolate.RegularGridInterpolator((U, V), Z)
    return table([x, y])[0] * interpolate.RectBivariateSpline(U, V, Z)(x, y)[0, 0]


def test_of_what_holds_it():
    agrees(lambda x, y: MAP.force(x, y), 0.7, 1.3)
    agrees(lambda x, y: Map().force(x, y), 0.7, 1.3)
    agrees(made_here, 0.7, 1.3)


def test_the_values_are_fixed():
    def of_table(x, z):
        return interpolate.RegularGridInterpolator((U, V), z)((x, 1.0))

    def of_surface(x, z):
        return interpolate.RectBivariateSpline(U, V, z).ev(x, 1.0)

    for f in (of_table, of_surface):
        with pytest.raises(ya.NoRule, match="derivative in the values of a table"):
            ya.grad(f, 0.7, Z)
        assert ya.gradcheck(lambda x, f=f: f(x, Z), 0.7)
