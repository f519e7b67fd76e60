"""Kernels that iterate under masks."""

import numpy as np


def escape(x, c, limit, steps):
    z = x.copy()
    escaped = np.zeros(x.shape)
    for _ in range(steps):
        inside = np.abs(z) < limit
        z[inside] = z[inside] ** 2 + c[inside]
        escaped[inside] += z[inside]
    return np.sum(np.tanh(escaped))


def cube_roots(a, x, steps):
    x = x.copy()
    for _ in range(steps):
        wrong = np.abs(x**3 - a) > 1e-9
        x[wrong] -= (x[wrong] ** 3 - a[wrong]) / (3.0 * x[wrong] ** 2)
    return np.sum(x * x)


def shrink(A, b, penalty, rate, steps):
    x = np.zeros(A.shape[1])
    for _ in range(steps):
        x = x - rate * (A.T @ (A @ x - b))
        x = np.where(x > penalty, x - penalty, np.where(x < -penalty, x + penalty, 0.0))
    return np.sum(x * x)


def march(origin, direction, radius, steps):
    t = np.zeros(direction.shape[0])
    for _ in range(steps):
        p = origin + t[:, None] * direction
        ball = np.sqrt(np.sum(p * p, axis=1)) - radius
        floor = p[:, 1] + 2.0
        near = np.where(ball < floor, ball, floor)
        t = np.where(near > 1e-3, t + near, t)
    return np.sum(t * t)


def ring_means(data, distance, rings):
    edge = distance.max() / rings
    means = np.zeros(rings)
    for i in range(rings):
        here = (distance >= i * edge) & (distance < (i + 1) * edge)
        means[i] = np.mean(data[here])
    return np.sum(means * means)


def arguments(rng, *, small):
    """By name: the function, its arguments, and what is asked for."""
    n = 8 if small else 20000
    steps = 3 if small else 12
    rows = (5, 3) if small else (300, 200)
    A = rng.normal(size=rows)
    direction = rng.normal(size=(n, 3)) * 0.2 + np.array([0.0, 0.0, 1.0])
    direction /= np.sqrt(np.sum(direction**2, axis=1, keepdims=True))
    return {
        "escape": (
            escape,
            (rng.normal(size=n), rng.normal(size=n) * 0.5, 2.0, steps),
            ("x", "c"),
        ),
        "cube roots": (
            cube_roots,
            (rng.uniform(1, 9, n), rng.uniform(1, 3, n), steps),
            ("a", "x"),
        ),
        "shrink": (
            shrink,
            (A, rng.normal(size=rows[0]), 0.01, 0.5 / rows[0], 3 if small else 40),
            ("A", "b", "penalty"),
        ),
        "march": (
            march,
            (np.array([0.0, 0.1, -3.0]), direction, 1.0, steps),
            ("origin", "direction", "radius"),
        ),
        "ring means": (
            ring_means,
            (rng.normal(size=n), rng.uniform(size=n), 3 if small else 20),
            ("data",),
        ),
    }
