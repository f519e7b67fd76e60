"""Contexts that are written in Python, and generators."""

import contextlib
import sys

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

X = np.array([0.7, 1.3, 2.1])


class Doubling:
    """A context whose value is what it is given, doubled."""

    def __init__(self, value):
        self.value = value

    def __enter__(self):
        return self.value * 2

    def __exit__(self, *error):
        return False


class Swallowing(Doubling):
    def __exit__(self, kind, *error):
        return kind is not None


@contextlib.contextmanager
def tripling(value):
    made = value * 3
    try:
        yield made
    finally:
        del made


@contextlib.contextmanager
def quiet():
    with np.errstate(all="ignore"):
        yield


MODE = "linear"


@contextlib.contextmanager
def mode(name):
    global MODE
    before = MODE
    MODE = name
    try:
        yield
    finally:
        MODE = before


def by_mode(x):
    return x * x if MODE == "square" else x


def in_class(x):
    with Doubling(x) as y:
        z = y * y
    return np.sum(z)


def in_function(x):
    with tripling(x) as y, quiet():
        z = y * y
    return np.sum(z)


def returning(x):
    with tripling(x) as y:
        if np.sum(y) > 0:
            return np.sum(y * y)
    return np.sum(x)


def in_mode(x):
    with mode("square"):
        y = by_mode(x)
    return np.sum(y) + np.sum(by_mode(x))


def in_loop(x):
    total = 0.0
    for k in range(3):
        with Doubling(x) as y:
            total = total + np.sum(y**2) * k
    return total


def swallowing(x):
    with Swallowing(x) as y:
        z = y * y
    return np.sum(z)


def leaves_mode(x):
    global MODE
    MODE = "square"
    return np.sum(x)


def one_arm(x):
    global MODE
    if x[0] > 0:
        MODE = "square"
    return np.sum(by_mode(x))


@contextlib.contextmanager
def maybe(x):
    if x[0] > 0:
        yield x


def yields_in_one_arm(x):
    with maybe(x) as y:
        z = y * y
    return np.sum(z)


def pairs(x):
    for k in range(len(x) - 1):
        yield x[k] * x[k + 1]


def three(x):
    yield x[0]
    yield from (x[1], x[2])


def sum_of_pairs(x):
    return sum(pairs(x))


def loop_over_pairs(x):
    total = 0.0
    for k, p in enumerate(three(x)):
        total += (k + 1) * p**2
    return total


def listed(x):
    a, b, c = list(three(x))
    return a * b * c


def left_early(x):
    total = 0.0
    for p in pairs(x):
        total += p
        if total > 1.0:
            break
    return total


def changes_what_is_read(x):
    y = x * 1.0
    total = 0.0
    for p in three(y):
        total += p
        y[:] = 2.0 * y
    return total


@pytest.mark.parametrize(
    "f",
    [in_class, in_function, returning, in_mode, in_loop, sum_of_pairs,
     loop_over_pairs, listed],
)  # fmt: skip
def test_right(f):
    before = X.copy()
    value, g = ya.grad(f, X)
    assert value == f(X)
    assert MODE == "linear"
    assert np.array_equal(X, before)
    steps = np.eye(3) * 1e-6
    expected = [(f(X + h) - f(X - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(g[0], expected, rtol=1e-7)


@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (swallowing, "may keep an error from passing"),
        (leaves_mode, "the global `MODE` is written"),
        (one_arm, "the global `MODE` is written"),
        (yields_in_one_arm, "yields more than once, or may not yield"),
        (left_early, "left before its end"),
        (changes_what_is_read, "changes what the generator may read"),
    ],
)
def test_refused(f, reason):
    with pytest.raises(UnsupportedSyntax, match=reason):
        ya.grad(f, X)


def test_a_global_that_is_put_back_is_not_in_the_text():
    assert "MODE" not in ya.simplegrad(in_mode_only, X).source


def in_mode_only(x):
    with mode("square"):
        y = by_mode(x)
    return np.sum(y)


def test_the_value_of_the_global_is_looked_up_anew(monkeypatch):
    assert ya.grad(in_mode, X)[0] == in_mode(X)
    monkeypatch.setattr(sys.modules[__name__], "MODE", "square")
    value, g = ya.grad(in_mode, X)
    assert value == in_mode(X)
    np.testing.assert_allclose(g[0], 4 * X)
