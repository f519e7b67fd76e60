"""match statements with patterns of sequences, mappings and builtin classes."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.frontend.desugar import match_statements

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


def the_other_keys(b, c):
    kept = {"kind": "scale", "by": b, "more": c, "last": 2.0}
    match kept:
        case {"kind": "shift", **rest}:
            return sum(rest.values())
        case {"kind": "scale", "by": s, **rest}:
            rest["more"] = rest["more"] * s
            return sum(rest.values()) * len(rest) + kept["more"]
        case _:
            return b


def no_other_keys(b, c):
    match {"x": b, "y": c}:
        case {"x": u, "y": v, **rest} if not rest:
            return u * v * v
        case {**every}:
            return sum(every.values())


def in_a_loop(b, c):
    t = 0.0
    for step in ({"op": "add", "v": b}, {"op": "mul", "v": c, "w": 2.0}):
        match step:
            case {"op": "add", **kw}:
                t = t + kw["v"]
            case {"op": "mul", **kw}:
                t = t * kw["v"] * kw.get("w", 1.0)
    return t


@pytest.mark.parametrize(
    "fn",
    [
        the_other_keys,
        no_other_keys,
        in_a_loop,
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


@pytest.mark.parametrize("x", [0.5, [2.0, 3.0], {"a": 3.0}, np.float64(2.0)])
def test_numbers_are_no_sequences(x):
    check(kinds_of_argument, x)


@pytest.mark.parametrize("sequences", [False, True])
def test_arrays_are_sequences_from_numpy_2_5_on(sequences, monkeypatch):
    x = np.array([1.0, 2.0])
    if match_statements.ARRAYS_ARE_SEQUENCES:
        assert kinds_of_argument(x) == 2.0
    else:
        check(kinds_of_argument, x)
    monkeypatch.setattr(match_statements, "ARRAYS_ARE_SEQUENCES", sequences)
    if not sequences:
        assert "np.sum(x * x)" in ya.simplegrad(kinds_of_argument, x).source
        return
    with pytest.raises(ya.UnsupportedSyntax, match="needs a tuple or list of known"):
        ya.simplegrad(kinds_of_argument, x)
