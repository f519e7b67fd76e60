# ruff: noqa: E501
"""Transforms inside a differentiated function that are refused."""

from functools import partial

import numpy as np

import yota_ast as ya

from .cases import refused as _refused

refused = partial(_refused, chapter="Gradients within gradients")
X = np.array([1.0, 2.0, 3.0])


def energy(x):
    return np.sum(x**3)


@refused("Its result is an object that the text of a gradient has no words for.", X)
def takes_a_gradient(x):
    _, g = ya.grad(energy, x)
    return np.sum(g[0])


@refused(
    "A function that is made inside has no text of its own that could be differentiated first.",
    X,
)
def takes_the_slope_of_a_lambda(x):
    _, slope = ya.value_and_grad(lambda y: np.sum(y * y))(x)
    return np.sum(slope)
