"""Functions made by `exec` that carry their source, as those of `decorator` do."""

import functools

import numpy as np
import pytest

import yota_ast as ya

from .every_mode import check_every_mode

TEXT = """\
def {name}(x, twice=None):

    if twice is not None:
        return _inside_(2 * x)
    else:
        return _inside_(x)
"""
P, V = np.array([0.3, 1.2]), np.array([0.5, -0.4])


def made(inside, text=TEXT, source=TEXT):
    name = inside.__name__
    space = {"_inside_": inside}
    exec(compile(text.format(name=name), "<made here>", "single"), space)
    fn = space[name]
    fn.__wrapped__ = inside
    fn.__source__ = source.format(name=name)
    return fn


@made
def squares(x):
    return np.sum(x * x)


@functools.wraps(squares)
def lent(x):
    return 3 * squares(x)


def test_in_every_mode():
    check_every_mode(squares, P, V)
    check_every_mode(lambda x: squares(x, twice=True) + lent(x), P, V)


def test_the_text_of_another_function_is_none():
    def cubes(x):
        return np.sum(x**3)

    other = made(cubes, source=TEXT.replace("2 * x", "3 * x"))
    with pytest.raises(ya.SourceUnavailable, match="was made by `exec`"):
        ya.grad(other, P)
