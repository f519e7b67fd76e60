"""Random numbers: drawn once, in their place, without a slope."""

from __future__ import annotations

from typing import Final

import numpy as np

from yota_ast.rules.inference.creations import (
    generator_fact,
    normal_fact,
    random_fact,
    random_of,
    random_state_fact,
    uniform_fact,
)
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import unbroadcast

Drawing = np.random.Generator | np.random.RandomState
_FACTOR: Final = (
    "NumPy chooses the factor that it draws by: write"
    " mean + rng.standard_normal((n, k)) @ np.linalg.cholesky(cov).T"
)
_AT_RANDOM: Final = (
    "it is not known whether it is data or a number of items: give an example"
)

# ---------------------------------------------------------------- np.random


@rule(zero=["shape"], effect=True, fact=random_of)
def rand(*shape):
    y = np.random.rand(*shape)


@rule(zero=["shape"], effect=True, fact=random_of)
def randn(*shape):
    y = np.random.randn(*shape)


@rule(also=[np.random.random_sample], effect=True, fact=random_fact)
def random(size=None):
    y = np.random.random(size)


@rule(effect=True, fact=random_fact)
def standard_normal(size=None):
    y = np.random.standard_normal(size)


@rule(zero=["seed"], effect=True)
def set_seed(seed=None):
    y = np.random.seed(seed)


@rule(zero=["low", "high"], effect=True)
def randint(low, high=None, size=None, dtype=int):
    y = np.random.randint(low, high, size, dtype)


@rule(refused={"x": _AT_RANDOM}, effect=True)
def permutation(x):
    y = np.random.permutation(x)


# ---------------------------------------------------------------- generators


@rule(zero=["seed"], effect=True, fact=generator_fact)
def default_rng(seed=None):
    y = np.random.default_rng(seed)


@rule(zero=["rng"], effect=True, fact=random_fact)
def generator_random(rng: np.random.Generator, size=None):
    y = rng.random(size)


@rule(
    also=[np.random.RandomState.standard_normal],
    zero=["rng"],
    effect=True,
    fact=random_fact,
)
def generator_standard_normal(rng: Drawing, size=None):
    y = rng.standard_normal(size)


@rule(zero=["rng", "low", "high"], effect=True)
def generator_integers(
    rng: np.random.Generator, low, high=None, size=None, *, endpoint=False
):
    y = rng.integers(low, high, size, endpoint=endpoint)


@rule(
    also=[np.random.RandomState.permutation],
    zero=["rng"],
    refused={"x": _AT_RANDOM},
    effect=True,
)
def generator_permutation(rng: Drawing, x):
    y = rng.permutation(x)


@rule(
    also=[np.random.RandomState.normal],
    linear=["scale"],
    effect=True,
    fact=normal_fact,
    zero=["rng"],
)
def generator_normal(rng: Drawing, loc=0.0, scale=1.0, size=None, *, dy):
    """`loc + scale * draw`: the draw is kept."""
    y = rng.normal(loc, scale, size)
    dloc = unbroadcast(dy, loc)
    dscale = unbroadcast(dy * (y - loc) / scale, scale)


@rule(
    also=[np.random.RandomState.uniform], effect=True, fact=uniform_fact, zero=["rng"]
)
def generator_uniform(rng: Drawing, low=0.0, high=1.0, size=None, *, dy):
    """`low + (high - low) * draw`: the draw is kept."""
    y = rng.uniform(low, high, size)
    dlow = unbroadcast(dy * (high - y) / (high - low), low)
    dhigh = unbroadcast(dy * (y - low) / (high - low), high)


@rule(linear=["mean"], zero=["rng", "tol"], refused={"cov": _FACTOR}, effect=True)
def generator_multivariate_normal(
    rng: np.random.Generator,
    mean,
    cov,
    size=None,
    check_valid="warn",
    tol=1e-8,
    *,
    method="svd",
    dy,
):
    """`mean + draw`: the draw is kept."""
    y = rng.multivariate_normal(mean, cov, size, check_valid, tol, method=method)
    dmean = unbroadcast(dy, mean)


# ---------------------------------------------------------------- older generators


@rule(zero=["seed"], effect=True, fact=random_state_fact)
def random_state(seed=None):
    y = np.random.RandomState(seed)


@rule(zero=["rng", "shape"], effect=True, fact=random_of)
def state_rand(rng: np.random.RandomState, *shape):
    y = rng.rand(*shape)


@rule(zero=["rng", "shape"], effect=True, fact=random_of)
def state_randn(rng: np.random.RandomState, *shape):
    y = rng.randn(*shape)


@rule(zero=["rng"], effect=True, fact=random_fact)
def state_random_sample(rng: np.random.RandomState, size=None):
    y = rng.random_sample(size)


@rule(zero=["rng", "low", "high"], effect=True)
def state_randint(rng: np.random.RandomState, low, high=None, size=None, dtype=int):
    y = rng.randint(low, high, size, dtype)


@rule(linear=["mean"], zero=["rng", "tol"], refused={"cov": _FACTOR}, effect=True)
def state_multivariate_normal(
    rng: np.random.RandomState,
    mean,
    cov,
    size=None,
    check_valid="warn",
    tol=1e-8,
    *,
    dy,
):
    """`mean + draw`: the draw is kept."""
    y = rng.multivariate_normal(mean, cov, size, check_valid, tol)
    dmean = unbroadcast(dy, mean)


# ---------------------------------------------------------------- of the module


@rule(effect=True, fact=normal_fact)
def normal(loc=0.0, scale=1.0, size=None, *, dy):
    """`loc + scale * draw`: the draw is kept."""
    y = np.random.normal(loc, scale, size)
    dloc = unbroadcast(dy, loc)
    dscale = unbroadcast(dy * (y - loc) / scale, scale)


@rule(effect=True, fact=uniform_fact)
def uniform(low=0.0, high=1.0, size=None, *, dy):
    """`low + (high - low) * draw`: the draw is kept."""
    y = np.random.uniform(low, high, size)
    dlow = unbroadcast(dy * (high - y) / (high - low), low)
    dhigh = unbroadcast(dy * (y - low) / (high - low), high)


@rule(
    linear=["mean"],
    zero=["tol"],
    refused={"cov": _FACTOR},
    effect=True,
)
def multivariate_normal(mean, cov, size=None, check_valid="warn", tol=1e-8, *, dy):
    """`mean + draw`: the draw is kept."""
    y = np.random.multivariate_normal(mean, cov, size, check_valid, tol)
    dmean = unbroadcast(dy, mean)
