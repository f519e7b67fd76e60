"""Which variables are active: those on a path from `wrt` to the result."""

import operator

import numpy as np

from tests.tapes import VECTOR, iterative, tape, variables
from yota_ast.analysis.activity import activity
from yota_ast.ir.abstract_values import INT, array_fact
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import Apply

X, W, T, U, Y = variables("x w t u y")


def through(op):
    """Every argument counts."""
    return op.args


def product(of):
    """t = sin(of); u = t * t; y = w * of."""
    return tape(
        [X, W],
        [
            Apply(T, np.sin, (of,)),
            Apply(U, operator.mul, (T, T)),
            Apply(Y, operator.mul, (W, of)),
        ],
        Y,
    )


def test_what_the_result_does_not_depend_on_is_not_active():
    assert activity(product(X), [X], through).names == {"x", "y"}


def test_what_does_not_depend_on_wrt_is_not_active():
    assert activity(product(X), [W], through).names == {"w", "y"}


def test_what_the_rule_leaves_out_is_no_path():
    assert activity(product(X), [X], lambda op: op.args[:1]).names == set()


def test_a_loop_hands_on_what_is_active():
    found = activity(iterative(), [Var("x", VECTOR)], through)
    assert found.names == {"x", "x_in", "x_next", "x_out", "s"}


def converted(fact):
    """t = x.astype(...); y = w * t."""
    t = Var("t", fact)
    return tape([X, W], [Apply(t, np.floor, (X,)), Apply(Y, operator.mul, (W, t))], Y)


def test_integers_carry_no_derivative():
    integers = converted(array_fact("i8", (None,)))
    assert activity(integers, [X], through).names == {"x"}


def test_integers_carry_one_where_integers_are_in_wrt():
    n = Var("n", INT)
    asked = tape([n, W], [Apply(Y, operator.mul, (W, n))], Y)
    assert activity(asked, [n], through).names == {"n", "y"}
