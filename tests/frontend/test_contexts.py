"""Contexts that are written in Python, and generators."""

import contextlib
import functools
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


def changes_a_view_of_what_is_read(x):
    y = x * 1.0
    part, total = y[1:], 0.0
    for p in three(y):
        total += p
        part[0] = 2.0 * p
    return total


def changes_what_is_read_from_around(x):
    y = x * 1.0

    def each():
        for k in range(3):
            yield y[k]

    total = 0.0
    for p in each():
        total += p
        y[2] = 2.0 * p
    return total


@pytest.mark.parametrize(
    "f",
    [in_class, in_function, returning, in_mode, in_loop, sum_of_pairs,
     loop_over_pairs, listed, changes_what_is_read,
     changes_a_view_of_what_is_read, changes_what_is_read_from_around,
     left_early],
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
        (swallowing, "may suppress an error"),
        (yields_in_one_arm, "yields more than once, or may not yield"),
    ],
)
def test_refused(f, reason):
    with pytest.raises(UnsupportedSyntax, match=reason):
        ya.grad(f, X)


@pytest.mark.parametrize(("f", "slope"), [(leaves_mode, 1.0), (one_arm, 2 * X)])
def test_a_mode_that_stays_is_set(f, slope, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "MODE", "linear")
    value, g = ya.grad(f, X)
    assert MODE == "square"
    assert value == f(X)
    np.testing.assert_allclose(g[0], slope * np.ones(3))


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


@np.errstate(all="ignore")
def under_settings(x):
    return np.sum(np.log(x) * x)


@tripling(2.0)
@np.errstate(divide="ignore")
def under_two(x, k=2.0):
    return np.sum(x**k)


@np.errstate(all="raise")
def raising(x):
    return np.sum(1.0 / x)


@functools.lru_cache
@np.errstate(over="ignore")
def kept_under_settings(x):
    return x * x


class Scaled:
    """An object with a method under settings."""

    def __init__(self, scale):
        self.scale = scale

    @np.errstate(invalid="ignore")
    def total(self, x):
        return np.sum(self.scale * np.sqrt(x))


def settings_in_a_loop(x):
    total = 0.0
    for q in x:
        total += under_two(q, 3.0) + kept_under_settings(q)
    return total


def settings_in_an_arm(x):
    y = x * x
    if y[0] > 0.1:
        y = y * under_settings(y)
    return np.sum(y) + Scaled(2.0).total(y)


def settings_made_inside(x):
    @np.errstate(all="ignore")
    def inner(u, scale=1.0):
        return u * u * scale

    total = 0.0
    for k in range(2):
        total += np.sum(inner(x * k, scale=3.0))
    return total


def settings_that_raise(x):
    try:
        return raising(x)
    except FloatingPointError:
        return np.sum(x * x)


@pytest.mark.parametrize("passes", ["none", "all"])
@pytest.mark.parametrize(
    "f",
    [under_settings, under_two, Scaled(3.0).total, settings_in_a_loop,
     settings_in_an_arm, settings_made_inside, settings_that_raise],
)  # fmt: skip
def test_decorated_by_a_context(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    assert ya.gradcheck(f, X)


def test_the_settings_that_decorate_are_those_of_the_text():
    assert ya.grad(settings_that_raise, 0.0 * X)[0] == 0.0
    assert 'np.errstate(all="raise")' in ya.simplegrad(settings_that_raise, X).source
    with np.errstate(all="raise"):
        assert ya.grad(under_settings, 0.0 * X + 1.0)[0] == 0.0
        assert np.isnan(ya.grad(under_settings, 0.0 * X)[0])


def set_and_put_back(x):
    old = np.seterr(all="ignore")
    y = np.log(x - x[0])
    y[x == x[0]] = x[x == x[0]]
    np.seterr(**old)
    return np.sum(y)


def test_settings_are_set_and_put_back_once():
    before, x, v = np.geterr(), np.array([1.0, 2.0, 3.0]), np.array([0.5, 1.0, -1.0])
    assert list(ya.grad(set_and_put_back, x)[1][0]) == [-0.5, 1.0, 0.5]
    assert ya.jvp(set_and_put_back)(x, v)[1] == 0.25
    assert list(ya.hvp(set_and_put_back)(x, v)) == [0.125, -0.5, 0.375]
    assert np.geterr() == before


@np.errstate(all="ignore")
def ruled(x):
    return np.add(x, x)


ya.diffrule("ruled(x)", "x", "7.0 * dy")


def test_what_has_a_rule_of_its_own_is_not_looked_into():
    assert ya.grad(lambda x: ruled(x) * 2.0, 3.0)[1][0] == 14.0
