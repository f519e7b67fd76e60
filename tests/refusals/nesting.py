"""Transforms inside a differentiated function that are refused."""

from functools import partial

import numpy as np

import yota_ast as ya

from .cases import PYTHON_RAISES
from .cases import refused as _refused
from .groups import NEST

refused = partial(_refused, group=NEST)
X = np.array([1.0, 2.0, 3.0])
WEIGHTS = [0.5, 2.0]


def held(p):
    return np.sum(p["w"] ** 2)


def coupled(x, y):
    return np.sum(x * y**2)


@refused("The second derivatives in several arguments are several arrays.", X)
def takes_the_hessian_in_two_arguments(x):
    return np.sum(ya.hessian(coupled, wrt=["x", "y"])(x, x))


def turned(x):
    return np.sin(x) * (1 + 2j)


@refused("The matrix of it would hold real numbers alone.", X)
def takes_the_jacobian_of_complex_numbers(x):
    return np.sum(np.abs(ya.jacobian(turned)(x)) ** 2)


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


@refused(PYTHON_RAISES, X)
def takes_a_gradient_that_is_given_an_argument_twice(x):
    return np.sum(ya.value_and_grad(coupled)(x, x=x)[1])


@refused(PYTHON_RAISES, X)
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


def thrice(x, a, n=2):
    return np.sum(x**3 * a) * n


def bent(x, a):
    return np.sin(x) * a**2


@refused("An inner transform takes no option that changes the generated code.", X)
def takes_a_fast_gradient(x):
    return np.sum(ya.simplegrad(coupled, fast=True)(x, x)[1])


@refused(
    "At the top level a parameter with an integer default has no gradient: "
    "the results would differ.",
    X,
)
def takes_gradients_of_what_is_not_named(x):
    return np.sum(ya.simplegrad(thrice)(x, x, x[0])[1])


@refused("The pullback is that of the arrays as they were.", X)
def pulls_back_through_what_was_written(x):
    y = x * 1.0
    _, pull = ya.vjp(bent)(y, x)
    y[0] = 2.0
    return np.sum(pull(x))


@refused("The pullback takes a cotangent, and no more.", X)
def pulls_back_two_cotangents(x):
    _, pull = ya.vjp(bent)(x, x)
    return np.sum(pull(x, x))


@refused("A cotangent has the shape of the value.", X)
def pulls_back_an_array_through_a_number(x):
    _, pull = ya.vjp(coupled)(x, x)
    return np.sum(pull(x))


@refused("An array has many derivatives: the seed says which.", X)
def takes_the_gradient_of_an_array(x):
    return np.sum(ya.value_and_grad(bent)(x, x)[1])


@refused("The product is that of the Hessian and a direction.", X)
def takes_a_product_without_a_direction(x):
    return np.sum(ya.hvp(coupled)(x))


@refused("The code of the gradient gets other containers than the function changes.", X)
def takes_the_gradient_of_what_appends(x):
    def appended(items):
        items.append(x)
        return np.sum(items[0] * items[1])

    items = [x * 2.0]
    return np.sum(ya.value_and_grad(appended)(items)[1][0]) * len(items)


@refused("An integer does not vary.", X)
def takes_a_tangent_along_a_whole_number(x):
    return ya.jvp(thrice)(x, x, 3, x, x, 1.0)[1]


@refused("A tangent has the shape of its argument.", X)
def takes_a_tangent_of_another_shape(x):
    return ya.jvp(coupled)(x, x, 1.0, None)[1]


@refused("A tangent of a container has its items.", X)
def takes_a_tangent_with_an_item_too_few(x):
    return ya.jvp(lambda items: np.sum(items[0] * items[1]))([x, x], [x])[1]


@refused("`seed` may mean the parameter or the cotangent.", X)
def takes_a_gradient_with_an_option_that_is_a_parameter(x):
    def weighted(x, seed):
        return np.sum(x**2 * seed)

    return np.sum(ya.grad(weighted, x, seed=x)[1][0])


@refused("Generated code has no name for a method of an array.", X)
def takes_the_gradient_of_a_method_of_an_array(x):
    return np.sum(ya.value_and_grad(x.dot)(x)[1])


@refused("Each argument has one gradient.", X)
def takes_the_gradient_in_one_argument_twice(x):
    return np.sum(ya.value_and_grad(coupled, wrt=["x", 0])(x, x)[1][0])


@refused("The partial has no place for what it is given.", X)
def takes_the_gradient_of_a_partial_of_too_many(x):
    return np.sum(ya.value_and_grad(partial(coupled, x, x, x))()[1])


@refused(
    "Generated code has no name for the floats in a default, or in a list of a module.",
    X,
)
def takes_the_gradient_in_a_default_that_is_a_list(x):
    def weighted(x, weights=WEIGHTS):
        return np.sum(x**2) * weights[0] * weights[1]

    return ya.value_and_grad(weighted, wrt="weights")(x)[1][0] * x[0]


@refused("The number of zeros for None is unknown.", X)
def takes_a_tangent_of_none_for_a_list(x):
    def cubes(p):
        return sum(v**3 for v in p[0]) * np.sum(p[1])

    return ya.jvp(cubes)([[v * 2.0 for v in x], x], [None, x])[1]


@refused("A number has a number for its tangent.", X, known=False)
def takes_a_tangent_that_may_be_an_array(x):
    return ya.jvp(lambda t: t**3)(float(np.sum(x)), x)[1]


@refused("A write into one array of the list may change another.", X)
def takes_a_tangent_that_is_a_list_of_any_length(x):
    return np.sum(ya.jvp(lambda y: [y for _ in range(len(x))])(x, x)[1][0])


@refused("With has_aux the function returns two items: the value, and the rest.", X)
def takes_what_stands_beside_a_number(x):
    return np.sum(ya.value_and_grad(coupled, has_aux=True)(x, x)[1])


@refused("The first of the two items is the number that is differentiated.", X)
def takes_what_stands_beside_an_array(x):
    def beside(x, a):
        return bent(x, a), a

    return np.sum(ya.value_and_grad(beside, has_aux=True)(x, x)[1])


@refused("The cotangent is given with the arguments.", X)
def takes_a_derivative_for_a_cotangent(x):
    return np.sum(ya.grad(bent, seed=x)(x, x))


@refused("Inside, a Jacobian is made by rows.", X)
def takes_a_jacobian_by_columns(x):
    return np.sum(ya.jacobian(bent, mode="forward")(x, x))


def sums_values_of_examples(x):
    return sum(coupled(x, v) for v in [x, 2 * x])


@refused("The examples stand in an array.", X, works=sums_values_of_examples)
def calls_a_batch_of_a_list(x):
    return np.sum(ya.vmap(lambda v: coupled(x, v))([x, 2 * x]))


@refused("The axis is counted as in `np.sum`.", X)
def calls_a_batch_along_an_axis_that_is_not_there(x):
    return np.sum(ya.vmap(coupled, in_axes=1)(x, x))


@refused("What is called a batch has an axis of examples.", X)
def calls_a_batch_without_examples(x):
    return np.sum(ya.vmap(coupled, in_axes=None)(x, x))


def sums_values_of_rows(x, A):
    return sum(coupled(x, row) for row in A)


@refused("Which axis holds the examples depends on how many there are.", known=False,
         works=sums_values_of_rows)  # fmt: skip
def calls_a_batch_of_any_rank(x, A):
    return np.sum(ya.vmap(lambda v: coupled(x, v))(A))


@refused("The option decides what is returned, so it must be the same in all calls.", X)
def takes_a_jacobian_that_may_be_stacked(x):
    return np.sum(ya.jacobian(bent, stack=x[0] > 0)(x, x))
