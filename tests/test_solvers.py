"""Functions that SciPy's solvers are given, wherever they stand, by differences."""

import functools

import numpy as np
import pytest

pytest.importorskip("scipy")

from scipy import integrate, optimize

import yota_ast as ya
from yota_ast.errors import UnsupportedCall, UnsupportedSyntax

TIGHT = {"xtol": 1e-14, "rtol": 1e-14}


def check(fn, *args, tolerance=1e-6, h=1e-5):
    """The value is that of the function, the gradient that of differences."""
    expected = fn(*map(_copied, args))
    val, g = ya.grad(fn, *map(_copied, args))
    assert val == expected
    for k, x in enumerate(args):
        if not isinstance(x, float | np.ndarray):
            continue
        x = np.asarray(x)
        for at in np.ndindex(x.shape):

            def shifted(by, k=k, x=x, at=at):
                moved = x.copy()
                moved[at] += by
                moved = float(moved) if isinstance(args[k], float) else moved
                return fn(
                    *(moved if j == k else _copied(a) for j, a in enumerate(args))
                )

            slope = (shifted(h) - shifted(-h)) / (2 * h)
            assert np.asarray(g[k])[at] == pytest.approx(slope, rel=tolerance, abs=1e-8)


def _copied(x):
    return x.copy() if isinstance(x, np.ndarray) else x


def cubic(x, p, q):
    return x**3 + p * x - q


class Spring:
    def __init__(self, k, c):
        self.k, self.c = k, c

    def force(self, x):
        return self.k * x + self.c * x**3 - 1


def function_of_the_module(p, q):
    return optimize.brentq(cubic, -9.0, 9.0, args=(p, q), **TIGHT)


def partial_of_it(p, q):
    return optimize.brentq(functools.partial(cubic, q=q, p=p), -9.0, 9.0, **TIGHT)


def literal_among_args(p):
    return optimize.brentq(cubic, -9.0, 9.0, args=(p, 2.0), **TIGHT)


def keywords(p, q):
    return optimize.brentq(f=cubic, a=-9.0, b=9.0, args=(p, q), xtol=1e-14)


def bound_method(k, c):
    return optimize.brentq(Spring(k, c).force, -9.0, 9.0, **TIGHT)


def used_directly_too(p, q):
    def f(x):
        return cubic(x, p, q)

    return f(0.5) * optimize.brentq(f, -9.0, 9.0, **TIGHT)


def in_a_loop(p, q):
    total = 0.0
    for k in range(3):
        total = total + optimize.brentq(
            lambda x, k=k: cubic(x, p, q + k), -9, 9, **TIGHT
        )
        p = p * total
    return total


def in_a_branch(p, q):
    if p > 0:
        return optimize.brentq(lambda x: cubic(x, p, q), -9.0, 9.0, **TIGHT)
    return q * p


def root_with_a_loop(p, x0):
    def f(x):
        total = x
        for k in range(3):
            total = total * x + p[k]
        return total - 5.0

    return optimize.newton(f, x0, tol=1e-13)


def root_with_a_branch(p):
    def f(x):
        if x > 0:
            return x**2 - p
        return x - p

    return optimize.brentq(f, -9.0, 9.0, **TIGHT)


def root_of_an_integral(p):
    def f(x):
        return integrate.quad(lambda t: np.exp(-p * t), 0.0, x)[0] - 0.5

    return optimize.brentq(f, 0.0, 5.0, **TIGHT)


def integral_of_a_root(p):
    def f(t):
        return optimize.brentq(lambda x: cubic(x, p, t), -9.0, 9.0, **TIGHT)

    return integrate.quad(f, 0.0, 1.0)[0]


def integral_of_an_integral(p, b):
    def inner(s):
        return integrate.quad(lambda t: np.sin(p * t * s), 0.0, s)[0]

    return integrate.quad(inner, 0.0, b)[0]


def written_afterwards(p):
    p = p * 1.0
    x = optimize.brentq(lambda x: cubic(x, p[0], p[1]), -9.0, 9.0, **TIGHT)
    p[0] = x
    p[1] = 3.0
    return np.sum(p) * x


def vector_with_matrix(A, b):
    def f(x):
        return A @ x + 0.1 * x**3 - b

    x = optimize.fsolve(f, np.zeros(3), xtol=1e-13)
    return np.sum(x**2)


def recursive(p, n):
    if n == 0:
        return p
    x = optimize.brentq(lambda x: cubic(x, p, 1.0), -9.0, 9.0, **TIGHT)
    return recursive(x + p, n - 1)


def slope_given(p, q):
    return optimize.newton(
        lambda x: cubic(x, p, q), 1.0, fprime=lambda x: 3 * x**2 + p, tol=1e-14
    )


def fixed_point_of_numbers(p):
    return optimize.fixed_point(lambda x: np.cos(p * x), 0.5, xtol=1e-13)


def decay(k, y0):
    def f(t, y):
        return -k * y * (1 + t)

    sol = integrate.solve_ivp(f, (0.0, 1.0), [y0, 2.0], rtol=1e-10, atol=1e-11)
    return np.sum(sol.y[:, -1])


def stiff(k):
    def f(y, t):
        return [-k * y[0], k * y[0] - y[1]]

    y = integrate.odeint(f, [1.0, 0.0], [0.0, 0.3, 1.0], rtol=1e-11, atol=1e-12)
    return np.sum(y[1:] ** 2)


class Model:
    def __init__(self, a):
        self.a = a

    def __call__(self, x):
        return x**3 - self.a


def object_of_its_own(a):
    return optimize.brentq(Model(a), 0.1, 9.0, **TIGHT)


def caught(p):
    try:
        x = optimize.brentq(lambda x: x**2 - p, 0.0, 9.0, **TIGHT)
    except ValueError:
        x = 0.0
    return x * p


def chosen(p):
    f = (lambda x: x**2 - p) if p > 1 else (lambda x: x**3 - p)
    return optimize.brentq(f, 0.0, 9.0, **TIGHT)


CASES = [
    (object_of_its_own, 2.0),
    (caught, 2.0),
    (caught, -2.0),
    (chosen, 2.0),
    (chosen, 0.5),
    (function_of_the_module, 1.0, 2.0),
    (partial_of_it, 1.0, 2.0),
    (literal_among_args, 1.0),
    (keywords, 1.0, 2.0),
    (bound_method, 2.0, 0.3),
    (used_directly_too, 1.0, 2.0),
    (in_a_loop, 1.0, 2.0),
    (in_a_branch, 1.0, 2.0),
    (in_a_branch, -1.0, 2.0),
    (root_with_a_loop, np.array([1.0, 0.5, 0.2]), 1.0),
    (root_with_a_branch, 2.0),
    (root_of_an_integral, 0.7),
    (integral_of_a_root, 0.7),
    (integral_of_an_integral, 0.7, 1.2),
    (written_afterwards, np.array([1.0, 2.0])),
    (vector_with_matrix, np.eye(3) * 2 + 0.1, np.array([1.0, 2.0, 3.0])),
    (recursive, 0.5, 3),
    (slope_given, 1.0, 2.0),
    (fixed_point_of_numbers, 0.7),
    (decay, 0.8, 1.1),
    (stiff, 3.0),
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0].__name__)
def test_gradients(case):
    check(*case)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0].__name__)
def test_without_passes(case, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "none")
    check(*case)


def shooting(v, g):
    """A boundary value problem: the speed with which a throw comes down at 1."""

    def landing(speed):
        sol = integrate.solve_ivp(
            lambda t, y: np.array([y[1], -g * y[1] ** 2 - v]),
            (0.0, 1.0), np.array([0.0, 1.0]) * speed, rtol=1e-11, atol=1e-12,
        )  # fmt: skip
        return sol.y[0, -1] - 0.2

    return optimize.brentq(landing, 0.1, 5.0, **TIGHT)


def test_object_that_is_an_argument():
    def found(m):
        return optimize.brentq(m, 0.1, 9.0, **TIGHT)

    slope = ya.grad(object_of_its_own, 2.0)[1][0]
    assert ya.grad(found, Model(2.0))[1][0] == {("a",): pytest.approx(slope)}


def test_boundary_value_problem():
    check(shooting, 1.0, 0.5, tolerance=1e-5, h=1e-4)


# ---------------------------------------------------------------- refused


def prints(p):
    def f(x):
        print(x)
        return x - p

    return optimize.brentq(f, -9.0, 9.0)


def counts(p):
    calls = []

    def f(x):
        calls.append(x)
        return x - p

    return optimize.brentq(f, -9.0, 9.0)


def with_bounds(p):
    return optimize.minimize(
        lambda x: np.sum((x - p) ** 2), np.zeros(2), bounds=[(0, 1)] * 2
    ).x[0]


def with_constraints(p):
    held = {"type": "eq", "fun": lambda x: x[0] - 1}
    return optimize.minimize(
        lambda x: np.sum((x - p) ** 2), np.zeros(2), constraints=held
    ).x[0]


def error_of_integral(p):
    return integrate.quad(lambda t: p * t, 0.0, 1.0)[1]


def covariance(t, y):
    _, cov = optimize.curve_fit(lambda t, a, b: a * t + b, t, y, [1.0, 1.0])
    return np.sum(cov)


def residual_of_root(p):
    return np.sum(optimize.root(lambda x: x**3 - p, np.ones(2)).fun)


def with_events(p):
    sol = integrate.solve_ivp(
        lambda t, y: -p * y, (0.0, 1.0), [1.0], events=lambda t, y: y[0] - 0.5
    )
    return sol.y[0, -1]


def end_of_the_flow(b):
    return integrate.solve_ivp(lambda t, y: -y, (0.0, b), [1.0]).y[0, -1]


@pytest.mark.parametrize(
    ("fn", "args", "words"),
    [
        (prints, (1.0,), "prints"),
        (counts, (1.0,), "changes something outside"),
        (with_bounds, (1.0,), "bounds"),
        (with_constraints, (1.0,), "constraints"),
        (error_of_integral, (1.0,), "only the solution"),
        (covariance, (np.arange(4.0), np.arange(4.0) ** 2), "only the solution"),
        (residual_of_root, (1.0,), "only the solution"),
        (with_events, (1.0,), "events"),
        (end_of_the_flow, (1.0,), "t_span"),
    ],
)
def test_refused(fn, args, words):
    with pytest.raises((UnsupportedCall, UnsupportedSyntax), match=words):
        ya.grad(fn, *args)


# ---------------------------------------------------------------- forward, twice over

CALLING_ITSELF = (recursive, caught)


def _directions(args):
    rng = np.random.default_rng(5)
    return [
        rng.normal(size=a.shape)
        if isinstance(a, np.ndarray)
        else (rng.normal() if isinstance(a, float) else None)
        for a in args
    ]


@pytest.mark.parametrize(
    "case",
    [c for c in CASES if c[0] not in CALLING_ITSELF],
    ids=lambda c: c[0].__name__,
)
def test_forward_is_reverse_transposed(case):
    fn, *args = case
    given = [_copied(a) for a in args]
    directions = _directions(args)
    val, d = ya.jvp(fn)(*given, *directions)
    assert val == fn(*map(_copied, args))
    _, g = ya.grad(fn, *map(_copied, args))
    slope = sum(np.sum(g[k] * v) for k, v in enumerate(directions) if v is not None)
    assert d == pytest.approx(slope, rel=1e-7, abs=1e-9)


def least_of_bowl(p):
    return optimize.minimize_scalar(lambda x: (x - p) ** 2 + x**4).fun


def test_value_at_a_minimum_in_forward_mode():
    _, d = ya.jvp(least_of_bowl)(1.0, 0.7)
    assert d == pytest.approx(0.7 * ya.grad(least_of_bowl, 1.0)[1][0], rel=1e-9)


def system_of_two(p):
    x = optimize.fsolve(
        lambda x: np.array([x[0] ** 2 + p[0] * x[1] - 2, x[0] - p[1] * x[1] ** 3]),
        np.ones(2),
        xtol=1e-14,
    )
    return x[0] * x[1]


def root_of_two(p):
    return optimize.brentq(lambda x: x**3 + p[0] * x - p[1], -9.0, 9.0, **TIGHT)


def bell(p):
    return integrate.quad(lambda t: p[0] * np.exp(-p[1] * t**2), 0.0, p[0])[0]


@pytest.mark.parametrize("fn", [root_of_two, bell, system_of_two])
def test_hessians(fn):
    p, h = np.array([1.0, 1.3]), 1e-4
    columns = [
        (ya.grad(fn, p + h * e)[1][0] - ya.grad(fn, p - h * e)[1][0]) / (2 * h)
        for e in np.eye(2)
    ]
    np.testing.assert_allclose(ya.hessian(fn)(p), np.transpose(columns), rtol=1e-5)


def _named_in_vain(a):
    def f(t):
        _ = t + a
        return 2.0

    return integrate.quad(f, 0.0, a)[0] * a


def _still_in_vain(a):
    def f(t, y):
        _ = t * a * y
        return 0.0

    start = np.array([a])
    return integrate.solve_ivp(f, (0.0, 1.0), start, t_eval=[0.0, 1.0]).y[0, -1]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", [_named_in_vain, _still_in_vain])
def test_functions_that_give_a_constant(fn, passes, monkeypatch):
    """What they name has no part in it."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, 0.3)
    assert ya.grad(lambda a: optimize.fixed_point(lambda t: 2.0, a), 0.3)[1][0] == 0.0


@pytest.mark.parametrize("method", ["RK45", "BDF"])
def test_a_flow_of_a_function_of_many_states(method):
    """What is vectorized is asked of one state, too."""

    def f(k):
        sol = integrate.solve_ivp(
            lambda t, y: np.stack([-k * y[0], k * y[0] - y[1]]), (0.0, 1.0),
            [1.0, 0.0], method, vectorized=True, rtol=1e-9, atol=1e-10,
        )  # fmt: skip
        return sol.y[1, -1]

    assert ya.grad(f, 0.7)[0] == f(0.7)
    assert ya.grad(f, 0.7)[1][0] == pytest.approx(
        (f(0.701) - f(0.699)) / 0.002, rel=1e-4
    )
