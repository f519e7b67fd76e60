"""Statements for loops that have no iteration: they need no place that is not there."""

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

rng = np.random.default_rng(11)
A, b = rng.normal(size=(3, 3)), rng.normal(size=3)


def corner(A, b):
    x = np.zeros_like(b)
    for j in range(len(b)):
        x[j] = A[-1, -1] * b[j]
    return np.sum(x * x)


def columns_by_a_corner(A, b):
    y = np.zeros((2, len(b)))
    for j in range(len(b)):
        y[:, j] = b[j] * A[0, 0] * np.ones(2)
    return np.sum(y * y)


def row_in_a_loop(A, b):
    y = np.zeros(len(b))
    for k in range(2):
        for j in range(len(b)):
            y[j] += A[k, j] * b[j]
    return np.sum(y * y)


def backwards(A, b):
    y = np.zeros(len(b))
    for j in range(len(b) - 1, -1, -1):
        y[j] = A[0, j] * b[0]
    return np.sum(y * y)


PROGRAMS = [corner, columns_by_a_corner, row_in_a_loop, backwards]


@pytest.mark.parametrize("passes", ["all", "-vectors", "-inplace"])
@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda f: f.__name__)
def test_no_iteration(monkeypatch, fn, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (A, b))
    grad = ya.grad(fn, wrt=["A", "b"])
    grad(A, b)
    for shape in [(0, 0), (0, 3), (3, 0)]:
        dA, db = grad(np.zeros(shape), np.zeros(0))
        assert (dA.shape, db.shape) == (shape, (0,))
        assert not dA.any()


def text_of(fn, *args):
    return ya.simplegrad(fn, *args, wrt=["A", "b"]).source.partition("# reverse")[2]


def read_before(A, b):
    """The function itself needs the place, whether or not the loop runs."""
    x = A[-1, -1] * b
    for j in range(len(b)):
        x[j] = A[-1, -1] * x[j]
    return np.sum(x * x)


def in_range(A, b):
    y = np.zeros(A.shape[0])
    for i in range(A.shape[0]):
        for j in range(i):
            y[i] += A[i, j] * b[j]
    return np.sum(y * y)


def test_no_test_where_the_places_are_there():
    assert "if len(b) > 0:" in text_of(corner, A, b)
    for fn in (read_before, in_range):
        assert "if " not in text_of(fn, A, b)


def read_and_written(A, b):
    """The product of what is read has been made when its factor is written."""
    y = np.zeros(A.shape[0])
    for j in range(len(b)):
        y[j] += A[j, 0] * b[1]
        y[j] = b[0] * A[j, 0]
    return np.sum(y * y)


@pytest.mark.parametrize("passes", ["all", "-vectors"])
def test_factors_that_are_written(monkeypatch, passes):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(read_and_written, (A, b))
