# ruff: noqa: F401
"""What has no derivative that is known."""

from functools import partial
from numbers import Number

import numpy as np

import yota_ast as ya

from .cases import refused as _refused
from .groups import CONTAINERS, LIBRARIES

refused = partial(_refused, group=LIBRARIES)
X = np.array([1.0, 2.0, 3.0])


@refused(
    "The rule has no adjoint for this argument, and its derivative is not zero.", 0.5, X
)
def differentiates_an_awkward_parameter(x, v):
    from scipy.special import jv

    return jv(x, 2.0)


@refused("The type decides which rule holds, and it is unknown.", known=False)
def leaves_the_type_open(x):
    return doubled(x)


def doubled(x):
    return np.stack([x, x]) if isinstance(x, np.ndarray) else [x, x]


ya.diffrule("doubled(x: Number)", "x", "dy[0] + dy[1]")
ya.diffrule("doubled(x: np.ndarray)", "x", "np.sum(dy, axis=0)")


def total(x):
    return np.ptp(np.asarray(x))


ya.diffrule("total(x: np.ndarray)", "x", "np.sum(dy)")


@refused(
    "NumPy would broadcast an adjoint of another shape, and the gradient "
    "would be wrong.",
    X,
)
def has_a_rule_of_another_shape(x):
    return total(x) * 2.0


@refused("The rule does not know this keyword of NumPy, and would ignore it.", X)
def sets_an_unsupported_keyword(x):
    return np.sum(np.exp(x, where=x > 0))


@refused("The rule's formula is not right for complex numbers.", X)
def uses_a_real_rule(x):
    return np.abs(np.arctan2(x * 1j, 2.0)).sum()


def no_rule_of_mine(x):
    return 2.0 * x


@refused("A function that is kept as one operation needs a rule.", 2.0)
def keeps_what_has_no_rule(x):
    return no_rule_of_mine(x) * x


ya.primitive(no_rule_of_mine)


@refused(
    "Only floats in containers have adjoints: this part of the derivative "
    "would be missing.",
    np.array([1, 2, 3]),
    ask=lambda fn, args: ya.grad(fn, *args, wrt="x"),
    group=CONTAINERS,
)
def joins_whole_numbers(x):
    return np.sum(np.concatenate([x, 2 * x]) ** 2)


@refused("No rule follows a number into an object and out again.", 2.0)
def puts_a_number_among_objects(x):
    held = np.asarray(x, dtype=object)
    return held.item() * 2.0


class Missing:
    """What stands for a number that is not there."""


MISSING = Missing()


@refused("Only the run decides if it holds a number.", 2.0)
def marks_what_is_missing(x: float):
    found = MISSING if x > 3 else x * x
    return float(found) * 2


@refused("No rule follows a number into a string and out again.", 2.0)
def reads_a_number_of_a_text(x):
    return float(f"{x}") * x


HEIGHTS = {0.5: 1.5, 1.0: 2.5}


def computes_in_place_of_a_key(x):
    return (1.5 + 2.0 * (x - 0.5)) * x


@refused(
    "A dict has numbers at its keys alone: it has no slope between them.", 0.5,
    works=computes_in_place_of_a_key,
)  # fmt: skip
def looks_a_number_up(x):
    return HEIGHTS[x] * x


@refused("The fields of records are of several types, and have no adjoint.", X)
def reads_a_field_of_records(x):
    table = np.zeros(3, dtype=[("a", float), ("b", int)])
    table["a"] = x
    return np.sum(table["a"])


def clipped(d):
    return np.clip(d, -10.0, 10.0)


def replaces_the_gradient_of_an_array(x):
    layer = {"w": np.sin(x), "b": np.cos(x)}
    w = ya.replace_grad(layer["w"], clipped)
    return np.sum(w * layer["b"])


@refused("The function takes one adjoint, and a container has several.", X,
         works=replaces_the_gradient_of_an_array)  # fmt: skip
def replaces_the_gradient_of_a_dict(x):
    layer = ya.replace_grad({"w": np.sin(x), "b": np.cos(x)}, clipped)
    return np.sum(layer["w"] * layer["b"])


def replaces_a_gradient_by_an_array(x):
    y = ya.replace_grad(np.sin(x), clipped)
    return np.sum(y * y)


@refused("The adjoint would be broadcast, and the gradient would be wrong.", X,
         works=replaces_a_gradient_by_an_array)  # fmt: skip
def replaces_a_gradient_by_a_number(x):
    y = ya.replace_grad(np.sin(x), lambda d: np.mean(clipped(d)))
    return np.sum(y * y)


def replaces_a_gradient_once(x):
    y = ya.replace_grad(np.sin(x), clipped)
    return np.sum(y * y)


@refused("The function is a part of the reverse sweep, and has no adjoints.", X,
         works=replaces_a_gradient_once)  # fmt: skip
def replaces_a_gradient_within_another(x):
    y = ya.replace_grad(np.sin(x), lambda d: ya.replace_grad(d, clipped))
    return np.sum(y * y)


def draws_by_a_factor(x):
    z = np.random.RandomState(0).standard_normal((4, 2))
    return np.sum((z @ np.linalg.cholesky(x * np.eye(2)).T) ** 2)


@refused("NumPy is free to choose the factor that it multiplies its draws by.", 2.0,
         works=draws_by_a_factor)  # fmt: skip
def draws_by_a_covariance(x):
    z = np.random.RandomState(0).multivariate_normal([0.0, 0.0], x * np.eye(2), 4)
    return np.sum(z**2)


class Signal:
    def __init__(self, samples):
        self.samples = samples

    def __array__(self, dtype=None, copy=None):
        return self.samples


@refused(
    "SciPy asks the object for its numbers, which the derivative does not follow.",
    Signal(X),
    X,
)
def reads_an_object_as_a_whole(signal, x):
    from scipy import linalg

    return linalg.norm(signal) * x[0]
