"""Find the conductivity of a rod from temperatures: an inverse problem that is
constrained by a partial differential equation.

The heat equation is stepped implicitly: each step solves a linear system whose matrix
depends on the unknown conductivity. The gradient goes back through all steps and
solves, which is the discrete adjoint method, and costs as much as one more simulation
or two.
"""

import numpy as np
from running import run
from scipy.optimize import minimize

import yota_ast as ya

CELLS, STEPS = 40, 30
STEP = 0.1
SENSORS = np.arange(1, CELLS, 3)
NOISE = 1e-3
EDGES = np.arange(1, CELLS) / CELLS
SHAPES = np.cos(np.pi * np.outer(EDGES, np.arange(8)))


def matrix(k):
    """I - STEP * d/dx (k d/dx), k between the cells, no flow through the ends."""
    flow = STEP * CELLS**2 / 10 * k
    A = np.eye(CELLS)
    inner = np.arange(CELLS - 1)
    A[inner, inner] += flow
    A[inner + 1, inner + 1] += flow
    A[inner, inner + 1] -= flow
    A[inner + 1, inner] -= flow
    return A


def conductivity(p):
    """Smooth and positive: p are the first terms of a cosine series of its log."""
    return np.exp(SHAPES @ p)


def simulate(k, heating):
    """The temperatures at the sensors, a row for each step."""
    A = matrix(k)
    T = np.zeros(CELLS)
    measured = np.zeros((STEPS, SENSORS.size))
    for step in range(STEPS):
        T = np.linalg.solve(A, T + STEP * heating)
        measured[step] = T[SENSORS]
    return measured


def cost(p, heating, measured):
    misfit = simulate(conductivity(p), heating) - measured
    return np.mean((misfit / NOISE) ** 2)


def truth():
    return 0.05 + 0.10 * np.exp(-(((EDGES - 0.6) / 0.15) ** 2))


def main():
    rng = np.random.default_rng(4)
    heating = np.zeros(CELLS)
    heating[:6], heating[-6:] = 10.0, -10.0
    true = truth()
    measured = simulate(true, heating)
    measured = measured + NOISE * rng.standard_normal(measured.shape)

    start, v = np.zeros(8), rng.standard_normal(8)
    start[0] = np.log(0.08)
    _, slope = ya.value_and_grad(cost)(start, heating, measured)
    h = 1e-5
    change = cost(start + h * v, heating, measured)
    change = (change - cost(start - h * v, heating, measured)) / (2 * h)
    print("gradient agrees with differences:", np.isclose(slope @ v, change, rtol=1e-5))

    found = minimize(
        ya.value_and_grad(cost), start, (heating, measured), jac=True, method="BFGS"
    )
    curves = true, conductivity(start), conductivity(found.x)
    before, after = (np.mean(np.abs(k / true - 1)) for k in curves[1:])
    print(f"mean error of the conductivity: {before:.0%} at the start")
    print("at the end below 3 %:", after < 0.03)
    return curves


def plot(figure, found):
    axes = figure.add_subplot(xlabel="position on the rod", ylabel="conductivity")
    lines = (("true", "0.3", "--"), ("start", "0.7", "-"), ("found", "C0", "-"))
    for curve, (name, color, style) in zip(found, lines, strict=True):
        axes.plot(EDGES, curve, style, color=color, label=name)
    axes.legend(frameon=False)


if __name__ == "__main__":
    run(main, plot)
