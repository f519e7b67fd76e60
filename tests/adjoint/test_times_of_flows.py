"""Flows that choose their own times: their end is right, what lies between refused."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax


def flow(a, **options):
    return solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0, a], **options)


def total(a):
    return np.sum(solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0, a]).y)


def inner(a):
    sol = solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0, a])
    return sol.y[0, 2]


def slices(a):
    sol = solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0, a])
    return sol.y[:, -2:].sum()


def rows(a):
    sol = solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0, a])
    x, _ = sol.y
    return x.max()


def by_a_loop(a):
    sol = solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0, a])
    s = 0.0
    for row in sol.y.T:
        s = s + row[0]
    return s


def by_a_helper(a):
    return np.sum(flow(a).y[0])


def times(a):
    sol = solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0, a])
    return np.sum(sol.t) * sol.y[0, -1]


def weighed_with_times(a):
    sol = solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0, a])
    return np.trapezoid(sol.y[0], sol.t)


@pytest.mark.parametrize(
    "fn",
    [total, inner, slices, rows, by_a_loop, by_a_helper, times, weighed_with_times],
)
def test_what_is_read_at_times_that_move_is_refused(fn):
    for run in (lambda: ya.grad(fn, 0.8), lambda: ya.jvp(fn)(0.8, 1.0)):
        with pytest.raises(UnsupportedSyntax, match="without `t_eval`") as caught:
            run()
        assert "t_eval=times" in str(caught.value)


def test_all_states_as_the_value_are_refused():
    def f(a):
        return solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0, a]).y

    with pytest.raises(UnsupportedSyntax, match="without `t_eval`"):
        ya.jvp(f)(0.8, 1.0)
    with pytest.raises(UnsupportedSyntax, match="without `t_eval`"):
        ya.simplegrad(f, 0.8)


def ends(a):
    sol = flow(a, rtol=1e-10, atol=1e-11)
    x, v = sol.y[:, -1]
    k = 1
    last = sol.y.T[-1]
    if not sol.success or len(sol.t) < 2 or not np.isfinite(sol.y).all():
        raise ValueError("no")
    return x * v + sol.y[k][-1] + sol.y[0, -1] ** 2 + last.sum() + sol.y[..., 0][1]


def times_asked_for(a):
    sol = flow(a, rtol=1e-10, atol=1e-11, t_eval=np.linspace(0.0, 1.0, 5))
    return np.trapezoid(sol.y[0], sol.t) + sol.y.sum()


@pytest.mark.parametrize("fn", [ends, times_asked_for])
def test_the_ends_and_times_asked_for_are_right(fn):
    expected = (fn(0.8 + 1e-4) - fn(0.8 - 1e-4)) / 2e-4
    assert np.isclose(ya.grad(fn, 0.8)[1][0], expected, rtol=1e-6)
    assert np.isclose(ya.jvp(fn)(0.8, 1.0)[1], expected, rtol=1e-6)


def end(a, y0):
    """What it starts from is written later."""
    start = y0 * 2.0
    sol = solve_ivp(lambda t, y: -a * y * y, (0.0, 1.0), start, rtol=1e-9, atol=1e-9)
    start[0] = 9.0
    return sol.y[0, -1] * sol.y[1, 0] + start[0] * sol.y[:, -1].sum()


def test_the_end_is_followed_from_the_start_alone():
    """Not step by step: one flow forth, and one back; in second order, too."""
    y0, v, h = np.array([0.7, 1.1]), np.array([0.5, -0.3]), 1e-5
    _, g = ya.grad(end, 0.8, y0)
    slope = (end(0.8, y0 + h * v) - end(0.8, y0 - h * v)) / (2 * h)
    assert g["y0"] @ v == pytest.approx(slope, rel=1e-6)
    _, tangent = ya.jvp(end, wrt="y0")(0.8, y0, v)
    assert tangent == pytest.approx(slope, rel=1e-6)
    found = ya.hvp(end, wrt="y0")(0.8, v, y0)
    changes = [ya.grad(end, 0.8, y0 + s * h * v)[1]["y0"] for s in (1, -1)]
    np.testing.assert_allclose(found, (changes[0] - changes[1]) / (2 * h), rtol=1e-4)
    assert ".t" not in ya.simplegrad(end, 0.8, y0).source.partition("def _")[0]
