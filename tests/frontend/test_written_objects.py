"""Objects made in the function are written down by what their classes define."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

X = np.array([0.5, 2.0])


class Point:
    def __init__(self, w):
        self.w = w

    def __repr__(self):
        return f"Point({self.w[0]})"


class Named(Point):
    def __str__(self):
        return "a point"

    def __format__(self, spec):
        return f"<{spec}>"


def of_a_repr(x):
    point = Point(x)
    print(point, f"{point} {point!r:>12}", str(point), repr(point))
    return np.sum(point.w**2)


def of_its_own(x):
    point = Named(x)
    print(point, f"{point:k}{point!s}{point!r}", str(point))
    return np.sum(point.w**2)


@pytest.mark.parametrize("fn", [of_a_repr, of_its_own])
def test_an_object_is_written_as_its_class_says(fn, capsys):
    check(fn, X)
    fn(X)
    capsys.readouterr()
    fn(X)
    said = capsys.readouterr().out
    ya.grad(fn, X)
    assert capsys.readouterr().out == said
