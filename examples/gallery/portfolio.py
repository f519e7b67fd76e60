"""Choose a portfolio: the efficient frontier, and equal shares of risk.

A point of the frontier has the smallest variance for its return. With equality
constraints alone H. Markowitz's solution is known in closed form, and the optimiser
must find it. For equal shares of risk there is no formula; the Hessian makes Newton's
method converge in a few steps.
"""

import numpy as np
from running import run
from scipy.optimize import minimize

import yota_ast as ya

NAMES = ("bonds", "shares", "gold", "property")
RETURN = np.array([0.02, 0.07, 0.03, 0.05])
RISK = np.array([0.04, 0.18, 0.15, 0.12])
CORRELATION = np.array([
    [1.0, 0.1, 0.2, 0.1],
    [0.1, 1.0, 0.0, 0.6],
    [0.2, 0.0, 1.0, 0.1],
    [0.1, 0.6, 0.1, 1.0],
])  # fmt: skip
COVARIANCE = np.outer(RISK, RISK) * CORRELATION


def variance(w):
    return w @ COVARIANCE @ w


def frontier(target, shortest=0.0):
    """The weights of least variance with this return, none below `shortest`."""
    constraints = [
        {"type": "eq", "fun": lambda w: np.sum(w) - 1, "jac": ya.grad(np.sum)},
        {"type": "eq", "fun": lambda w: RETURN @ w - target, "jac": lambda _: RETURN},
    ]
    found = minimize(
        lambda w: 100 * variance(w), np.full(4, 0.25), jac=lambda w: 100 * slope(w),
        method="SLSQP", bounds=[(shortest, None)] * 4, constraints=constraints,
        options={"ftol": 1e-14},
    )  # fmt: skip
    return found.x


slope = ya.grad(variance)


def closed_form(target):
    """Markowitz: the stationary point of the Lagrangian."""
    A = np.stack([np.ones(4), RETURN])
    inverse = np.linalg.inv(COVARIANCE)
    return inverse @ A.T @ np.linalg.solve(A @ inverse @ A.T, np.array([1.0, target]))


def parity(y):
    """Least where all assets have one share of the risk (weights exp(y), scaled)."""
    return 0.5 * variance(np.exp(y)) - np.mean(y)


def shares_of_risk(w):
    return w * slope(w) / (2 * variance(w))


def main():
    free = frontier(0.045, shortest=-1.0)
    close = np.allclose(free, closed_form(0.045), atol=1e-5)
    print("frontier as in closed form:", close)

    found = minimize(
        ya.value_and_grad(parity), np.zeros(4), jac=True, hess=ya.hessian(parity),
        method="trust-exact", options={"gtol": 1e-10},
    )  # fmt: skip
    weights = np.exp(found.x) / np.sum(np.exp(found.x))
    for name, weight in zip(NAMES, weights, strict=True):
        print(f"{name:9} {weight:6.1%}")
    print("equal shares of risk:", np.allclose(shares_of_risk(weights), 0.25))
    print("at most 15 steps of Newton's method:", found.nit <= 15)

    targets = np.linspace(0.022, 0.069, 25)
    return [frontier(t) for t in targets], weights


def plot(figure, found):
    line, weights = found
    axes = figure.add_subplot(xlabel="risk a year, %", ylabel="return a year, %")
    risk = [100 * np.sqrt(variance(w)) for w in line]
    axes.plot(risk, [100 * RETURN @ w for w in line], color="C0", label="frontier")
    axes.plot(100 * RISK, 100 * RETURN, "o", ms=4, color="0.45")
    for name, x, y in zip(NAMES, 100 * RISK, 100 * RETURN, strict=True):
        axes.annotate(name, (x, y), (4, 4), textcoords="offset points", color="0.35")
    at = 100 * np.sqrt(variance(weights)), 100 * RETURN @ weights
    axes.plot(*at, "D", color="C3", label="equal shares of risk")
    axes.legend(frameon=False)


if __name__ == "__main__":
    run(main, plot)
