"""The text of a helper is printed once for all functions that print the same."""

import numpy as np

import yota_ast as ya
from yota_ast.codegen.printers.helper_sources import _helper_text

X = np.linspace(0.1, 0.9, 6).reshape(3, 2)


def one(x):
    return np.sum(np.linalg.multi_dot([x, x.T, x]))


def other(x):
    return np.sum(np.linalg.multi_dot([x, x.T, x])) + np.sum(np.cos(x))


def named_alike(x, turned):
    return np.sum(np.linalg.multi_dot([x, x.T, x])) * turned


def printed(fn, *args):
    """The gradient's text, and how many helpers were printed anew for it."""
    before = _helper_text.cache_info().misses
    text = ya.simplegrad(fn, *args).source
    return text, _helper_text.cache_info().misses - before


def test_what_does_not_name_the_function_is_printed_once():
    _helper_text.cache_clear()
    text, count = printed(one, X)
    assert "def unmulti_dot(" in text
    assert count == 4
    text, count = printed(other, X)
    assert "def turned(" in text
    assert count == 2  # `unbroadcast`; `unmulti_dot` raises, by the function's name


def test_what_a_helper_raises_names_each_function():
    for fn in (one, other):
        text, _ = printed(fn, X)
        assert f'"{fn.__name__}_grad: the gradient of multi_dot' in text


def test_helpers_call_one_another_by_the_names_of_each_text():
    for fn, args in ((one, (X,)), (named_alike, (X, 2.0)), (one, (X,))):
        gradient = ya.simplegrad(fn, *args, wrt="x")
        assert ("def turned(" in gradient.source) == (fn is one)
        assert np.all(np.isfinite(gradient(*args)[1]))
