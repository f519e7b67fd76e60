"""Regression with a Gaussian process, its hyperparameters learned from the data.

The log marginal likelihood of the data (C. E. Rasmussen and C. K. I. Williams,
"Gaussian Processes for Machine Learning", 2006, equation 2.30) is maximised by L-BFGS-B
with its exact gradient, which goes through a Cholesky factor.
"""

import numpy as np
from running import run
from scipy.linalg import cho_solve
from scipy.optimize import check_grad, minimize

import yota_ast as ya


def kernel(log_scale, log_length, a, b):
    d = (a[:, None] - b[None, :]) / np.exp(log_length)
    return np.exp(2 * log_scale - 0.5 * d**2)


def loss(p, x, y):
    """The negative log marginal likelihood; p: logs of scale, length and noise."""
    K = kernel(p[0], p[1], x, x) + np.exp(2 * p[2]) * np.eye(x.size)
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L, y)
    return 0.5 * alpha @ alpha + np.sum(np.log(np.diag(L))) + 0.5 * x.size * LOG_2PI


LOG_2PI = np.log(2 * np.pi)


def predict(p, x, y, new):
    K = kernel(p[0], p[1], x, x) + np.exp(2 * p[2]) * np.eye(x.size)
    factor = (np.linalg.cholesky(K), True)
    between = kernel(p[0], p[1], new, x)
    mean = between @ cho_solve(factor, y)
    known = np.sum(between * cho_solve(factor, between.T).T, axis=1)
    return mean, np.sqrt(np.exp(2 * p[0]) - known)


def truth(x):
    return np.sin(3 * x) + 0.5 * x


def main():
    rng = np.random.default_rng(11)
    x = np.sort(rng.uniform(0.0, 5.0, 40))
    y = truth(x) + 0.2 * rng.standard_normal(x.size)

    start = np.zeros(3)
    off = check_grad(lambda p: loss(p, x, y), lambda p: ya.grad(loss)(p, x, y), start)
    print("gradient agrees with differences:", off < 1e-4)

    found = minimize(
        ya.value_and_grad(loss), start, (x, y), jac=True, method="L-BFGS-B"
    )
    length, noise = np.exp(found.x[1:])
    print("converged:", found.success)
    print(f"noise {noise:.2f}, true 0.20")
    print("length below one period of the sine:", length < 2 * np.pi / 3)

    new = np.linspace(0.0, 5.0, 200)
    mean, error = predict(found.x, x, y, new)
    inside = np.mean(np.abs(mean - truth(new)) < 2 * error)
    print("truth within two error bars, at least 90 %:", inside >= 0.9)
    return x, y, new, mean, error


def plot(figure, found):
    x, y, new, mean, error = found
    axes = figure.add_subplot(xlabel="x", ylabel="y")
    axes.plot(x, y, "o", ms=3, color="0.45", label="data")
    axes.plot(new, truth(new), "--", color="0.3", lw=1, label="truth")
    axes.plot(new, mean, color="C0", label="mean")
    low, high = mean - 2 * error, mean + 2 * error
    axes.fill_between(new, low, high, color="C0", alpha=0.25, lw=0, label="2 sigma")
    axes.legend(frameon=False, ncols=2)


if __name__ == "__main__":
    run(main, plot)
