"""Functions written in C, as NumPy's are, given as arguments: which one it is decides
what is computed, and so does whether it can be called."""

import functools
import operator
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.5, 1.0, 2.5])


@pytest.fixture(autouse=True, params=["none", "all"])
def _passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


def about(x, center=np.median):
    if callable(center):
        return np.sum((x - center(x)) ** 3)
    return np.sum((x - center) ** 3)


def by_item(x, how=(np.median, 2.0)):
    if callable(how[0]):
        return how[0](x) * how[1]
    return np.sum(x)


def by_class(x, f=np.linalg.norm):
    if isinstance(f, float):
        return f * np.sum(x)
    return f(x)


class Summary:
    def __init__(self, function):
        self.function = function
        self.weight = 3.0


class Callable:
    weight = 2.0

    def __call__(self, x):
        return self.weight * np.sum(x * x)


class OfNoFunction:
    weight = 5.0


def by_field(x, summary):
    if callable(summary.function):
        return summary.function(x) * summary.weight
    return np.sum(x)


def of_what_may_be_called(x, f):
    return f(x) if callable(f) else np.sum(x) * f.weight


@functools.lru_cache
def with_a_cache(k):
    return k * k


def by_cached(x, f=with_a_cache):
    return f(2.0) * np.sum(x) if callable(f) else np.sum(x)


CALLS = [
    (about, ()), (about, (np.mean,)), (about, (np.max,)), (about, (1.5,)),
    (by_item, ()), (by_item, ((np.mean, 2.0),)), (by_class, ()), (by_class, (np.sum,)),
    (by_class, (0.5,)), (by_field, (Summary(np.median),)),
    (by_field, (Summary(np.mean),)), (by_cached, ()),
    (of_what_may_be_called, (Callable(),)), (of_what_may_be_called, (OfNoFunction(),)),
    (of_what_may_be_called, (np.linalg.norm,)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "more"), CALLS)
def test_the_value_is_that_of_the_function_given(f, more):
    assert ya.grad(f, X, *more)[0] == f(X, *more)
    assert ya.gradcheck(f, X, *more)


def test_each_function_in_a_field_has_a_text_of_its_own():
    def applied(x, summary):
        return np.sum(summary.function(x)) * summary.weight

    squares, triples = (np.vectorize(f) for f in (lambda t: t * t, lambda t: 3 * t))
    for function in (np.mean, np.median, np.mean, np.prod, squares, triples):
        summary = Summary(function)
        assert ya.grad(applied, X, summary)[0] == applied(X, summary)


def test_the_text_is_made_for_the_function():
    df = ya.simplegrad(by_class, X, np.linalg.norm)
    assert df(X, np.linalg.norm)[0] == by_class(X)
    with pytest.raises(ValueError, match="made for f = norm"):
        df(X, np.sum)


def by_reference(x, summary):
    return np.sum(x) * summary.function().weight


def test_a_weak_reference_is_no_function():
    summary = Summary(weakref.ref(OfNoFunction))
    with pytest.raises(ya.UnsupportedCall, match=r"summary\.function"):
        ya.grad(by_reference, X, summary)


def by_getter(x, f=operator.itemgetter(0)):
    return f(x)


def test_a_function_without_a_rule_is_refused():
    with pytest.raises(ya.NoRule, match="itemgetter"):
        ya.grad(by_getter, X)


def test_vectorize_of_an_array_of_which_nothing_is_known():
    """Without facts it holds floats, and so do the results."""

    def doubled(m):
        return np.sum(np.vectorize(lambda a: a * a if a > 2 else a)(m.x))

    m = SimpleNamespace(x=np.array([[1.0, 3.0], [4.0, 0.5]]))
    value, dm = ya.simplegrad(doubled)(m)
    assert value == 26.5
    assert np.array_equal(dm["x",], [[1.0, 6.0], [8.0, 1.0]])
