"""The adjoint of a spread reads the mean that the function has computed."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.adjoint.rewrites.common_values import likeness
from yota_ast.ir.atoms import Const, Var

from .checking import check

X = np.array([[1.0, 2.5, -1.0], [0.5, 3.0, 0.25], [2.0, -1.5, 4.0], [0.1, 0.2, 0.3]])


def reverse_of(f):
    """The reverse sweep without its comments."""
    lines = ya.simplegrad(f, X).source.partition("# reverse")[2].splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))


def of_columns(x):
    m = np.mean(x, axis=0)
    return np.sum(((x - m) / np.std(x, axis=0)) ** 3)


def kept(x):
    m = np.mean(x, axis=0, keepdims=True)
    return np.sum(((x - m) / np.sqrt(np.var(x, axis=0, keepdims=True) + 1e-5)) ** 3)


def of_rows(x):
    m = x.mean(axis=1, keepdims=True)
    return np.sum(((x - m) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)) ** 3)


@pytest.mark.parametrize("f", [of_columns, kept, of_rows], ids=lambda f: f.__name__)
def test_the_mean_is_computed_once(f):
    reverse = reverse_of(f)
    assert "np.mean(x" not in reverse
    assert "x - " not in reverse
    check(f, [X])


def of_rows_that_lost_their_axis(x):
    m = np.mean(x, axis=1)
    return np.sum(m * np.var(x, axis=1) ** 2)


def of_another(x):
    m = np.mean(x, axis=1, keepdims=True)
    return np.sum(m**2) + np.sum(np.var(x, axis=0) ** 2)


@pytest.mark.parametrize(
    "f", [of_rows_that_lost_their_axis, of_another], ids=lambda f: f.__name__
)
def test_another_mean_is_not_read(f):
    assert "np.mean(x, " in reverse_of(f)
    check(f, [X])


def overwritten(x):
    y = x * 2.0
    m = np.mean(y, axis=0)
    s = np.std(y, axis=0)
    m[:] = s * m
    return np.sum(m * s)


def test_a_mean_that_is_overwritten():
    check(overwritten, [X])


def test_settings_by_place_and_by_name_are_alike():
    x, keeps = Var("x"), ("keepdims", Const(True))
    named = (("axis", Const(0)), keeps)
    by_place = likeness(np.mean, (x, Const(0)), (keeps,))
    assert by_place == likeness(np.mean, (x,), named)
    assert by_place == likeness(np.mean, (x,), named[::-1])
    assert by_place != likeness(np.mean, (x, Const(1)), (keeps,))
    assert likeness(pow, (x, Const(2)), ()) == (pow, ("x", Const(2).key()), ())
