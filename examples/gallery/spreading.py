"""Fit the spread of a population over a long time, with few states held.

A population grows, and spreads over a strip of land, by Fisher's equation. It is
stepped explicitly, in many cheap steps. A gradient that saves all of them holds ten to
a hundred times as much as one that saves some states, and repeats the steps between.
"""

import inspect
import tracemalloc

import numpy as np
from running import run
from scipy.optimize import minimize

import yota_ast as ya

CELLS, STEPS = 200, 1500
PLACES = np.linspace(0.0, 100.0, CELLS)
TRAPS = np.arange(4, CELLS, 8)
NOISE = 0.02
SLOTS = 3, 10, 30, 100, 300


def spread(u, growth, diffusion):
    """The population after all steps; nothing passes the ends of the strip."""
    for _ in range(STEPS):
        flow = diffusion * (u[1:] - u[:-1])
        u = u + growth * u * (1 - u)
        u[:-1] += flow
        u[1:] -= flow
    return u


def counted(p):
    """What the traps count: p are the place where it began, and the logarithms of
    growth and diffusion."""
    start = 0.5 * np.exp(-(((PLACES - p[0]) / 2.0) ** 2))
    return spread(start, np.exp(p[1]), np.exp(p[2]))[TRAPS]


def cost(p, counts):
    return 0.5 * np.sum(((counted(p) - counts) / NOISE) ** 2)


LOOP = inspect.getsourcelines(spread)[1] + 2


def gradient(schedule):
    """That of the cost; the line of the loop says which loop has the schedule."""
    checkpoint = None if schedule is None else {LOOP: schedule}
    example = np.zeros(3), np.zeros(TRAPS.size)
    return ya.simplegrad(cost, *example, wrt="p", checkpoint=checkpoint)


def bytes_held(fn, *args):
    """The most that a function holds at once."""
    tracemalloc.start()
    fn(*args)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return held


def main():
    rng = np.random.default_rng(7)
    true = np.array([38.0, np.log(0.005), np.log(0.12)])
    counts = counted(true) + NOISE * rng.standard_normal(TRAPS.size)

    start = np.array([50.0, np.log(0.004), np.log(0.2)])
    all_saved, segments = gradient(None), gradient("sqrt")
    pairs = zip(all_saved(start, counts), segments(start, counts), strict=True)
    print("segments give the same bits:", all(np.array_equal(a, b) for a, b in pairs))
    found = minimize(segments, start, (counts,), jac=True, method="BFGS")
    off = np.abs(found.x - true) / np.sqrt(np.diag(found.hess_inv))
    print("all three within three standard errors:", bool(np.all(off < 3)))

    schedules = [None, "sqrt", *(("slots", slots) for slots in SLOTS)]
    held = [bytes_held(gradient(s), start, counts) for s in schedules]
    print("segments hold less than a tenth:", held[1] < held[0] / 10)
    print("three slots hold less than a fiftieth:", held[2] < held[0] / 50)
    return counts, counted(start), counted(found.x), held


def plot(figure, found):
    counts, before, after, held = found
    left, right = figure.subplots(1, 2)
    left.plot(PLACES[TRAPS], counts, "o", color="0.3", ms=3, label="counted")
    left.plot(PLACES[TRAPS], before, color="0.7", label="start")
    left.plot(PLACES[TRAPS], after, color="C0", label="fitted")
    left.set(xlabel="place", ylabel="population", ylim=(0, 1.3))
    left.legend(frameon=False, ncols=3, columnspacing=1)
    right.loglog(SLOTS, [h / 1e3 for h in held[2:]], "o-", color="C0", label="slots")
    right.axhline(held[1] / 1e3, color="C1", ls="--", label="segments")
    right.axhline(held[0] / 1e3, color="0.3", ls=":", label="all saved")
    right.set(xlabel="slots", ylabel="memory held, kilobytes", ylim=(10, 2e4))
    right.legend(frameon=False)


if __name__ == "__main__":
    run(main, plot)
