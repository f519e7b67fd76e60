"""Fit an epidemic: the SIR model through `solve_ivp`, to counts of a boarding school.

763 boys, 14 days of January 1978 (British Medical Journal, "Influenza in a boarding
school", 1978). SciPy integrates the differential equation, and the gradient of the
misfit goes through the integration by the adjoint equation.
"""

import numpy as np
from running import run
from scipy.integrate import solve_ivp
from scipy.optimize import check_grad, minimize

import yota_ast as ya

IN_BED = np.array([3, 8, 26, 76, 225, 298, 258, 233, 189, 128, 68, 29, 14, 4.0])
DAYS = np.arange(14.0)
BOYS = 763.0


def rates(t, state, beta, gamma):
    susceptible, infected = state
    new = beta * susceptible * infected / BOYS
    return np.array([-new, new - gamma * infected])


def infected(p, days):
    start = np.array([BOYS - 3.0, 3.0])
    solved = solve_ivp(
        rates, (0.0, 13.0), start, t_eval=days, args=(p[0], p[1]), rtol=1e-8, atol=1e-8
    )
    return solved.y[1]


def misfit(p, days, counts):
    return np.mean((infected(p, days) - counts) ** 2)


def main():
    start = np.array([2.0, 0.5])
    data = (DAYS, IN_BED)
    slope = ya.grad(misfit)
    off = check_grad(lambda p: misfit(p, *data), lambda p: slope(p, *data), start)
    print(
        "gradient agrees with differences:",
        off < 1e-3 * np.abs(slope(start, *data)).max(),
    )

    found = minimize(ya.value_and_grad(misfit), start, data, jac=True, method="BFGS")
    beta, gamma = found.x
    print(f"beta {beta:.2f} a day, gamma {gamma:.2f} a day")
    print(
        f"a boy infects {beta / gamma:.1f} others, and is ill for {1 / gamma:.1f} days"
    )
    fine = np.linspace(0.0, 13.0, 200)
    return fine, infected(found.x, fine)


def plot(figure, found):
    fine, curve = found
    axes = figure.add_subplot(xlabel="day", ylabel="boys in bed")
    axes.bar(DAYS, IN_BED, color="0.75", label="counted")
    axes.plot(fine, curve, color="C3", label="SIR model")
    axes.legend(frameon=False)


if __name__ == "__main__":
    run(main, plot)
