"""Kernels of dynamic programming."""

import math

import numpy as np


def soft_alignment(x, y, gamma):
    n, m = len(x), len(y)
    D = np.full((n + 1, m + 1), 1e6)
    D[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            a, b, c = D[i - 1, j], D[i, j - 1], D[i - 1, j - 1]
            least = min(a, b, c)
            total = (
                math.exp((least - a) / gamma)
                + math.exp((least - b) / gamma)
                + math.exp((least - c) / gamma)
            )
            cost = (x[i - 1] - y[j - 1]) ** 2
            D[i, j] = cost + least - gamma * math.log(total)
    return D[n, m]


def hidden_states(start, move, seen):
    alpha = start + seen[0]
    for t in range(1, len(seen)):
        scores = alpha[:, None] + move
        top = np.max(scores, axis=0)
        alpha = top + np.log(np.sum(np.exp(scores - top), axis=0)) + seen[t]
    top = np.max(alpha)
    return top + np.log(np.sum(np.exp(alpha - top)))


def cheapest_path(cost):
    n = cost.shape[0]
    best = cost[0]
    for i in range(1, n):
        left = np.append(np.inf, best[:-1])
        right = np.append(best[1:], np.inf)
        best = cost[i] + np.minimum(best, np.minimum(left, right))
    return np.min(best)


def all_paths(weights):
    path = weights.copy()
    n = path.shape[0]
    for k in range(n):
        path[:] = np.minimum(path, np.add.outer(path[:, k], path[k, :]))
    return np.sum(path * path)


def best_actions(reward, move, discount, steps):
    V = np.zeros(reward.shape[1])
    for _ in range(steps):
        Q = reward + discount * (move @ V)
        V = np.max(Q, axis=0)
    return np.sum(V * V)


def arguments(rng, *, small):
    """By name: the function, its arguments, and what is asked for."""
    n, m = (4, 3) if small else (30, 30)
    states, steps = (3, 4) if small else (16, 100)
    nodes = 5 if small else 120
    move = rng.uniform(size=(2, 4, 4) if small else (6, 80, 80))
    return {
        "soft alignment": (
            soft_alignment,
            (rng.normal(size=n), rng.normal(size=m), 0.5),
            ("x", "y"),
        ),
        "hidden states": (
            hidden_states,
            (
                rng.normal(size=states),
                rng.normal(size=(states, states)),
                rng.normal(size=(steps, states)),
            ),
            ("start", "move", "seen"),
        ),
        "cheapest path": (
            cheapest_path,
            (rng.uniform(size=(5, 4) if small else (100, 200)),),
            ("cost",),
        ),
        "all paths": (
            all_paths,
            (rng.uniform(0.1, 9.0, (nodes, nodes)),),
            ("weights",),
        ),
        "best actions": (
            best_actions,
            (
                rng.normal(size=move.shape[:2]),
                move / move.sum(axis=-1, keepdims=True),
                0.9,
                3 if small else 20,
            ),
            ("reward", "move"),
        ),
    }
