"""Names that a loop reads before it assigns them, and names that may have no value."""

import math

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

X = np.array([0.7, 1.3, 2.1])


@pytest.fixture(autouse=True, params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


def product(x: float, n: int):
    for k in range(n):
        if k > 0:
            x = x * y
        y = math.sin(x)
    return x


def of_a_tuple(x: float, n: int):
    for k in range(n):
        if k > 0:
            x = x * t[0] + t[1]
        t = (x * 0.5, math.sin(x))
    return x


def written_later(x: np.ndarray, n: int):
    for k in range(n):
        if k > 0:
            x = x * y[::-1]
            y[0] = x[1]
        else:
            y = np.sin(x)
    return np.sum(x)


def of_a_dict(x: float, n: int):
    for k in range(n):
        if k > 0:
            x = x * d["a"]
        d = {"a": math.sin(x), "b": x}
    return x * d["b"]


def in_an_inner_loop(x: float, n: int):
    for k in range(n):
        for j in range(2):
            if k > 0:
                x = x + w * j
        w = x * 0.1
    return x


def by_a_function(x: float, n: int):
    def before():
        return y * 0.5

    for k in range(n):
        if k > 0:
            x = x * before()
        y = math.sin(x)
    return x


def in_a_test(x: float, n: int):
    first = True
    while first or y > n * 1e-3:
        y = abs(x) * 0.3
        x = x * 0.2
        first = False
    return x * y


def last(x: float, n: int):
    for k in range(n):
        if k > 0:
            x = x * y
        y = math.sin(x)
    return y


@pytest.mark.parametrize(
    ("fn", "x"),
    [
        (product, 0.7),
        (of_a_tuple, 0.7),
        (written_later, X),
        (of_a_dict, 0.7),
        (in_an_inner_loop, 0.7),
        (by_a_function, 0.7),
        (in_a_test, 0.7),
        (last, 0.7),
    ],
)
def test_what_the_iteration_before_has_assigned(fn, x):
    df = ya.simplegrad(fn)  # one text for all counts
    for n in (1, 2, 4):
        value, dx = df(x, n)
        assert value == fn(x, n)
        steps = np.eye(3) * 1e-6 if fn is written_later else [1e-6]
        expected = [(fn(x + h, n) - fn(x - h, n)) / 2e-6 for h in steps]
        np.testing.assert_allclose(np.ravel(dx), expected, rtol=1e-6, atol=1e-9)


def too_early(x: float, n: int):
    for _ in range(n):
        x = x * y
        y = x
    return x


def returned(x: float, n: int):
    for k in range(n):
        y = x * k
    return y


def in_one_arm(x: float, n: int):
    for k in range(n):
        if x > 3 + k:
            y = x * 2
    return y


@pytest.mark.parametrize(("fn", "n"), [(returned, 0), (in_one_arm, 3), (last, 0)])
def test_python_raises_and_so_does_the_text(fn, n):
    for f in (fn, ya.simplegrad(fn)):
        with pytest.raises(UnboundLocalError, match="cannot access local variable 'y'"):
            f(0.7, n)


def test_what_no_iteration_assigns_is_refused():
    with pytest.raises(UnsupportedSyntax, match="`y` is read before a value"):
        ya.simplegrad(too_early)


def test_what_no_iteration_hands_on_is_refused():
    def never(x: float, n: int):
        for k in range(n):
            if k > 0:
                x = x * y
            if x > 100:
                y = x
                return x
        return x

    with pytest.raises(UnsupportedSyntax, match="`y` is read before a value"):
        ya.simplegrad(never)
