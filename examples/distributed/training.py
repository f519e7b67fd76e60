"""Gradient descent on shards of data, whatever computes the gradients of the shards.

    python training.py --steps 200 --saved run.npz

`on_dask.py`, `on_joblib.py`, `on_ray.py` and `on_mpi.py` train with the same functions
on several processes, and end with the same bits.
"""

import argparse
import functools
import hashlib
import os
import signal
from pathlib import Path

import numpy as np
from loss_grad import loss_grad
from spiral import SIZES, accuracy, first_parameters, points

RATE = 1.5


def part_of(params, shard):
    """Return the mean loss of a shard and its gradients. Needs no yota_ast."""
    return loss_grad(*params, *shard)


def mean_of(parts, sizes):
    """Return the mean loss of all points and its gradients, from those of the shards.

    The sum goes in the order of the shards, so the bits are those of one process.
    """
    total = sum(sizes)
    found = zip(sizes, parts, strict=True)
    return functools.reduce(added, ([n / total * a for a in p] for n, p in found))


def added(left, right):
    return [a + b for a, b in zip(left, right, strict=True)]


def train(parts_of, steps, saved=None, die=None):
    """Return the parameters after some steps, and print the last loss.

    parts_of: parameters and the number of the step -> loss and gradients of each shard.
    saved: the file of the last parameters. A new run begins with what it holds.
    die: the step after which the process kills itself, as a machine would that fails.
    """
    params, done = load(saved)
    for step in range(done, steps):
        value, *gradients = mean_of(parts_of(params, step), SIZES)
        params = [p - RATE * g for p, g in zip(params, gradients, strict=True)]
        save(saved, params, step + 1)
        if step == die:
            os.kill(os.getpid(), signal.SIGKILL)
    right = np.mean([accuracy(params, *points(k)) for k in range(len(SIZES))])
    print(f"loss {value:.4f}, right {right:.0%}, bits {bits(params)}")
    return params


def load(saved):
    """Return the last parameters and how many steps led to them."""
    if saved is None or not Path(saved).exists():
        return list(first_parameters()), 0
    with np.load(saved) as file:
        return [file[f"p{k}"] for k in range(4)], int(file["done"])


def save(saved, params, done):
    """Write the parameters. A file is never half written."""
    if saved is None:
        return
    half = Path(saved).with_suffix(".half.npz")
    np.savez(half, done=done, **{f"p{k}": p for k, p in enumerate(params)})
    half.replace(saved)


def bits(params):
    """Return a short hash of all bits of the parameters."""
    return hashlib.sha256(b"".join(p.tobytes() for p in params)).hexdigest()[:12]


def options():
    """Return what the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--saved", help="the file of the last parameters")
    parser.add_argument("--die", type=int, help="the step after which all stops")
    parser.add_argument("--kill", type=int, help="the step in which a worker is killed")
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    given = options()
    shards = [points(k) for k in range(len(SIZES))]
    train(
        lambda params, _: [part_of(params, shard) for shard in shards],
        given.steps,
        given.saved,
        given.die,
    )
