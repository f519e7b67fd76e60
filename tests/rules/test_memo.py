"""Calls that are alike are looked up; those that may give something else are not."""

import operator

import numpy as np
import pytest

import yota_ast as ya
from yota_ast._speed.fast_dataclasses import replace
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


OTHER_X = vector("x", OTHER_N)
COUNT, OTHER_COUNT = Var("n", Fact("int", length=N)), Var("n", Fact("int", length=M))


@pytest.mark.parametrize(
    ("fn", "one", "others"),
    [
        (operator.matmul, (X, Y), [(Y, X), (X, X), (OTHER_X, Y)]),
        (np.sum, (X,), [(Y,), (OTHER_X,)]),
        (operator.getitem, (X, I), [(X, Var("j", INT)), (Y, I)]),
        (
            operator.getitem,
            (X, Const(slice(1, None))),
            [(X, Const(slice(2, None))), (X, Const(slice(1, None), "CUT", "shop"))],
        ),
        (np.add, (X, COUNT), [(X, OTHER_COUNT), (X, I)]),
        (np.zeros, (COUNT,), [(OTHER_COUNT,), (Var("m", COUNT.fact),)]),
    ],
)
def test_other_calls_are_alike_where_the_names_are_the_same_too(fn, one, others):
    again = tuple(replace(a) if isinstance(a, Var) else a for a in one)
    assert likeness(fn, one, ()) == likeness(fn, again, ()) is not None
    for other in others:
        assert likeness(fn, one, ()) != likeness(fn, other, ())


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (np.add, (X, Const(np.ones(3)))),
        (operator.getitem, (X, Const(slice(1.0, None)))),
        (np.sum, (Var("l", Fact("list", items=(X.fact,) * 9)),)),
        (np.sum, (Var("l", Fact("list", element=X.fact)),)),
        (len, (Var("d", fact_of({"a": np.ones(3)})),)),
    ],
)
def test_what_depends_on_more_than_that_is_like_nothing(fn, args):
    assert likeness(fn, args, ()) is None


CALLS = [
    (operator.matmul, (X, Y)), (operator.matmul, (X, vector("y", M))),
    (operator.matmul, (OTHER_X, Y)), (np.sum, (X,)), (np.outer, (X, X)),
    (np.outer, (X, OTHER_X)), (operator.getitem, (X, I)),
    (operator.getitem, (X, Const(slice(1, -1)))),
    (operator.getitem, (OTHER_X, Const(slice(1, -1)))),
    (operator.getitem, (Var("t", Fact("tuple", items=(X.fact, INT))), Const(0))),
    (operator.getitem, (Var("t", Fact("tuple", items=(OTHER_X.fact, INT))), Const(0))),
    (np.zeros, (COUNT,)), (np.zeros, (OTHER_COUNT,)), (range, (COUNT,)),
    (operator.sub, (COUNT, Const(1))), (operator.sub, (OTHER_COUNT, Const(1))),
]  # fmt: skip


@pytest.mark.parametrize("turn", [1, -1])
def test_other_results_that_are_looked_up_are_those_found_anew(turn):
    for fn, given in (*CALLS[::turn], *CALLS):
        found, anew = BOOK.infer(fn, given, ()), Book._infer(BOOK, fn, given, ())
        assert (repr(found), found) == (repr(anew), anew)
        parts = zip([found, *(found.items or ())], [anew, *(anew.items or ())])
        assert all(_sizes(a) == _sizes(b) for a, b in parts)


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


def test_the_sizes_of_an_earlier_example_are_forgotten():
    """A counter of a loop is bounded by a length, of which the example has another."""

    def made():
        def added(C, A):
            C = C.copy()
            for i in range(A.shape[0]):
                for k in range(A.shape[1]):
                    C[i, : i + 1] += A[i, k] * A[: i + 1, k]
            return np.sum(C * C)

        return added

    first, second = (
        ya.simplegrad(made(), np.ones((n, n)), np.ones((n, 3))).source for n in (6, 7)
    )
    assert first == second
    assert "unbroadcast" not in second
