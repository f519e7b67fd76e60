"""Counts of many hours in chunks: the same gradient on arrays of Dask.

Bicycles are rented by the hour of the day. The counts are in chunks, which a machine
need not hold all at once: the generated code runs on arrays of Dask as it is, and Dask
computes the value and the gradient in one pass over the chunks.
"""

import dask
import dask.array as da
import numpy as np
from running import run
from scipy.optimize import minimize

import yota_ast as ya

HOURS, CHUNK, BUMPS = 200_000, 25_000, 16


def bumps(hour):
    """A row for each hour: how near it is to each of some times of the day."""
    centres = np.arange(BUMPS) * 24 / BUMPS
    return np.exp(12 * (np.cos((hour[:, None] - centres) * np.pi / 12) - 1))


def cost(w, X, counts):
    """The negative logarithm of Poisson's likelihood, but for what is constant."""
    log_rate = X @ w
    return np.mean(np.exp(log_rate) - counts * log_rate)


def counts_of(block, block_info):
    """A chunk of counts, drawn by its own seed, so that any machine can make it."""
    rng = np.random.default_rng(block_info[0]["chunk-location"])
    return rng.poisson(np.exp(true_log_rate(block))).astype(float)


def true_log_rate(hour):
    """People ride to work and back."""
    morning = np.exp(-(((hour - 8) / 1.5) ** 2))
    return 0.5 + 1.5 * morning + 1.8 * np.exp(-(((hour - 17.5) / 2.5) ** 2))


def main():
    hour = da.arange(HOURS, chunks=CHUNK) * 0.73 % 24
    counts = da.map_blocks(counts_of, hour, dtype=float).persist()
    X = da.map_blocks(
        bumps, hour, dtype=float, new_axis=1, chunks=(hour.chunks[0], BUMPS)
    ).persist()

    w, few = np.zeros(BUMPS), np.ones((2, BUMPS))
    gradient = ya.simplegrad(cost, w, few, np.ones(2), wrt="w")
    value, dw = dask.compute(*gradient(w, X, counts))
    whole, dwhole = gradient(w, X.compute(), counts.compute())
    print("as on arrays of NumPy:", np.allclose(value, whole), np.allclose(dw, dwhole))

    def both(w):
        return dask.compute(*gradient(w, X, counts))

    found = minimize(both, w, jac=True, method="BFGS", options={"gtol": 1e-6})
    day = np.linspace(0, 24, 97)
    fitted = np.exp(bumps(day) @ found.x)
    off = np.max(np.abs(fitted / np.exp(true_log_rate(day)) - 1))
    print("worst hour off by less than 20 %:", bool(off < 0.2))
    by_hour = [counts[np.floor(hour) == k].mean() for k in range(24)]
    return day, fitted, np.array(dask.compute(*by_hour))


def plot(figure, found):
    day, fitted, by_hour = found
    axes = figure.add_subplot(xlabel="hour of the day", ylabel="bicycles", xlim=(0, 24))
    axes.stairs(by_hour, np.arange(25), color="0.6", label="mean count")
    axes.plot(day, fitted, color="C0", label="fitted rate")
    axes.plot(day, np.exp(true_log_rate(day)), "--", color="0.3", label="true rate")
    axes.legend(frameon=False)


if __name__ == "__main__":
    run(main, plot)
