"""Bring the hand of a robot arm along a path: inverse kinematics by the exact Jacobian.

The arm has four joints in a plane. At each point of the path, steps of damped least
squares (Y. Nakamura and H. Hanafusa, "Inverse kinematic solutions with singularity
robustness", 1986) turn the joints until hand and wrist are where they are wanted.
"""

import numpy as np
from running import run

import yota_ast as ya

LENGTHS = np.array([1.0, 0.8, 0.6, 0.3])
DAMPING = 1e-3


def joints(q):
    """The positions of the joints and of the hand, from the base on."""
    angles = np.cumsum(q)
    x = np.cumsum(LENGTHS * np.cos(angles))
    y = np.cumsum(LENGTHS * np.sin(angles))
    return np.stack([x, y])


def hand(q):
    """Where the hand is, and its angle."""
    x, y = joints(q)[:, -1]
    return np.array([x, y, np.sum(q)])


jacobian = ya.jacobian(hand)


def by_hand(q):
    """The Jacobian of a planar arm, as textbooks give it."""
    x, y = joints(q)
    before = np.stack([np.append(0.0, x[:-1]), np.append(0.0, y[:-1])])
    return np.stack([-(y[-1] - before[1]), x[-1] - before[0], np.ones(q.size)])


def reach(q, wanted, most=50):
    """Turn the joints until the hand is where it is wanted; and the steps it took."""
    for step in range(most):
        off = wanted - hand(q)
        if np.linalg.norm(off) < 1e-10:
            return q, step
        J = jacobian(q)
        q = q + J.T @ np.linalg.solve(J @ J.T + DAMPING**2 * np.eye(3), off)
    return q, most


def main():
    q = np.array([0.6, 0.7, 0.4, -0.5])
    print(
        "Jacobian as in the textbook:", np.allclose(jacobian(q), by_hand(q), atol=1e-14)
    )

    turns = np.linspace(0.0, 2 * np.pi, 40)
    path = np.stack([1.2 + 0.5 * np.cos(turns), 0.9 + 0.5 * np.sin(turns)], axis=1)
    poses, steps = [], 0
    for x, y in path:
        q, taken = reach(q, np.array([x, y, 0.0]))
        poses.append(q)
        steps = max(steps, taken)
    off = max(np.linalg.norm(hand(q)[:2] - p) for q, p in zip(poses, path, strict=True))
    print("hand on the path to 1e-9:", off < 1e-9)
    print("at most 10 steps a point:", steps <= 10)
    return path, np.array(poses)


def plot(figure, found):
    path, poses = found
    axes = figure.add_subplot(aspect="equal", xlabel="x", ylabel="y")
    for q in poses[::4]:
        x, y = joints(q)
        axes.plot(
            np.append(0, x), np.append(0, y), "o-", ms=3, lw=1, color="C0", alpha=0.5
        )
    axes.plot(*path.T, color="C3", label="path of the hand")
    axes.legend(frameon=False)


if __name__ == "__main__":
    run(main, plot)
