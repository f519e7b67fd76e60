"""Kernels on structured grids that are written in place."""

import numpy as np


def relax(A, B, steps):
    A, B = A.copy(), B.copy()
    for _ in range(steps):
        B[1:-1, 1:-1] = 0.2 * (
            A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
        )
        A[1:-1, 1:-1] = 0.2 * (
            B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1]
        )
    return np.sum(A * A)


def diffuse(u, k, steps):
    u = u.copy()
    for _ in range(steps):
        mid = u[1:-1, 1:-1, 1:-1]
        flux = u[2:, 1:-1, 1:-1] - 2.0 * mid + u[:-2, 1:-1, 1:-1]
        flux += u[1:-1, 2:, 1:-1] - 2.0 * mid + u[1:-1, :-2, 1:-1]
        flux += u[1:-1, 1:-1, 2:] - 2.0 * mid + u[1:-1, 1:-1, :-2]
        u[1:-1, 1:-1, 1:-1] += k[1:-1, 1:-1, 1:-1] * flux
    return np.sum(u * u)


def electromagnetic(ex, ey, hz, source):
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    for t in range(len(source)):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return np.sum(hz * hz)


def implicit_lines(u, a, steps):
    u = u.copy()
    n = u.shape[0]
    p = np.zeros_like(u)
    q = np.zeros_like(u)
    for _ in range(steps):
        p[0] = 0.0
        q[0] = u[0]
        for j in range(1, n - 1):
            below = a * p[j - 1] + 1.0 + 2.0 * a
            p[j] = -a / below
            q[j] = (u[j] + a * q[j - 1]) / below
        for j in range(n - 2, 0, -1):
            u[j] = q[j] - p[j] * u[j + 1]
    return np.sum(u * u)


def limited_advection(u, c, steps):
    for _ in range(steps):
        left = u - np.roll(u, 1, axis=1)
        right = np.roll(u, -1, axis=1) - u
        slope = np.where(
            left * right > 0,
            np.where(np.abs(left) < np.abs(right), left, right),
            0.0,
        )
        face = u + 0.5 * (1.0 - c) * slope
        u = u - c * (face - np.roll(face, 1, axis=1))
    return np.sum(u * u)


def sweep(A, steps):
    A = A.copy()
    n, m = A.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                A[i, j] = 0.2 * (
                    A[i, j] + A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1]
                )
    return np.sum(A * A)


def arguments(rng, *, small):
    """By name: the function, its arguments, and what is asked for."""
    n, steps = (6, 2) if small else (200, 20)
    cube = (4, 5, 4) if small else (40, 40, 40)
    wave = rng.normal(size=(3, n, n))
    lines = rng.normal(size=(6, 4) if small else (60, 200))
    return {
        "relax": (relax, (*rng.normal(size=(2, n, n)), steps), ("A", "B")),
        "diffuse": (
            diffuse,
            (rng.normal(size=cube), rng.uniform(0.01, 0.1, cube), steps // 2),
            ("u", "k"),
        ),
        "electromagnetic": (
            electromagnetic,
            (*wave, rng.normal(size=steps)),
            ("ex", "ey", "hz", "source"),
        ),
        "implicit lines": (implicit_lines, (lines, 0.4, 2 if small else 5), ("u", "a")),
        "limited advection": (
            limited_advection,
            (rng.normal(size=(n, n)), 0.4, steps // 2),
            ("u", "c"),
        ),
        "sweep": (
            sweep,
            (rng.normal(size=(5, 5) if small else (24, 24)), 2 if small else 4),
            ("A",),
        ),
    }
