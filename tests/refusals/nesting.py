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


def held(p):
    return np.sum(p["w"] ** 2)


def coupled(x, y):
    return np.sum(x * y**2)


@refused("A gradient in a container would be a container of gradients by path.", X)
def takes_the_gradient_in_a_dict(x):
    _, g = ya.grad(held, {"w": x})
    return np.sum(g[0]["w"])


@refused("The second slopes in several arguments are several arrays.", X)
def takes_the_hessian_in_two_arguments(x):
    return np.sum(ya.hessian(coupled, wrt=["x", "y"])(x, x))


@refused("The Jacobians in several arguments are several arrays.", X)
def takes_the_jacobian_in_two_arguments(x):
    return np.sum(ya.jacobian(coupled, wrt=["x", "y"])(x, x))


@refused("Which argument a keyword names is left to the call itself.", X)
def takes_a_gradient_by_keyword(x):
    _, g = ya.grad(energy, x=x)
    return np.sum(g[0])


@refused(
    "A function that is made inside has no text of its own that could be differentiated first.",
    X,
)
def takes_the_slope_of_a_lambda(x):
    _, slope = ya.value_and_grad(lambda y: np.sum(y * y))(x)
    return np.sum(slope)
