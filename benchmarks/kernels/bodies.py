"""Kernels of many bodies."""

import numpy as np


def attraction(pos, mass, softening):
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inverse = dx**2 + dy**2 + dz**2 + softening**2
    inverse[inverse > 0] = inverse[inverse > 0] ** (-1.5)
    ax = (dx * inverse) @ mass
    ay = (dy * inverse) @ mass
    az = (dz * inverse) @ mass
    return np.hstack((ax, ay, az))


def gravity(pos, vel, mass, softening, dt, steps):
    acc = attraction(pos, mass, softening)
    for _ in range(steps):
        vel = vel + acc * dt / 2.0
        pos = pos + vel * dt
        acc = attraction(pos, mass, softening)
        vel = vel + acc * dt / 2.0
    return 0.5 * np.sum(mass * vel**2)


def pair_energies(pos, epsilon, sigma):
    energy = 0.0
    for i in range(len(pos) - 1):
        d = pos[i + 1 :] - pos[i]
        r2 = np.sum(d * d, axis=1)
        s6 = (sigma * sigma / r2) ** 3
        energy += np.sum(4.0 * epsilon * (s6 * s6 - s6))
    return energy


def three_bodies(pos, vel, mass, dt, steps):
    pos, vel = pos.copy(), vel.copy()
    for _ in range(steps):
        for i in range(3):
            force = np.zeros(2)
            for j in range(3):
                if i != j:
                    d = pos[j] - pos[i]
                    r2 = d @ d + 0.01
                    force += mass[j] * d / (r2 * np.sqrt(r2))
            vel[i] += dt * force
        pos += dt * vel
    return np.sum(pos * pos)


def springs(pos, vel, stiffness, rest, dt, steps):
    pos, vel = pos.copy(), vel.copy()
    for _ in range(steps):
        d = pos[1:] - pos[:-1]
        length = np.sqrt(np.sum(d * d, axis=1))
        pull = (stiffness * (length - rest) / length)[:, None] * d
        vel[:-1] += dt * pull
        vel[1:] -= dt * pull
        pos += dt * vel
    return np.sum(pos * pos)


def distances(x, centres, width):
    gap = x[:, None, :] - centres[None, :, :]
    kernel = np.exp(-np.sum(gap * gap, axis=-1) / (2.0 * width**2))
    return np.sum(np.log(np.sum(kernel, axis=1)))


def arguments(rng, *, small):
    """By name: the function, its arguments, and what is asked for."""
    n, steps = (4, 2) if small else (120, 5)
    lattice = np.array(list(np.ndindex(2, 2, 2 if small else 25)), dtype=float)
    lattice = 1.2 * lattice + rng.normal(0, 0.05, lattice.shape)
    chain = 5 if small else 10000
    line = np.cumsum(rng.uniform(0.8, 1.2, (chain, 3)), axis=0)
    return {
        "gravity": (
            gravity,
            (*rng.normal(size=(2, n, 3)), rng.uniform(1, 2, (n, 1)), 0.1, 0.01, steps),
            ("pos", "vel", "mass"),
        ),
        "pair energies": (
            pair_energies,
            (lattice, 0.8, 1.0),
            ("pos", "epsilon", "sigma"),
        ),
        "three bodies": (
            three_bodies,
            (
                *rng.normal(size=(2, 3, 2)),
                rng.uniform(1, 2, 3),
                0.01,
                3 if small else 50,
            ),
            ("pos", "vel", "mass"),
        ),
        "springs": (
            springs,
            (line, rng.normal(size=line.shape), 4.0, 1.5, 0.02, 2 if small else 10),
            ("pos", "vel", "stiffness", "rest"),
        ),
        "distances": (
            distances,
            (
                rng.normal(size=(6, 2) if small else (300, 3)),
                rng.normal(size=(3, 2) if small else (100, 3)),
                1.3,
            ),
            ("x", "centres", "width"),
        ),
    }
