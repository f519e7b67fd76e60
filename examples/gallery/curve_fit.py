"""Fit a damped oscillation to noisy data, with error bars and a band of confidence.

SciPy's `curve_fit` takes the exact Jacobian of the model. The same Jacobian carries the
covariance of the parameters over to the curve. The data are drawn from known
parameters, so that the error bars can be judged.
"""

import numpy as np
from running import run
from scipy.optimize import curve_fit

import yota_ast as ya

TRUE = np.array([2.0, 0.35, 3.0, 0.4])
NOISE = 0.15


def model(t, amplitude, decay, frequency, phase):
    return amplitude * np.exp(-decay * t) * np.cos(frequency * t + phase)


NAMES = ("amplitude", "decay", "frequency", "phase")
slopes = ya.jacobian(model, wrt=NAMES, stack=True)


def main():
    rng = np.random.default_rng(7)
    t = np.linspace(0.0, 6.0, 80)
    y = model(t, *TRUE) + NOISE * rng.standard_normal(t.size)

    start = (1.0, 0.1, 3.2, 0.0)
    best, covariance = curve_fit(
        model,
        t,
        y,
        start,
        sigma=np.full(t.size, NOISE),
        absolute_sigma=True,
        jac=slopes,
    )
    errors = np.sqrt(np.diag(covariance))
    for name, value, error, true in zip(NAMES, best, errors, TRUE, strict=True):
        print(f"{name:10} {value:7.3f} +- {error:.3f}   true {true:.3f}")
    print("all within three error bars:", np.all(np.abs(best - TRUE) < 3 * errors))

    fine = np.linspace(0.0, 6.0, 300)
    J = slopes(fine, *best)
    band = np.sqrt(np.sum(J @ covariance * J, axis=1))
    return t, y, fine, model(fine, *best), band


def plot(figure, found):
    t, y, fine, curve, band = found
    axes = figure.add_subplot(xlabel="t", ylabel="y")
    axes.plot(t, y, "o", ms=3, color="0.45", label="data")
    axes.plot(fine, curve, color="C0", label="fit")
    low, high = curve - 2 * band, curve + 2 * band
    axes.fill_between(fine, low, high, color="C0", alpha=0.25, lw=0, label="2 sigma")
    axes.legend(frameon=False)


if __name__ == "__main__":
    run(main, plot)
