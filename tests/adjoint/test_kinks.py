"""What solvers find at kinks and jumps: no slope there, and no number for one."""

from __future__ import annotations

import numpy as np
import pytest

import yota_ast as ya

optimize = pytest.importorskip("scipy.optimize")
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
FOUND = r"^\w+_(grad|jvp): the solution is at a kink or a jump, or is not accurate$"


def least_at_a_kink_that_moves(a):
    def cost(x):
        return np.abs((x[0] ** 2 - x[0]) / 2 - a)

    start = np.array([2.0])
    return np.sum(optimize.minimize(cost, start, method="Nelder-Mead").x)


def least_at_a_kink_that_stays(a):
    return optimize.minimize_scalar(lambda x: abs(x) + (x - a) ** 2 / 10).x


def least_root_of_a_square(a):
    return optimize.minimize_scalar(lambda x: np.sqrt((x - a) ** 2)).x


def least_value_at_a_kink(a):
    return optimize.minimize_scalar(lambda x: abs(x) + (x - a) ** 2 / 10).fun


def root_at_a_jump(a):
    return optimize.brentq(lambda x: x + 3 * np.sign(x - a), -10, 10)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f",
    [
        least_at_a_kink_that_moves, least_at_a_kink_that_stays,
        least_root_of_a_square, least_value_at_a_kink, root_at_a_jump,
    ],
)  # fmt: skip
def test_kinks_are_found_out(f, passes, monkeypatch):
    """The gradients were 0, or 1, and wrong."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    with pytest.raises(ValueError, match=FOUND):
        ya.grad(f, 2.0)
    with pytest.raises(ValueError, match=FOUND):
        ya.jvp(f)(2.0, 1.0)


def least_beside_a_kink(a):
    return optimize.minimize_scalar(lambda x: abs(x) / 10 + (x - a) ** 2).x


def least_of_both_sides(a):
    weights = np.array([1.0, 2.0, 3.0])

    def cost(x):
        far = np.abs(x - a)
        loss = np.where(far < 1, far**2 / 2, far - 0.5)
        return np.sum(loss * weights) + 0.1 * np.sum(x**2)

    found = optimize.minimize(cost, np.array([0.5, 0.5, 5.0]))
    return np.sum(found.x) + found.fun


def fit_of_two_lines(a):
    t = np.linspace(0, 4, 9)
    y = np.where(t < 2, a * t, a) + np.sin(t)
    p, _ = optimize.curve_fit(lambda t, b, c: np.where(t < b, c * t, c * b), t, y)
    return p[0] * p[1]


def root_beside_a_jump(a):
    return optimize.brentq(lambda x: x - 2 * a + np.sign(x - a), -10, 20)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f",
    [least_beside_a_kink, least_of_both_sides, fit_of_two_lines, root_beside_a_jump],
)
def test_what_is_found_beside_a_kink(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    slope = (f(2.001) - f(1.999)) / 0.002
    assert ya.grad(f, 2.0)[1][0] == pytest.approx(slope, rel=1e-3)


def root_of_what_is_smooth(a):
    return optimize.brentq(lambda x: np.sinh(x - a) + x, -10, 10)


def test_what_is_smooth_is_not_checked():
    assert "check_found" not in ya.simplegrad(root_of_what_is_smooth, 2.0).source
    assert "check_found(val, " in ya.simplegrad(least_beside_a_kink, 2.0).source


def no_root(a):
    return optimize.fsolve(lambda x: x**2 + a, 1.0)[0]


def no_root_and_no_success(a):
    return optimize.root(lambda x: x**2 + a, [1.0]).x[0]


def one_step_to_the_least(a):
    def cost(x):
        return (x[0] - a) ** 4 + (x[0] - a) ** 2 * 0.1 + (x[1] - 1) ** 2

    start, options = np.array([3.0, 3.0]), {"maxiter": 1}
    return optimize.minimize(cost, start, options=options).x[0]


def few_evaluations(a):
    def residuals(x):
        return np.array([x[0] - a, 10 * (x[1] - x[0] ** 2)])

    return optimize.least_squares(residuals, np.array([-9.0, 2.0]), max_nfev=2).x[1]


def few_steps_of_several(a):
    start = np.array([3e5, 1.09])
    return np.sum(optimize.newton(lambda x: x**3 - a, start, maxiter=4, tol=1e-3))


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "f",
    [
        no_root, no_root_and_no_success, one_step_to_the_least, few_evaluations,
        few_steps_of_several,
    ],
)  # fmt: skip
def test_solvers_that_give_up(f, passes, monkeypatch):
    """The slope was that of a root which there is not, or not yet."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    with pytest.raises(ValueError, match=FOUND):
        ya.grad(f, 1.3)
    with pytest.raises(ValueError, match=FOUND):
        ya.jvp(f)(1.3, 1.0)


POWERS = np.array([2, 4])


def least_of_powers(a):
    found = optimize.minimize(lambda x: np.sum((x - a) ** POWERS) + x @ x, np.ones(2))
    return np.sum(found.x)


def test_powers_of_a_table_are_no_number():
    """Whether they are whole was asked of the array: a TypeError while compiling."""
    slope = (least_of_powers(2.001) - least_of_powers(1.999)) / 0.002
    assert ya.grad(least_of_powers, 2.0)[1][0] == pytest.approx(slope, rel=1e-3)
