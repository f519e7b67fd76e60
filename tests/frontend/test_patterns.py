"""match statements with patterns of sequences, mappings and builtin classes."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from .checking import check


class Step(NamedTuple):
    kind: str
    size: Any


def first_and_rest(b, c):
    match [b, c, b * c, 2.0]:
        case [x, *rest]:
            return x * sum(rest) * len(rest)


def around_the_middle(b, c):
    match (b, c, b * c):
        case (x, y):
            return x
        case (x, *_, y, z, w):
            return y
        case (x, *middle, y):
            return x * y * middle[0]


def nothing_in_between(b, c):
    match (b, c):
        case (x, *middle, y):
            return x * x * y if not middle else c


def shortest(b, c):
    match [b]:
        case [x, *_, y]:
            return x
        case [*_, x] if c > 1.0:
            return x * c
    return 0.0


def by_key(b, c):
    match {"rate": b, "steps": [c, b], "kind": "log"}:
        case {"kind": "exp", "rate": x}:
            return x
        case {"missing": x}:
            return x
        case {"kind": "log", "steps": [x, y], "rate": z}:
            return x * y + z * z


def empty_mapping(b, c):
    match {"a": b}:
        case {"b": _}:
            return b
        case {}:
            return b * c


def of_a_builtin_class(b, c):
    total = 0.0
    for item in (b, 3, "half", (c, b)):
        match item:
            case float(x) if x < 0.0:
                total += x
            case float(x):
                total += x * c
            case int(n):
                total += n * b
            case str("half"):
                total += 0.5 * c * c
            case tuple((x, y)):
                total += x * y
    return total


def a_named_tuple(b, c):
    match Step("up", b * c):
        case ("down", size):
            return -size
        case Step(kind="up", size=size):
            return size * b


def an_iterator(b, c):
    match iter([b, c]):
        case [x, _]:
            return x
        case _:
            return b * c


@pytest.mark.parametrize(
    "fn",
    [
        an_iterator,
        first_and_rest,
        around_the_middle,
        nothing_in_between,
        shortest,
        by_key,
        empty_mapping,
        of_a_builtin_class,
        a_named_tuple,
    ],
)
def test_what_fits_is_taken_apart(fn):
    check(fn, 0.9, 2.0)


def kinds_of_argument(x):
    match x:
        case [a, b]:
            return a * b
        case {"a": a}:
            return a * a
        case float() | int():
            return x * 3.0
        case np.ndarray():
            return np.sum(x * x)


@pytest.mark.parametrize("x", [0.5, [2.0, 3.0], {"a": 3.0}, np.array([1.0, 2.0])])
def test_numbers_and_arrays_are_no_sequences(x):
    check(kinds_of_argument, x)
