"""Methods and operators of sets that are made in the function."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


def checks_names(x, names=("a", "b")):
    if not set(names).issubset({"a", "b", "c"}):
        raise ValueError(names)
    return 2 * x


def checks_keys(x):
    options = {"scale": 2.0}
    unknown = options.keys() - {"scale", "shift"}
    if unknown or not {"scale"}.issuperset(options):
        raise ValueError(unknown)
    return options["scale"] * x


def asks_whether_disjoint(x):
    return 2 * x if {1, 2}.isdisjoint([3]) and not {1, 2}.isdisjoint([2]) else x


def joins(x):
    one, other = {1, 2}, [2, 3]
    parts = one.symmetric_difference(other), one.intersection(other, [2]), one ^ {5}
    return x ** sum(len(part) for part in parts) * len(one.difference([1], [2]) | one)


def changes(x):
    one = {1, 2, 3}
    one.intersection_update([2, 3, 4])
    one.symmetric_difference_update([3, 5])
    one.difference_update([5], [7])
    left = len(one)
    one.clear()
    return x ** (left + 1) + len(one)


def takes_the_only_item(x):
    kinds = {isinstance(a, float) for a in (x, 2.0)}
    left = {1, 2}
    left.remove(1)
    try:
        set().pop()
    except KeyError:
        x = 3.0 * x
    return x ** left.pop() + len(left) if kinds.pop() else x


@pytest.mark.parametrize(
    "fn",
    [
        checks_names,
        checks_keys,
        asks_whether_disjoint,
        joins,
        changes,
        takes_the_only_item,
    ],
)
def test_sets_are_those_of_python(fn):
    check(fn, 1.5)


ERRORS = (ValueError, (TypeError, np.linalg.LinAlgError))


def catches_a_tuple_in_a_tuple(x):
    try:
        y = np.linalg.inv(x)
    except ERRORS:
        y = x
    return y.sum()


def test_what_is_caught_must_be_classes():
    line = catches_a_tuple_in_a_tuple.__code__.co_firstlineno + 3
    with pytest.raises(ya.UnsupportedSyntax) as found:
        ya.grad(catches_a_tuple_in_a_tuple, np.eye(2))
    assert str(found.value) == (
        f"{__file__}:{line}:5: the classes of the errors caught here are unknown\n"
        "    except ERRORS:\n"
        "    ^^^^^^^^^^^^^^\n"
        "Name the classes in the `except` clause."
    )
