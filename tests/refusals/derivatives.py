# ruff: noqa: E501, F401
"""What has no derivative that is known."""

from functools import partial
from numbers import Number

import numpy as np

import yota_ast as ya

from .cases import refused as _refused

refused = partial(_refused, chapter="Rules and derivatives")
X = np.array([1.0, 2.0, 3.0])


@refused(
    "The rule says nothing of this argument, and its derivative is not zero.", 0.5, X
)
def differentiates_an_awkward_parameter(x, v):
    from scipy.special import jv

    return jv(x, 2.0)


@refused(
    "Which rule holds depends on the type, and nothing is known of it.", known=False
)
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
    "An adjoint of another shape than the argument would be spread over it, which is a wrong gradient.",
    X,
)
def has_a_rule_of_another_shape(x):
    return total(x) * 2.0


@refused("What is a keyword of NumPy's and not of the rule would be ignored.", X)
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
    "Only items that are floats have adjoints: the part of the derivative that goes by"
    " way of the item would be missing.",
    np.array([1, 2, 3]),
    ask=lambda fn, args: ya.grad(fn, *args, wrt="x"),
)
def joins_whole_numbers(x):
    return np.sum(np.concatenate([x, 2 * x]) ** 2)


@refused("No rule follows a number into an object and back.", 2.0)
def puts_a_number_among_objects(x):
    held = np.asarray(x, dtype=object)
    return held.item() * 2.0


class Missing:
    """What stands for a number that is not there."""


MISSING = Missing()


@refused("Whether it holds a number is decided while it runs.", 2.0)
def marks_what_is_missing(x: float):
    found = MISSING if x > 3 else x * x
    return float(found) * 2


@refused("No rule follows a number into a text and back.", 2.0)
def reads_a_number_of_a_text(x):
    return float(f"{x}") * x


@refused("The fields of records are of several types, and have no adjoint.", X)
def reads_a_field_of_records(x):
    table = np.zeros(3, dtype=[("a", float), ("b", int)])
    table["a"] = x
    return np.sum(table["a"])
