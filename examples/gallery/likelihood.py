"""Sample the posterior of a straight line through data with outliers, in two ways.

A point is good with a high probability and an outlier otherwise (D. W. Hogg, J. Bovy
and D. Lang, "Data analysis recipes: Fitting a model to data", 2010). The ensemble
sampler of Goodman and Weare needs values alone; Hamiltonian Monte Carlo follows the
gradient. Both draw from one posterior, so their means must agree.
"""

import numpy as np
from running import run
from scipy.optimize import check_grad, minimize

import yota_ast as ya

TRUE = np.array([2.2, 1.0])  # slope and intercept


def log_density(p, x, y, sigma):
    slope, intercept, log_width = p
    r = y - slope * x - intercept
    good = np.log(0.85) - 0.5 * (r / sigma) ** 2 - np.log(sigma)
    spread = sigma**2 + np.exp(2 * log_width)
    outlier = np.log(0.15) - 0.5 * r**2 / spread - 0.5 * np.log(spread)
    prior = -0.5 * (log_width - 2.0) ** 2
    return np.sum(np.logaddexp(good, outlier)) + prior


def stretch(start, sweeps, rng, *data):
    """J. Goodman and J. Weare, "Ensemble samplers with affine invariance", 2010."""
    walkers = start.copy()
    values = np.array([log_density(w, *data) for w in walkers])
    draws = []
    for _ in range(sweeps):
        for k in range(len(walkers)):
            other = walkers[(k + 1 + rng.integers(len(walkers) - 1)) % len(walkers)]
            z = (rng.random() + 1.0) ** 2 / 2.0
            proposed = other + z * (walkers[k] - other)
            value = log_density(proposed, *data)
            if (
                np.log(rng.random())
                < (len(proposed) - 1) * np.log(z) + value - values[k]
            ):
                walkers[k], values[k] = proposed, value
        draws.append(walkers.copy())
    return np.array(draws)


def hamiltonian(start, scale, count, rng, *data, step=0.4, steps=5):
    """R. M. Neal, "MCMC using Hamiltonian dynamics", 2011; `scale` are the units."""
    value_and_slope = ya.value_and_grad(log_density)
    p = start.copy()
    value, slope = value_and_slope(p, *data)
    draws, accepted = [], 0
    for _ in range(count):
        q = rng.standard_normal(p.size)
        new, new_q, new_value, new_slope = p, q, value, slope
        for _ in range(steps):
            new_q = new_q + 0.5 * step * scale * new_slope
            new = new + step * scale * new_q
            new_value, new_slope = value_and_slope(new, *data)
            new_q = new_q + 0.5 * step * scale * new_slope
        if np.log(rng.random()) < new_value - value + 0.5 * (q @ q - new_q @ new_q):
            p, value, slope, accepted = new, new_value, new_slope, accepted + 1
        draws.append(p)
    return np.array(draws), accepted / count


def main():
    rng = np.random.default_rng(3)
    x = np.linspace(0.0, 10.0, 30)
    sigma = np.full(x.size, 0.5)
    y = TRUE[0] * x + TRUE[1] + sigma * rng.standard_normal(x.size)
    y[[4, 11, 17, 23]] += [9.0, -12.0, 8.0, -10.0]
    data = (x, y, sigma)

    start = np.array([2.0, 0.0, 2.0])
    slope = ya.grad(log_density)
    off = check_grad(lambda p: log_density(p, *data), lambda p: slope(p, *data), start)
    print("gradient agrees with differences:", off < 1e-4)

    found = minimize(
        lambda p: -log_density(p, *data), start, jac=lambda p: -slope(p, *data)
    )
    curvature = -ya.hessian(log_density)(found.x, *data)
    scale = np.sqrt(np.diag(np.linalg.inv(curvature)))

    walkers = found.x + 0.1 * scale * rng.standard_normal((20, 3))
    ensemble = stretch(walkers, 300, rng, *data)[50:].reshape(-1, 3)
    chain, rate = hamiltonian(found.x, scale, 2000, rng, *data)
    for name, k in (("slope", 0), ("intercept", 1)):
        one, two = ensemble[:, k].mean(), chain[:, k].mean()
        print(f"{name:9} agrees:", abs(one - two) < 0.3 * scale[k])
        print(f"{name:9} within three error bars:", abs(two - TRUE[k]) < 3 * scale[k])
    print("Hamiltonian steps accepted, above 60 %:", rate > 0.6)
    return x, y, chain


def plot(figure, found):
    x, y, chain = found
    axes = figure.add_subplot(1, 2, 1, xlabel="x", ylabel="y")
    for slope, intercept, _ in chain[::60]:
        axes.plot(x, slope * x + intercept, color="C0", alpha=0.15, lw=0.8)
    axes.plot(x, y, "o", ms=3, color="0.3")
    axes = figure.add_subplot(1, 2, 2, xlabel="slope", ylabel="intercept")
    axes.plot(chain[::2, 0], chain[::2, 1], ".", ms=2, color="C0", alpha=0.5)
    axes.plot(*TRUE, "x", color="C3", ms=8, label="true")
    axes.legend(frameon=False)


if __name__ == "__main__":
    run(main, plot)
