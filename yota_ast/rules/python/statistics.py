"""The functions of `statistics`, of lists, tuples and arrays of numbers."""

from __future__ import annotations

import statistics

import numpy as np

from yota_ast.rules.inference.containers import as_items
from yota_ast.rules.inference.shapes import python_float
from yota_ast.rules.notation.rule import rule
from yota_ast.runtime import deviations


@rule(linear=["x"], sequences=["x"], fact=as_items)
def mean(x: list | tuple, *, dy):
    y = statistics.mean(x)
    dx = [dy / len(x)] * len(x)


@rule(linear=["x"], fact=as_items)
def mean_of_vector(x: np.ndarray, *, dy):
    y = statistics.mean(x)
    dx = np.full(np.shape(x), dy / len(x))


@rule(linear=["x"], sequences=["x"], only={"weights": (None,)}, fact=python_float)
def fmean(x: list | tuple, weights=None, *, dy):
    y = statistics.fmean(x, weights)
    dx = [dy / len(x)] * len(x)


@rule(linear=["x"], only={"weights": (None,)}, fact=python_float)
def fmean_of_vector(x: np.ndarray, weights=None, *, dy):
    y = statistics.fmean(x, weights)
    dx = np.full(np.shape(x), dy / len(x), np.result_type(x, 0.0))


@rule(sequences=["x"], only={"xbar": (None,)}, fact=as_items)
def variance(x: list | tuple, xbar=None, *, dy):
    y = statistics.variance(x, xbar)
    dx = deviations(2 * dy / (len(x) - 1), x)


@rule(only={"xbar": (None,)}, fact=as_items)
def variance_of_vector(x: np.ndarray, xbar=None, *, dy):
    y = statistics.variance(x, xbar)
    dx = np.array(deviations(2 * dy / (len(x) - 1), x))


@rule(sequences=["x"], only={"mu": (None,)}, fact=as_items)
def pvariance(x: list | tuple, mu=None, *, dy):
    y = statistics.pvariance(x, mu)
    dx = deviations(2 * dy / len(x), x)


@rule(only={"mu": (None,)}, fact=as_items)
def pvariance_of_vector(x: np.ndarray, mu=None, *, dy):
    y = statistics.pvariance(x, mu)
    dx = np.array(deviations(2 * dy / len(x), x))


@rule(
    sequences=["x"],
    only={"xbar": (None,)},
    fact=python_float,
    root="y",
    seminorm=True,
    square=statistics.variance,
)
def stdev(x: list | tuple, xbar=None, *, dy):
    """0 of numbers that are all alike, where there is no slope."""
    y = statistics.stdev(x, xbar)
    dx = deviations(dy / ((len(x) - 1) * (y + (y == 0))), x)


@rule(
    only={"xbar": (None,)},
    fact=python_float,
    root="y",
    seminorm=True,
    square=statistics.variance,
)
def stdev_of_vector(x: np.ndarray, xbar=None, *, dy):
    """0 of numbers that are all alike, where there is no slope."""
    y = statistics.stdev(x, xbar)
    dx = np.array(deviations(dy / ((len(x) - 1) * (y + (y == 0))), x))


@rule(
    sequences=["x"],
    only={"mu": (None,)},
    fact=python_float,
    root="y",
    seminorm=True,
    square=statistics.pvariance,
)
def pstdev(x: list | tuple, mu=None, *, dy):
    """0 of numbers that are all alike, where there is no slope."""
    y = statistics.pstdev(x, mu)
    dx = deviations(dy / (len(x) * (y + (y == 0))), x)


@rule(
    only={"mu": (None,)},
    fact=python_float,
    root="y",
    seminorm=True,
    square=statistics.pvariance,
)
def pstdev_of_vector(x: np.ndarray, mu=None, *, dy):
    """0 of numbers that are all alike, where there is no slope."""
    y = statistics.pstdev(x, mu)
    dx = np.array(deviations(dy / (len(x) * (y + (y == 0))), x))
