"""Integrals and flows of what jumps at a place that moves: refused; of kinks: right."""

import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

quad, quad_vec = integrate.quad, integrate.quad_vec
solve_ivp, odeint = integrate.solve_ivp, integrate.odeint
TIGHT = {"rtol": 1e-9, "atol": 1e-10}


def where(a):
    return quad(lambda t: np.where(t < a, t, 0.0), 0.0, 1.0)[0]


def branch(a):
    def g(t):
        if t > a:
            return t
        return 0.0

    return quad(g, 0.0, 1.0)[0]


def conditional(a):
    return quad(lambda t: t * a if t < a else 2.0, 0.0, 1.0)[0]


def sign(a):
    return quad(lambda t: np.sign(t - a) * t, 0.0, 1.0)[0]


def floor(a):
    return quad(lambda t: np.floor(t / a), 0.0, 1.0)[0]


def remainder(a):
    return quad(lambda t: (t / a) % 0.3, 0.0, 1.0)[0]


def mask(a):
    return quad(lambda t: (t > a) * t, 0.0, 1.0)[0]


def whole_number(a):
    return quad(lambda t: int(t * 4 * a) * 1.0, 0.0, 1.0)[0]


def place_in_a_table(a):
    v = np.array([0.1, 0.2, 0.7])
    return quad(lambda t: v[np.searchsorted(v, t * a)] * a, 0.0, 0.5)[0]


def counted_by_a_loop(a):
    def g(t):
        k = 0.0
        while k < t * a * 5:
            k += 1.0
        return k

    return quad(g, 0.0, 0.5)[0]


def within_another(a):
    return quad(lambda t: quad(lambda s: s * (t > a), 0.0, 1.0)[0], 0.0, 1.0)[0]


def of_arrays(a):
    def g(t):
        return np.where(np.array([t, 2 * t]) < a, t, 0.0)

    return quad_vec(g, 0.0, 1.0)[0].sum()


def caught(a):
    def g(t):
        try:
            return math.sqrt(t - a)
        except ValueError:
            return 0.5

    return quad(g, 0.0, 1.0)[0]


def beyond_a_table(a):
    return quad(lambda t: np.interp(t, [a, 1.0], [1.0, 2.0], left=0.0), 0.0, 1.0)[0]


def beyond_a_density(a):
    return quad(lambda t: stats.uniform.pdf(t, 0.0, a) * t, 0.0, 1.0)[0]


def before_a_density(a):
    return quad(lambda t: stats.expon.pdf(t, loc=a) * t, 0.0, 1.0)[0]


def switched_by_the_state(a):
    return solve_ivp(lambda t, y: -y * (y > 0.5), (0.0, 1.0), [a]).y[0, -1]


def switched_at_a_level(a):
    return solve_ivp(lambda t, y: -y * (y > a), (0.0, 1.0), [1.0]).y[0, -1]


def switched_at_a_time(a):
    return solve_ivp(lambda t, y: -y * (t > a), (0.0, 1.0), [1.0]).y[0, -1]


def switched_at_a_time_of_odeint(a):
    return odeint(lambda y, t: -y * (t > a), [1.0], [0.0, 1.0])[-1, 0]


JUMPS = [
    where, branch, conditional, sign, floor, remainder, mask, whole_number,
    place_in_a_table, counted_by_a_loop, within_another, of_arrays, caught,
    beyond_a_table, beyond_a_density, before_a_density,
    switched_by_the_state, switched_at_a_level, switched_at_a_time,
    switched_at_a_time_of_odeint,
]  # fmt: skip


@pytest.mark.parametrize("fn", JUMPS)
def test_a_jump_that_moves_is_refused(fn):
    for run in (lambda: ya.grad(fn, 0.3), lambda: ya.jvp(fn)(0.3, 1.0)):
        with pytest.raises(UnsupportedSyntax, match="jumps at a place that depends"):
            run()


def test_the_refusal_stands_where_the_function_jumps():
    with pytest.raises(UnsupportedSyntax) as caught:
        ya.grad(branch, 0.3)
    assert "if t > a" in str(caught.value)


def kinks(a):
    def g(t):
        return np.maximum(t - a, 0.0) * t + abs(t - a) + min(t, a) + np.clip(t, a, 0.5)

    return quad(g, 0.0, 1.0)[0]


def the_larger_one(a):
    def g(t):
        return np.where(t >= a, t, a) + np.where(a < t, t, a)

    return quad(g, 0.0, 1.0)[0]


def jumps_that_stand(a):
    def g(t):
        if t < 0.5:
            return a * t
        return a + np.where(t < 0.75, t, a)

    return quad(g, 0.0, 1.0, points=(0.5, 0.75))[0]


def checked(a):
    def g(t):
        assert t > -a
        if a < 0 or not np.isfinite(t * a):
            raise ValueError("no")
        return a * t * (1.0 if a > 0.2 else 2.0)

    return quad(g, 0.0, 1.0)[0]


def scaled_density(a):
    return quad(lambda t: stats.expon.pdf(t, scale=a) * t, 0.0, 1.0)[0]


def values_of_a_table(a):
    xs = [0.2, 0.7]
    points = {"points": xs}
    return quad(lambda t: np.interp(t, xs, [a, a * a], left=0.0), 0.0, 1.0, **points)[0]


def chosen_outside(a):
    u = np.where(a > 0.1, a, 0.0)
    return quad(lambda t: u * t, 0.0, 1.0)[0]


def an_inner_jump_that_stands(a):
    def g(t):
        return quad(lambda s: s * (s < 0.5) * t * a, 0.0, 1.0, points=(0.5,))[0]

    return quad(g, 0.0, 1.0)[0]


def roots_inside(a):
    def g(t):
        return optimize.brentq(lambda x: x**3 + x - a * t, -2.0, 2.0)

    return quad(g, 0.0, 1.0)[0]


def flow_with_a_switch_that_stands(a):
    def f(t, y):
        if len(y) != 2 or y.ndim > 1 or not np.isfinite(y).all():
            raise ValueError("no")
        return [-a * y[0] * (t > 0.5), y[0] * (1.0 if a > 0 else 2.0)]

    return solve_ivp(f, (0.0, 1.0), [1.0, a], max_step=0.01, **TIGHT).y[1, -1]


RIGHT = [
    kinks, the_larger_one, jumps_that_stand, checked, chosen_outside,
    scaled_density, values_of_a_table,
    an_inner_jump_that_stands, roots_inside, flow_with_a_switch_that_stands,
]  # fmt: skip


@pytest.mark.parametrize("fn", RIGHT)
def test_what_is_continuous_or_jumps_in_one_place_is_right(fn):
    h = 1e-4
    expected = (fn(0.3 + h) - fn(0.3 - h)) / (2 * h)
    assert np.isclose(ya.grad(fn, 0.3)[1][0], expected, rtol=1e-4, atol=1e-5)
    assert np.isclose(ya.jvp(fn)(0.3, 1.0)[1], expected, rtol=1e-4, atol=1e-5)


def test_the_second_derivative_of_a_kink_is_refused():
    def f(a):
        return quad(lambda t: abs(t - a), 0.0, 1.0)[0]

    assert np.isclose(ya.grad(f, 0.3)[1][0], -0.4, atol=1e-6)
    with pytest.raises(UnsupportedSyntax, match="jumps at a place that depends"):
        ya.hessian(f)(0.3)
