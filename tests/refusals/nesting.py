"""Transforms inside a differentiated function that are refused."""

from functools import partial

import numpy as np

import yota_ast as ya

from .cases import refused as _refused

refused = partial(_refused, chapter="Gradients within gradients")
X = np.array([1.0, 2.0, 3.0])


def held(p):
    return np.sum(p["w"] ** 2)


def coupled(x, y):
    return np.sum(x * y**2)


@refused("The second slopes in several arguments are several arrays.", X)
def takes_the_hessian_in_two_arguments(x):
    return np.sum(ya.hessian(coupled, wrt=["x", "y"])(x, x))


@refused("The Jacobian in a container would be a container of Jacobians.", X)
def takes_the_jacobian_in_a_dict(x):
    return np.sum(ya.jacobian(held)({"w": x}))


@refused("Only an argument that the call gives has a derivative in it.", X)
def takes_the_gradient_in_no_argument(x):
    return np.sum(ya.value_and_grad(coupled, wrt="z")(x, x)[1])


@refused("The transforms have these options alone where they are called inside.", X)
def takes_a_gradient_with_an_option(x):
    return np.sum(ya.value_and_grad(coupled, argnums=1)(x, x)[1])


@refused("A tangent belongs to each argument.", X)
def takes_a_tangent_with_too_few(x):
    return ya.jvp(coupled)(x, x, x)[1]


@refused("Python refuses this call, too.", X)
def takes_a_gradient_that_is_given_an_argument_twice(x):
    return np.sum(ya.value_and_grad(coupled)(x, x=x)[1])


@refused("Python refuses this call, too.", X)
def takes_a_gradient_of_nothing(x):
    return np.sum(ya.grad()[1][0] * x)


@refused("The code of the gradient is made apart from what is around the function.", X)
def takes_the_gradient_of_a_function_that_counts(x):
    calls = [0]

    def counted(y):
        calls[0] += 1
        return np.sum(y * y)

    return np.sum(ya.value_and_grad(counted)(x)[1]) * calls[0]


@refused("The pullback calls the function again.", X)
def takes_the_pullback_of_a_function_that_prints(x):
    def told(y):
        print("called")
        return np.sum(y * y)

    _, pull = ya.vjp(told)(x)
    return np.sum(pull(1.0))


@refused("The pullback calls the function again.", X)
def takes_the_pullback_of_a_function_that_writes(x):
    def doubled(y):
        y *= 2
        return np.sum(y * y)

    _, pull = ya.vjp(doubled)(x * 1.0)
    return np.sum(pull(1.0))
