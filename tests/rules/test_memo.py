"""Calls that are alike are looked up; those that may give something else are not."""

import operator

import numpy as np
import pytest

from yota_ast.ir.abstract_values import FLOAT, INT, Fact, array_fact, fact_of
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.rules.notation.book import Book
from yota_ast.rules.notation.memo import likeness
from yota_ast.rules.notation.rule import BOOK

N, M = Dim("x.shape[0]", 0, 3), Dim("y.shape[0]", 0, 3)
OTHER_N = Dim("x.shape[0]", 0, 1)  # equal, of another example


def vector(name, dim=N, dtype="f8"):
    return Var(name, array_fact(dtype, (dim,)))


X, Y = vector("x"), vector("y")
I, J = Var("i", INT), Var("j", FLOAT)


@pytest.mark.parametrize(
    ("fn", "one", "other"),
    [
        (operator.add, (X, Y), (Y, X)),
        (operator.mul, (X, Const(0.5)), (Y, Const(0.7))),
        (np.hypot, (X, J), (Y, J)),
        (operator.neg, (Var("r", Fact("real")),), (Var("s", Fact("real")),)),
    ],
)
def test_what_is_done_to_arrays_of_the_same_lengths_is_alike(fn, one, other):
    assert likeness(fn, one, ()) == likeness(fn, other, ()) is not None


@pytest.mark.parametrize(
    ("fn", "one", "other"),
    [
        (operator.add, (X, Y), (X, vector("y", M))),
        (operator.add, (X, Y), (X, vector("y", OTHER_N))),
        (operator.add, (X, Y), (X, vector("y", N, "f4"))),
        (operator.add, (X, Y), (X, vector("y", None))),
        (operator.pow, (X, Const(2)), (X, Const(3))),
        (operator.pow, (X, Const(2)), (X, Const(2.0))),
        (operator.truediv, (X, Const(0.0)), (X, Const(0.5))),
    ],
)
def test_what_differs_in_lengths_types_or_numbers_is_not(fn, one, other):
    assert likeness(fn, one, ()) != likeness(fn, other, ())


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (operator.matmul, (X, Y)),
        (np.matmul, (X, Y)),
        (np.sum, (X,)),
        (operator.getitem, (X, I)),
        (np.add, (X, Const(np.ones(3)))),
        (np.add, (X, Var("n", Fact("int", length=N)))),
    ],
)
def test_what_depends_on_more_than_that_is_like_nothing(fn, args):
    assert likeness(fn, args, ()) is None


def test_a_result_that_is_looked_up_is_the_one_found_anew():
    args = [(X, Y), (X, vector("y", M)), (X, vector("y", OTHER_N)), (X, J), (J, X)]
    args += [(vector("x", None), Y), (X, vector("y", N, "f4")), (X, Const(0.5))]
    functions = (operator.add, operator.mul, operator.pow, np.hypot, np.less, np.fmax)
    for fn in functions:
        for given in (*args, *args):
            found, anew = BOOK.infer(fn, given, ()), Book._infer(BOOK, fn, given, ())
            assert (repr(found), found) == (repr(anew), anew)
            assert _sizes(found) == _sizes(anew)


def _sizes(fact):
    dims = fact.shape if isinstance(fact.shape, tuple) else ()
    return [dim and dim.size for dim in dims]


def test_a_number_of_a_module_is_not_like_a_literal():
    """A list repeated by it has as many items as it says when the text runs: those of
    a literal, asked for before, were taken for these."""
    pair = Var("p", fact_of([1.0, 2.0]))
    for _ in range(2):
        assert len(BOOK.infer(operator.mul, (pair, Const(2)), ()).items) == 4
        assert BOOK.infer(operator.mul, (pair, Const(2, "N", "shop")), ()).items is None
