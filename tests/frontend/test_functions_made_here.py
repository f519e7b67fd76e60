"""Functions that a branch, a name or the function itself has made, and what is done
with them; loops over what runs over others."""

import inspect
import logging

import numpy as np
import pytest

import yota_ast as ya
from tests.frontend import functions_made_here as cases
from yota_ast.errors import UnsupportedCall, YotaError

X = np.array([0.7, 1.3, 2.1])
HELPERS = {"square", "cube", "at_least", "accepted", "takes_cube", "takes_weight"}
FUNCTIONS = [
    f
    for name, f in vars(cases).items()
    if inspect.isfunction(f) and f.__module__ == cases.__name__ and name not in HELPERS
]


def differences(f, x):
    steps = np.eye(x.size) * 1e-6
    return np.array([(f(x + h) - f(x - h)) / 2e-6 for h in steps])


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_value_and_gradient(f):
    before = X.copy()
    value, g = ya.grad(f, X)
    assert value == f(X)
    assert np.array_equal(X, before)
    got = np.ravel(g[0])  # of *args a tuple
    np.testing.assert_allclose(got, differences(f, X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", [cases.by_name, cases.by_attribute])
def test_the_text_serves_one_name(f):
    df = ya.simplegrad(f, X)
    assert df(X)[0] == f(X)
    with pytest.raises(ValueError, match="made for"):
        df(X, "square")


@pytest.mark.parametrize("kind", ["square", "cube"])
def test_grad_makes_a_text_for_each_name(kind):
    value, g = ya.grad(cases.by_name, X, kind)
    assert value == cases.by_name(X, kind)
    np.testing.assert_allclose(
        g[0], differences(lambda x: cases.by_name(x, kind), X), rtol=1e-6
    )


def test_the_text_serves_one_value_of_a_global(monkeypatch):
    df = ya.simplegrad(cases.by_global, X)
    assert df(X)[0] == cases.by_global(X)
    monkeypatch.setattr(cases, "MODE", "Cube")
    value, g = ya.grad(cases.by_global, X)
    assert value == cases.by_global(X)
    np.testing.assert_allclose(g[0], 3 * X**2)


def test_the_tape_plays_for_the_name_it_was_made_for():
    _, tape = ya.trace(cases.by_name, X, "cube")
    assert ya.play(tape, X, "cube") == cases.by_name(X, "cube")
    with pytest.raises(ValueError, match="made for kind = 'cube'"):
        ya.play(tape, X, "square")


def test_the_text_serves_one_length():
    df = ya.simplegrad(cases.starred, X)
    assert df(X)[0] == cases.starred(X)
    with pytest.raises(ValueError, match=r"made for x.shape\[0\] = 3"):
        df(np.ones(4))
    x = np.arange(1.0, 5.0)
    assert ya.grad(cases.starred, x)[0] == cases.starred(x)


def test_a_branch_is_not_repeated_where_nothing_is_called():
    source = ya.simplegrad(cases.by_branch, X).source
    assert source.count("x[0] > 0") == 2  # once forward, once backward


def test_lengths_that_differ_raise_as_zip_does():
    def f(x):
        return sum(a * b for a, b in zip(x, x[2:], strict=True))

    with pytest.raises(ValueError, match="zip"):
        f(X)
    with pytest.raises(ValueError, match="zip"):
        ya.grad(f, X)


def test_logging_happens_once(caplog):
    with caplog.at_level(logging.INFO):
        ya.grad(cases.logged, X)
    assert len(caplog.records) == 2


def whole_first(x):
    return np.sum(np.vectorize(lambda v: 0 if v > 1 else v)(x))


def unknown_axis(x):
    return np.sum(np.apply_along_axis(np.cumsum, int(x[0]), np.outer(x, x)))


def same_iterator(x):
    items = iter([x[0], x[1]])
    return sum(a * b for a, b in zip(items, items))


@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (whole_first, "something other than floats"),
        (unknown_axis, "literal axis"),
        (same_iterator, "two places take items"),
    ],
)
def test_refused(f, reason):
    with pytest.raises(UnsupportedCall, match=reason):
        ya.grad(f, X)


def nothing_to_call(x):
    f = None
    if x[0] > 5:
        f = np.sin
    return np.sum(f(x))


def test_none_cannot_be_called():
    with pytest.raises(TypeError, match="not callable"):
        nothing_to_call(X)
    with pytest.raises(TypeError, match="not callable"):
        ya.grad(nothing_to_call, X)


def test_without_arguments_nothing_is_taken_for_granted():
    with pytest.raises(YotaError):
        ya.simplegrad(cases.starred)
