"""Programs that hand functions to SciPy, or get them from it, with golden texts."""

import numpy as np
from scipy import integrate, interpolate, optimize


def orbit(mean, e):
    def kepler(E):
        return E - e * np.sin(E) - mean

    E = optimize.brentq(kepler, 0.0, 6.3)
    return np.cos(E) - e


def balance(A, b, c):
    def residual(x):
        return A @ x + c * x**3 - b

    x = optimize.fsolve(residual, np.zeros(3))
    return np.sum(x**2)


def dose(k, w, T):
    total, _ = integrate.quad(lambda t: np.exp(-k * t) * np.sin(w * t), 0.0, T)
    return total


def cooling(y0, k, target):
    def slope(t, y):
        return -k * y

    sol = integrate.solve_ivp(slope, (0.0, 1.0), y0, rtol=1e-8)
    return np.sum((sol.y[:, -1] - target) ** 2)


def smooth(y, t, x, data):
    curve = interpolate.CubicSpline(t, y, bc_type="natural")
    rough = np.sum(curve(t, 2) ** 2)
    return np.sum((curve(x) - data) ** 2) + 0.01 * rough


_grid = np.linspace(0.0, 1.0, 5)
_points = np.linspace(0.1, 0.9, 7)
CASES = [
    (orbit, (1.2, 0.3), None, ()),
    (
        balance,
        (np.eye(3) + 0.1, np.array([1.0, 0.5, -0.3]), 0.4),
        None,
        ("jacobian", "check_found"),
    ),
    (dose, (0.7, 2.0, 1.5), None, ()),
    (
        cooling,
        (np.array([1.0, 2.0]), np.array([0.5, 1.5]), np.array([0.4, 0.4])),
        ("y0", "k"),
        ("unflow", "shape_of", "backwards", "raveled"),
    ),
    (
        smooth,
        (np.sin(3 * _grid), _grid, _points, np.cos(_points)),
        ("y",),
        ("unpiecewise", "uncubic"),
    ),
]
