"""Find what lies in the ground from echoes, on JAX under `jit`.

A shot at the surface sends a wave down, and layers of another stiffness send some of it
back. The simulation is a function of NumPy that writes into its arrays. Its gradient is
printed as code for JAX, which compiles it.
"""

import jax
import numpy as np
from running import run
from scipy.optimize import minimize

import yota_ast as ya

jax.config.update("jax_enable_x64", True)

CELLS, STEPS, STEP = 30, 60, 0.7
DEPTHS = np.arange(CELLS)
SHOT = np.exp(-(((np.arange(STEPS) - 6.0) / 2.0) ** 2))


def echoes(stiffness, shot):
    """What is heard at the surface in each step; below the last cell all is still."""
    u, speed = np.zeros(CELLS), np.zeros(CELLS)
    heard = np.zeros(len(shot))
    for step in range(len(shot)):
        pull = stiffness[1:] * (u[1:] - u[:-1])
        speed[:-1] += STEP * pull
        speed[1:-1] -= STEP * pull[:-1]
        speed[0] += STEP * shot[step]
        u[:-1] += STEP * speed[:-1]
        heard[step] = u[0]
    return heard


def cost(p, shot, heard):
    """p: the logarithm of the stiffness, which should be smooth."""
    misfit = echoes(np.exp(p), shot) - heard
    return np.sum(misfit**2) + 1e-4 * np.sum(np.diff(p) ** 2)


def ground():
    """A hard layer, and a soft one below."""
    hard = 0.5 * np.exp(-(((DEPTHS - 8) / 2.0) ** 2))
    soft = 0.4 * np.exp(-(((DEPTHS - 16) / 2.5) ** 2))
    return hard - soft


def main():
    true, start = ground(), np.zeros(CELLS)
    heard = echoes(np.exp(true), SHOT)

    readable = ya.simplegrad(cost, start, SHOT, heard, wrt="p")
    made = ya.simplegrad(cost, start, SHOT, heard, wrt="p", backend="jax")
    compiled = jax.jit(made.fn)
    pairs = zip(readable(start, SHOT, heard), compiled(start, SHOT, heard), strict=True)
    print("JAX gives the same numbers:", all(np.allclose(a, b) for a, b in pairs))

    def both(p):
        value, dp = compiled(p, SHOT, heard)
        return float(value), np.asarray(dp)

    found = minimize(both, start, jac=True, method="L-BFGS-B", options={"maxiter": 300})
    off = np.max(np.abs(found.x - true)[:20])
    print("the ground is found to 0.1:", bool(off < 0.1))
    return heard, echoes(np.exp(start), SHOT), true, found.x


def plot(figure, found):
    heard, silent, true, fitted = found
    left, right = figure.subplots(1, 2)
    left.plot(silent, color="0.7", label="even ground")
    left.plot(heard, color="C0", label="heard")
    left.set(xlabel="step", ylabel="movement at the surface")
    left.legend(frameon=False)
    right.plot(DEPTHS, true, "--", color="0.3", label="true")
    right.plot(DEPTHS, fitted, color="C0", label="found")
    right.set(xlabel="depth", ylabel="logarithm of the stiffness")
    right.legend(frameon=False)


if __name__ == "__main__":
    run(main, plot)
