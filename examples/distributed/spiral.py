"""A network that tells the arms of a spiral apart, and its data in shards.

Each shard draws its own points by its own seed, so any worker can make it again. All
arrays are float64.
"""

import numpy as np

ARMS, HIDDEN = 3, 32
SIZES = (400, 400, 400, 400, 400, 150)
"""How many points the shards have."""


def points(shard):
    """Return the points of a shard, (n, 2), and the arm of each, (n,)."""
    rng = np.random.default_rng([2024, shard])
    arm = rng.integers(ARMS, size=SIZES[shard])
    radius = rng.random(SIZES[shard])
    angle = 4 * radius + 2 * np.pi / ARMS * arm
    angle += 0.1 * rng.standard_normal(SIZES[shard])
    return radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1), arm


def first_parameters():
    """Return W1, b1, W2, b2 before the training."""
    rng = np.random.default_rng(7)
    W1, W2 = rng.standard_normal((2, HIDDEN)), rng.standard_normal((HIDDEN, ARMS))
    return W1, np.zeros(HIDDEN), W2 / np.sqrt(HIDDEN), np.zeros(ARMS)


def loss(W1, b1, W2, b2, x, arm):
    """The mean loss of some points: the negative logarithm of the chance of its arm."""
    scores = np.tanh(x @ W1 + b1) @ W2 + b2
    scores = scores - scores.max(axis=1, keepdims=True)
    chances = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return -np.mean(chances[np.arange(len(arm)), arm])


def accuracy(params, x, arm):
    """The part of the points of which the network finds the arm."""
    W1, b1, W2, b2 = params
    return np.mean(np.argmax(np.tanh(x @ W1 + b1) @ W2 + b2, axis=1) == arm)
