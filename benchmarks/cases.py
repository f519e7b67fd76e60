"""The cases of the benchmark: a workload, its arguments and what is asked for."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import hand
import numpy as np
import workloads


@dataclass(frozen=True, slots=True)
class Case:
    """One row of the table.

    `arguments(rng, small=...)` makes the arguments, small ones for a check of values.
    by_hand: None where nobody has written the gradient by hand.
    """

    title: str
    primal: Callable[..., Any]
    by_hand: Callable[..., Any] | None
    wrt: tuple[str, ...]
    arguments: Callable[..., tuple[Any, ...]]


def weights(rng, n_in, n_out):
    return rng.normal(0, 1 / np.sqrt(n_in), (n_in, n_out)), rng.normal(0, 0.1, n_out)


def mlp_arguments(rng, *, small):
    rows, sizes = (5, (4, 3, 6, 2)) if small else (128, (100, 128, 64, 10))
    arrays = [a for pair in itertools.pairwise(sizes) for a in weights(rng, *pair)]
    return rng.normal(size=(rows, sizes[0])), *arrays, rng.normal(size=(rows, sizes[3]))


def vae_arguments(rng, *, small):
    rows, (n, h1, h2, latent) = (
        (3, (6, 5, 4, 2)) if small else (64, (784, 256, 128, 16))
    )
    layers = [(n, h1), (h1, h2), (h2, latent), (h2, latent)]
    layers += [(latent, h2), (h2, h1), (h1, n)]
    model = workloads.VAE([a for pair in layers for a in weights(rng, *pair)])
    return model, rng.random((rows, n)), rng.normal(size=(rows, latent))


def logistic_arguments(rng, *, small):
    rows, columns = (7, 3) if small else (4000, 50)
    X = rng.normal(size=(rows, columns))
    y = np.where(rng.normal(size=rows) < 0, -1.0, 1.0)
    return X, y, rng.normal(size=columns), 0.3, 1e-3


def tiny_arguments(rng, *, small):
    del rng, small
    return 0.7, 1.9


def lotka_arguments(rng, *, small):
    del rng
    return 1.0, 0.5, 1.1, 0.4, 0.4, 0.1, 0.01, 10 if small else 1000


def chain_arguments(rng, *, small):
    n = 9 if small else 200_000
    return rng.normal(size=n), rng.normal(size=n), 0.5


def black_scholes_arguments(rng, *, small):
    n = 9 if small else 200_000
    S, K, T, sigma = (low + rng.random(n) for low in (80, 80, 0.5, 0.2))
    return S, K, T, sigma, 0.03


def heat_arguments(rng, *, small):
    return rng.random(9 if small else 1000), 0.2, 5 if small else 500


def mixture_arguments(rng, *, small):
    n, k = (7, 3) if small else (20_000, 8)
    return rng.normal(size=n), rng.normal(size=k), 0.1 * rng.normal(size=k), np.zeros(k)


CASES = (
    Case(
        "MLP, 6 arrays",
        workloads.mlp,
        hand.mlp_grad,
        ("W1", "b1", "W2", "b2", "W3", "b3"),
        mlp_arguments,
    ),
    Case("VAE, 14 arrays", workloads.vae, hand.vae_grad, ("m",), vae_arguments),
    Case(
        "logistic regression",
        workloads.logistic_regression,
        hand.logistic_regression_grad,
        ("w", "b"),
        logistic_arguments,
    ),
    Case("tiny scalar", workloads.tiny, hand.tiny_grad, ("x", "y"), tiny_arguments),
    Case(
        "1000-step loop",
        workloads.lotka_volterra,
        hand.lotka_volterra_grad,
        ("x", "y", "a", "b", "c", "d"),
        lotka_arguments,
    ),
    Case("chain", workloads.chain, hand.chain_grad, ("x", "y", "a"), chain_arguments),
    Case(
        "Black-Scholes",
        workloads.black_scholes,
        hand.black_scholes_grad,
        ("S", "T", "sigma"),
        black_scholes_arguments,
    ),
    Case("heat", workloads.heat, hand.heat_grad, ("u", "k"), heat_arguments),
    Case(
        "mixture of normals",
        workloads.mixture,
        hand.mixture_grad,
        ("mean", "log_scale", "log_weight"),
        mixture_arguments,
    ),
)
