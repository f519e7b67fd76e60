"""Swing a pendulum up with a weak motor: optimal control, states written in place.

The simulation writes each state into an array that was allocated before, as one writes
it in NumPy. The gradient of the cost goes back through the writes. L-BFGS finds the
torques.
"""

import numpy as np
from running import run
from scipy.optimize import check_grad, minimize

import yota_ast as ya

STEP, STEPS = 0.05, 120
LIMIT = 0.8  # of the torque; gravity has 1


def simulate(u):
    """Angles and speeds; the angle 0 hangs down, pi stands."""
    states = np.zeros((STEPS + 1, 2))
    for k in range(STEPS):
        angle, speed = states[k]
        states[k + 1, 1] = speed + STEP * (LIMIT * np.tanh(u[k]) - np.sin(angle))
        states[k + 1, 0] = angle + STEP * states[k + 1, 1]
    return states


def cost(u):
    states = simulate(u)
    angle, speed = states[-1]
    effort = STEP * np.sum(np.tanh(u) ** 2)
    return 50.0 * (1.0 + np.cos(angle)) + 5.0 * speed**2 + 0.05 * effort


def main():
    start = np.sin(0.9 * STEP * np.arange(STEPS))
    off = check_grad(cost, ya.grad(cost), start)
    print("gradient agrees with differences:", off < 1e-3)

    found = minimize(
        ya.value_and_grad(cost), start, jac=True, method="L-BFGS-B",
        options={"maxiter": 500},
    )  # fmt: skip
    states = simulate(found.x)
    angle, speed = states[-1]
    print(f"cost {cost(start):.0f} at the start, below 1 at the end:", found.fun < 1.0)
    print("stands upright:", np.cos(angle) < -0.99, "and still:", abs(speed) < 0.2)
    return states, LIMIT * np.tanh(found.x)


def plot(figure, found):
    states, torque = found
    times = STEP * np.arange(STEPS + 1)
    axes = figure.add_subplot(1, 2, 1, xlabel="time", ylabel="angle")
    axes.plot(times, states[:, 0], color="C0")
    for level in (np.pi, -np.pi):
        axes.axhline(level, color="0.6", ls=":")
    axes = figure.add_subplot(1, 2, 2, xlabel="time", ylabel="torque")
    axes.step(times[:-1], torque, color="C1", where="post")


if __name__ == "__main__":
    run(main, plot)
