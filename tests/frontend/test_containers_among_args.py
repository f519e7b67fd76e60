"""`solve_ivp(f, ..., args=([a, b],))`: solvers hand on lists, dicts and objects, and
some of them the items of a list."""

import numpy as np
import pytest
from scipy import integrate, optimize

import yota_ast as ya

X = np.array([0.5, 1.2, 0.8])
V = np.array([0.3, 0.5, -0.2])
STEP = 1e-4


class Place:
    def __init__(self, a):
        self.a = a


def decay(t, y, cs, k=1.0):
    return [-cs[0] * y[0] * k, cs[1] * y[0]]


def flow(x):
    found = integrate.solve_ivp(
        decay, (0, 1), [1.0, 0.0], args=([x[0], x[1]], x[2]), rtol=1e-9, atol=1e-9
    )
    return found.y[1, -1]


def root_with_slope(x):
    def f(z, cs):
        return z**3 + cs[0] * z - cs[1]

    def slope(z, cs):
        return np.array([[3 * z[0] ** 2 + cs[0]]])

    return optimize.root(f, [1.0], args=([x[0], x[1]],), jac=slope).x[0]


def integral(x):
    def f(t, cs, d):
        return np.exp(-cs["a"] * t) * cs["b"] * d

    return integrate.quad(f, 0, 1, args=({"a": x[0], "b": x[1]}, x[2]))[0]


def crossing(x):
    def f(t, cs, n):
        return np.cos(t) * n - cs[0] * t

    return optimize.brentq(f, 0, 2, args=((x[0], x[1]), 1.0)) * x[2]


def newton(x):
    return optimize.newton(
        lambda z, c: z**2 - c[0], 1.0, fprime=lambda z, c: 2 * z, args=([x[0]],)
    )


def minimum(x):
    def f(z, p):
        return (z[0] - p.a) ** 2 + np.sin(z[0]) * 0.1 * p.a

    return optimize.minimize(f, [0.5], args=(Place(x[0]),), tol=1e-9).x[0] * x[1]


def in_a_loop_and_an_arm(x):
    s = 0.1
    for i in range(3):
        cs = [x[0] + i, x[1]]
        if x[0] > 0.1:
            s += integrate.quad(lambda t, c: np.exp(-c[0] * t) * s, 0, 1, args=(cs,))[0]
        cs[0] = 5.0
    return s * x[2]


def after_an_overwrite(x):
    y = x.copy()
    cs = [y[0], y[1]]
    y[0] = 7.0
    cs[1] *= 2.0

    def helper(cs):
        return optimize.brentq(lambda t, c: t**3 + c[0] * t - c[1], 0, 9, args=(cs,))

    return helper(cs) * helper([x[2], x[1]])


def without_names(x):
    def f(z, *more):
        return z**3 + more[0]["a"] * z - more[1]

    def held(z, a, *more):
        return z - a[0] * more[0]

    y = optimize.brentq(f, 0, 9, args=({"a": x[0]}, x[1]))
    return optimize.brentq(held, -9, 9, args=([x[2]], y)) * y


def slope_without_names(x):
    return optimize.newton(
        lambda z, *c: z**2 - c[0][0], 1.0, fprime=lambda z, *_: 2 * z, args=([x[0]],)
    )


class Cubic:
    def __init__(self, k):
        self.k = k

    def __call__(self, z, *more):
        return z**3 + self.k * z - more[0][1]


def object_without_names(x):
    y = optimize.brentq(Cubic(x[0]), 0, 9, args=([x[2], x[1]],))
    return y + optimize.newton(lambda z: z**2 - y, 1.0, fprime=Slope())


class Slope:
    def __call__(self, z):
        return 2 * z


def unpacked(x):
    def f(z, a, b):
        return z**3 + a * z - b

    y = optimize.newton(f, 1.0, args=[x[0], x[1]])
    y += optimize.least_squares(f, [1.0], args=[x[0], y], xtol=1e-12).x[0]
    return y + optimize.fixed_point(lambda z, a: np.cos(a * z), 0.5, args=[x[0]])


def handed_on_as_one(x):
    return optimize.brentq(lambda z, *c: z - c[0][1] - len(c), -9, 9, args=[x[0], x[1]])


def unpacked_flow(x):
    found = integrate.solve_ivp(
        lambda t, y, *c: [-c[0] * y[0] + c[1]], (0, 1), [1.0], args=[x[0], x[1]],
        rtol=1e-9, atol=1e-9,
    )  # fmt: skip
    return found.y[0, -1]


ONCE = [flow, unpacked_flow]  # second derivatives are refused, with numbers too
PROGRAMS = [
    root_with_slope, integral, crossing, newton, minimum, in_a_loop_and_an_arm,
    after_an_overwrite, without_names, slope_without_names, object_without_names,
    unpacked, handed_on_as_one,
]  # fmt: skip


def slope(f, x, v):
    return (f(x + STEP * v) - f(x - STEP * v)) / (2 * STEP)


@pytest.mark.parametrize("x", [X, 1.3 * X], ids=str)
@pytest.mark.parametrize("f", PROGRAMS + ONCE, ids=lambda f: f.__name__)
def test_every_mode(f, x):
    near = {"rel": 1e-4, "abs": 1e-5}
    val, g = ya.grad(f, x)
    assert val == f(x)
    assert g["x"] @ V == pytest.approx(slope(f, x, V), **near)
    assert ya.jvp(f)(x, V)[1] == pytest.approx(g["x"] @ V, **near)
    assert ya.simplegrad(f, x)(x)[1].tolist() == g["x"].tolist()
    if f not in ONCE:
        want = slope(lambda x: ya.grad(f, x)[1]["x"], x, V)
        np.testing.assert_allclose(ya.hvp(f)(x, V), want, rtol=1e-3, atol=1e-4)
