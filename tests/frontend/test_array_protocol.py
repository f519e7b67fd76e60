"""NumPy asks an object for an array by its method `__array__`."""

import math

import numpy as np
import pytest
from scipy import linalg

import yota_ast as ya


class Cell:
    def __init__(self, vectors, scale=1.0):
        self.vectors, self.scale = vectors, scale

    def __array__(self, dtype=None, copy=None):
        return self.vectors

    def __mul__(self, other):
        return Cell(np.asarray(self) * other)


class Scaled(Cell):
    def __array__(self, dtype=None, copy=None):
        return self.vectors * self.scale


def volume(x, s):
    return np.linalg.det(Cell(x * s)) + np.sum(Cell(x) * s)


def scaled(x, s):
    cell = Scaled(x, s)
    return np.sum(np.asarray(cell) ** 2) + np.dot(cell, x)[0, 0]


def written(x, s):
    cell = Cell(x * s)
    rows = np.asarray(cell)  # the memory of the object
    rows[0] = 0.0
    return np.sum(cell.vectors**2) + np.sum(np.sin(cell))


def in_a_loop(x, s):
    total = 0.0
    for k in range(3):
        total += np.trace(Cell(x * k)) * s + np.max(np.shape(Cell(x)))
    return total


def one_of_two(x, s):
    cell = Cell(x) if s > 0 else Scaled(x, s)
    return np.sum(cell) * s


def asked_for_itself(x, s):
    """NumPy makes no array of an object to see whether a loop may go over it."""
    return np.sum(x * s) * (3.0 if np.iterable(Cell(x)) else 2.0)


def of_an_argument(cell, x):
    return np.sum(np.asarray(cell) * x) + np.trace(cell)


X = np.array([[1.2, 0.3, -0.5], [0.4, 0.9, 0.2], [-0.3, 0.6, 1.5]])
V = np.array([[0.3, -1.0, 0.5], [0.7, 0.2, 0.1], [-0.4, 0.8, 0.6]])
PROGRAMS = [volume, scaled, written, in_a_loop, one_of_two]


@pytest.mark.parametrize("s", [0.7, -0.4])
@pytest.mark.parametrize("f", PROGRAMS)
def test_right(f, s):
    def slope(f, h=1e-6):
        return (f(X + h * V) - f(X - h * V)) / (2 * h)

    expected = slope(lambda x: f(x, s))
    value, g = ya.grad(f, X, s)
    assert value == f(X, s)
    assert np.vdot(g[0], V) == pytest.approx(expected, abs=1e-6)
    assert ya.jvp(f, wrt="x")(X, s, V)[1] == pytest.approx(expected, abs=1e-6)
    second = slope(lambda x: np.vdot(ya.grad(f, x, s)[1][0], V))
    assert np.vdot(ya.hvp(f)(X, V, s), V) == pytest.approx(second, abs=1e-6)


def test_the_gradient_reaches_the_field_of_an_argument():
    _, g = ya.grad(of_an_argument, Cell(X), V)
    np.testing.assert_array_equal(g[0][("vectors",)], V + np.eye(3))
    np.testing.assert_array_equal(g[1], X)


class Summed(Cell):
    """NumPy asks it for its own sum, and wraps what a ufunc returns."""

    def sum(self, axis=None, dtype=None, out=None):
        return 7.0 * self.vectors[0, 0]

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return array * 3.0


class Sized(Cell):
    def __init__(self, vectors):
        self.vectors, self.size = vectors, 9


class Typed(Cell):
    """NumPy hands the dtype on."""

    def __array__(self, dtype=None, copy=None):
        return self.vectors if dtype is None else self.vectors * 2.0


MORE = [
    lambda x: np.sum(Summed(x)),
    lambda x: np.sum(np.sin(Summed(x))),
    lambda x: np.sum(x) * np.size(Sized(x)),
    lambda x: asked_for_itself(x, 0.7),
]


@pytest.mark.parametrize("f", MORE)
def test_objects_that_are_asked_for_more_are_refused(f):
    with pytest.raises(ya.errors.UnsupportedCall, match="for more than an array"):
        ya.grad(f, X)


def test_an_argument_that_is_asked_for_more_is_refused():
    def f(cell, x):
        return np.sum(cell) * x[0, 0]

    with pytest.raises(ya.errors.UnsupportedCall, match="for more than an array"):
        ya.grad(f, Summed(X), X)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(np.asarray(Summed(x)) * x),
        lambda x: np.sum(np.asarray(Typed(x), dtype=float) * x),
        lambda x: np.sum(np.array(Typed(x), float) * x) + np.sum(np.array(Typed(x))),
    ],
)
def test_functions_that_convert_ask_for_the_array_alone(f):
    value, g = ya.grad(f, X)
    assert value == f(X)
    slope = (f(X + 1e-6 * V) - f(X - 1e-6 * V)) / 2e-6
    assert np.vdot(g[0], V) == pytest.approx(slope, abs=1e-6)


class Length:
    def __init__(self, metres):
        self.metres = metres

    def __float__(self):
        return self.metres


READ_AS_A_WHOLE = [
    (lambda c, x: linalg.norm(c) * x[0, 0], Cell(X)),
    (lambda c, x: np.add.reduce(c)[0] * x[0, 0], Cell(X)),
    (lambda c, x: np.sum(np.stack([c, x])), Cell(X)),
    (lambda c, x: np.sum(x + c), Cell(X)),
    (lambda c, x: math.sin(c) * x[0, 0] + c.metres, Length(0.3)),
]


@pytest.mark.parametrize(("f", "given"), READ_AS_A_WHOLE)
@pytest.mark.parametrize("wrt", [None, ["c"], ["c", "x"]])
def test_no_object_is_read_as_a_whole(f, given, wrt):
    with pytest.raises(ya.errors.UnsupportedSyntax, match="that is read as a whole"):
        ya.grad(f, given, X, wrt=wrt)


def test_an_object_that_is_constant_may_be_read_as_a_whole():
    _, g = ya.grad(lambda c, x: linalg.norm(c) * x[0, 0], Cell(X), X, wrt=["x"])
    assert g[1][0, 0] == np.linalg.norm(X)
    _, g = ya.grad(lambda c, x: float(c) * x[0, 0], Length(0.3), X)
    assert g[0][("metres",)] == X[0, 0]


def test_nor_in_forward_mode():
    def f(c, x):
        return linalg.norm(c) * x[0, 0]

    with pytest.raises(ya.errors.UnsupportedSyntax, match="that is read as a whole"):
        ya.jvp(f)(Cell(X), X, {("vectors",): V}, None)
