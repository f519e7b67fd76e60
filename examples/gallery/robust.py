"""Fit a curve to data with gross errors: the gradient of each example is clipped.

The mean of the gradients follows a single bad example wherever it leads. Here each
example has its gradient, as one array over all examples, and none counts for more than
a given length. The same step makes training private, once noise is added to the sum.
"""

import numpy as np
from running import run

import yota_ast as ya

COUNT, BAD = 200, 20
LONGEST = 0.5


def curve(p, t):
    """A damped swing: how high, how fast, how soon it dies away."""
    return p[0] * np.cos(p[1] * t) * np.exp(-p[2] * t)


def loss(p, t, y):
    """That of one example."""
    return (curve(p, t) - y) ** 2


def mean_step(G):
    return np.mean(G, axis=0)


def clipped_step(G):
    """The mean of the rows, each of which is at most as long as LONGEST."""
    lengths = np.linalg.norm(G, axis=1, keepdims=True)
    return np.mean(G * np.minimum(1.0, LONGEST / lengths), axis=0)


def fit(gradients, p, t, y, step, *, rounds=600, rate=0.2):
    for _ in range(rounds):
        _, G = gradients(p, t, y)
        p = p - rate * step(G)
    return p


def main():
    rng = np.random.default_rng(3)
    true = np.array([1.5, 2.0, 0.3])
    t = np.sort(rng.uniform(0.0, 6.0, COUNT))
    y = curve(true, t) + 0.1 * rng.standard_normal(COUNT)
    bad = rng.choice(COUNT, BAD, replace=False)
    y[bad] = rng.uniform(2.0, 6.0, BAD)

    gradients = ya.value_and_grad(loss, each=["p"])
    start = np.array([1.0, 1.7, 0.1])
    _, G = gradients(start, t, y)
    one = ya.value_and_grad(loss)
    rows = [one(start, *example)[1] for example in zip(t, y, strict=True)]
    print("rows are the gradients of the examples:", np.allclose(G, rows))

    found = [fit(gradients, start, t, y, step) for step in (mean_step, clipped_step)]
    off = [np.sqrt(np.mean((curve(p, t) - curve(true, t)) ** 2)) for p in found]
    print(f"off by the mean: {off[0]:.2f}, clipped: {off[1]:.2f}")
    return t, y, bad, true, found


def plot(figure, found):
    t, y, bad, true, curves = found
    axes = figure.add_subplot(xlabel="time", ylabel="position")
    axes.plot(t, y, "o", color="0.6", ms=3)
    axes.plot(t[bad], y[bad], "o", color="C3", ms=3, label="bad examples")
    axes.plot(t, curve(true, t), "--", color="0.3", label="true")
    for p, name, color in zip(curves, ("mean", "clipped"), ("C1", "C0"), strict=True):
        axes.plot(t, curve(p, t), color=color, label=name)
    axes.legend(frameon=False)


if __name__ == "__main__":
    run(main, plot)
