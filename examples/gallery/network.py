"""Train a neural network in place: two classes that are spirals.

The parameters live in an object. `ya.grad` gives the gradient by the paths of its
fields, and `ya.update` changes the arrays where they are, so that no parameter is
copied. The optimiser is gradient descent with momentum, written in NumPy.
"""

from itertools import pairwise

import numpy as np
from running import run

import yota_ast as ya


class Network:
    """Layers with the larger of their values and 0, and one number at the end."""

    def __init__(self, sizes, rng):
        pairs = list(pairwise(sizes))
        self.W = [rng.standard_normal(p) * np.sqrt(2 / p[0]) for p in pairs]
        self.b = [np.zeros(p[1]) for p in pairs]

    def __call__(self, x):
        """Return the number of each row of x."""
        for W, b in zip(self.W[:-1], self.b[:-1], strict=True):
            x = np.maximum(x @ W + b, 0.0)
        return (x @ self.W[-1] + self.b[-1])[:, 0]


def loss(network, x, label):
    """The mean cross-entropy of labels -1 and 1."""
    return np.mean(np.logaddexp(0.0, -label * network(x)))


def spirals(count, rng):
    turn = 3.0 * np.pi * np.sqrt(rng.random(count))
    label = np.where(np.arange(count) % 2 == 0, 1.0, -1.0)
    radius = label * turn / (3.0 * np.pi)
    x = np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)
    return x + 0.02 * rng.standard_normal(x.shape), label


def train(network, x, label, rng, *, epochs=150, rate=0.1, momentum=0.9):
    velocity = {}
    for _ in range(epochs):
        for batch in np.array_split(rng.permutation(len(x)), 8):
            _, g = ya.grad(loss, network, x[batch], label[batch], wrt="network")
            for path, d in g["network"].items():
                velocity[path] = momentum * velocity.get(path, 0.0) + rate * d
            ya.update(network, velocity)


def main():
    rng = np.random.default_rng(2)
    x, label = spirals(400, rng)
    network = Network((2, 32, 32, 1), rng)

    _, g = ya.grad(loss, network, x, label, wrt="network")
    W = network.W[0]
    W[0, 0] += 1e-6
    above = loss(network, x, label)
    W[0, 0] -= 2e-6
    change = (above - loss(network, x, label)) / 2e-6
    W[0, 0] += 1e-6
    slope = g["network"][("W", 0)][0, 0]
    print("gradient agrees with differences:", np.isclose(slope, change, rtol=1e-4))

    train(network, x, label, rng)
    unseen, true = spirals(400, rng)
    print("the arrays are the same objects:", network.W[0] is W)
    right = np.mean(np.sign(network(unseen)) == true)
    print("right on unseen points, above 95 %:", right > 0.95)
    return network, unseen, true


def plot(figure, found):
    network, x, label = found
    axes = figure.add_subplot(aspect="equal", xlabel="x", ylabel="y")
    side = np.linspace(-1.15, 1.15, 120)
    grid = np.stack(np.meshgrid(side, side), axis=-1)
    shown = network(grid.reshape(-1, 2)).reshape(120, 120)
    axes.contourf(side, side, np.tanh(shown), levels=20, cmap="RdBu", alpha=0.6)
    axes.scatter(*x.T, c=label, cmap="RdBu", s=6, edgecolors="0.3", linewidths=0.3)


if __name__ == "__main__":
    run(main, plot)
