"""Listings, whole."""

import dataclasses
import operator
from functools import partial

import numpy as np
import pytest

from tests.tapes import filled, iterative, rate, root, tape, variables
from yota_ast.ir.abstract_values import FLOAT, INT, Fact, array_fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.built_values import build_slice, build_tuple
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import Apply, Block, Carry, For, If, Read
from yota_ast.ir.tape import Program
from yota_ast.ir.tape_printer import function_name, listing


def logistic(x):
    return 1 / (1 + np.exp(-x))


def broadcast(f, x):
    return f(x)


def test_listing_of_yotas_readme():
    x, y, z = variables("x y z")
    z = Var("z", Fact("scalar", np.dtype("f8"), ()))
    ops = [
        Apply(y, broadcast, (Const(logistic, "logistic"), x)),
        Apply(z, np.sum, (y,)),
    ]
    assert str(tape([x], ops, z)) == (
        "Tape\n"
        "  inp %1::ndarray[float64, 1]\n"
        "  const %2 = logistic\n"
        "  %3 = broadcast(%2, %1)::ndarray[float64, 1]\n"
        "  %4 = sum(%3)::float64\n"
        "  result %4"
    )


def test_loop():
    assert str(iterative()) == (
        "Tape\n"
        "  inp %1::ndarray[float64, 1]\n"
        "  inp %2::int\n"
        "  %3 = range(%2)\n"
        "  for %4 in %3 carrying %5 = %1:\n"
        "    %6 = mul(2.0, %5)::ndarray[float64, 1]\n"
        "    next %5 = %6\n"
        "  %7 = %5 after the loop::ndarray[float64, 1]\n"
        "  %8 = sum(%7)::float\n"
        "  result %8"
    )


def test_while_that_saves():
    assert str(root()) == (
        "Tape\n"
        "  inp %1::float\n"
        "  inp %2::float\n"
        "  while carrying %3 = %2 saving on %4:\n"
        "    %5 = mul(%3, %3)::float\n"
        "    %6 = sub(%5, %1)::float\n"
        "    %7 = abs(%6)::float\n"
        "    %8 = gt(%7, 1e-12)\n"
        "    test %8\n"
        "    %9 = truediv(%1, %3)::float\n"
        "    %10 = add(%3, %9)::float\n"
        "    %11 = mul(0.5, %10)::float\n"
        "    save %3\n"
        "    next %3 = %11\n"
        "  %12 = %3 after the loop::float\n"
        "  %13 = <lambda>(%12, %4)\n"
        "  result %13"
    )


def test_branch():
    assert str(rate()) == (
        "Tape\n"
        "  inp %1::float\n"
        "  %2 = gt(%1, 0.0)\n"
        "  if %2:\n"
        "    %3 = mul(2.0, %1)::float\n"
        "  %4 = %3 if %2 else undefined::float\n"
        "  %5 = neg(%4)::float\n"
        "  result %5"
    )


def test_else_and_break():
    x, i, a, b = variables("x i a b", INT)
    test = Const(value=True)
    branch = If(test, Block(), Block((Apply(a, abs, (i,)),)))
    stop = Apply(b, operator.gt, (i, Const(3)))
    loop = For((i,), x, Block((branch, stop)), stop=b)
    assert str(tape([x], [loop], Const(None))) == (
        "Tape\n"
        "  inp %1::int\n"
        "  for %2 in %1:\n"
        "    if True:\n"
        "    else:\n"
        "      %3 = abs(%2)::int\n"
        "    %4 = gt(%2, 3)::int\n"
        "    break if %4\n"
        "  result None"
    )


def test_stores():
    assert str(filled()) == (
        "Tape\n"
        "  inp %1::ndarray[float64, 1]\n"
        "  inp %2::float\n"
        "  %3 = copy(%1)::ndarray[float64, 1]\n"
        "  %4 = set(%3, 0, %2)::ndarray[float64, 1]\n"
        "  %5 = set(%4, 1:, += %2)::ndarray[float64, 1]\n"
        "  result %5"
    )


class Linear:
    pass


def test_fields_and_keywords():
    m, W, s = Var("m", Fact("object", cls=Linear)), *variables("W s")
    W = Var("W", array_fact("f4", (None, None)))
    path = (("attr", "layers"), ("item", 0), ("attr", "W"))
    ops = [Read(W, m, path), Apply(s, np.sum, (W,), (("axis", Const(0)),))]
    assert str(tape([m], ops, s)) == (
        "Tape\n"
        "  inp %1::Linear\n"
        "  %2 = m.layers[0].W::ndarray[float32, 2]\n"
        "  %3 = sum(%2, axis=0)::ndarray[float64, 1]\n"
        "  result %3"
    )


def test_constants_stand_before_the_loop_that_needs_them_first():
    x, y, x_in, x_out, z = variables("x y x_in x_out z")
    table, scale = Const(np.zeros((2, 2))), Const(0.5, "config.SCALE", "config")
    body = Block((Apply(y, operator.mul, (scale, table)),))
    loop = For((Var("i"),), Const((1, 2)), body, (Carry(x_out, x, x_in, y),))
    last = Apply(z, operator.mul, (scale, x_out))
    assert str(tape([x], [loop, last], z)) == (
        "Tape\n"
        "  inp %1::ndarray[float64, 1]\n"
        "  const %2 = config.SCALE\n"
        "  const %3 = ndarray[float64, 2]\n"
        "  for %4 in (1, 2) carrying %5 = %1:\n"
        "    %6 = mul(%2, %3)::ndarray[float64, 1]\n"
        "    next %5 = %6\n"
        "  %7 = %5 after the loop::ndarray[float64, 1]\n"
        "  %8 = mul(%2, %7)::ndarray[float64, 1]\n"
        "  result %8"
    )


def test_constants_that_end_a_body_or_are_the_result():
    x, y = variables("x y")
    carry = Carry(y, x, Var("x_in"), Const(logistic))
    loop = For((Var("i"),), Const((1,)), Block(), (carry,))
    assert str(tape([x], [loop], Const(broadcast))) == (
        "Tape\n"
        "  inp %1::ndarray[float64, 1]\n"
        "  const %2 = logistic\n"
        "  for %3 in (1,) carrying %4 = %1:\n"
        "    next %4 = %2\n"
        "  %5 = %4 after the loop::ndarray[float64, 1]\n"
        "  const %6 = broadcast\n"
        "  result %6"
    )


def test_program():
    x, y, dx = variables("x y dx")
    seed = Var("seed", FLOAT)
    program = Program(
        "f_grad",
        (Parameter(x), Parameter(seed, default=Const(1.0))),
        Block((Apply(y, np.sum, (x,)),)),
        Block((Apply(dx, np.full_like, (x, seed)),)),
        y,
        (dx,),
    )
    assert listing(program) == str(program)
    assert str(program) == (
        "Program\n"
        "  inp %1::ndarray[float64, 1]\n"
        "  inp %2::float\n"
        "  %3 = sum(%1)::ndarray[float64, 1]\n"
        "  reverse\n"
        "  %4 = full_like(%1, %2)::ndarray[float64, 1]\n"
        "  result %3, %4"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-2.5, "-2.5"),
        ("auto", "'auto'"),
        (Ellipsis, "..."),
        ((slice(None), slice(None, None, -1)), "(:, ::-1)"),
        ((0, Ellipsis, None), "(0, ..., None)"),
        ((1,), "(1,)"),
        (np.float32(0.5), "np.float32(0.5)"),
    ],
)
def test_literals_stand_where_they_are_used(value, text):
    x, y = variables("x y")
    ops = [Apply(y, operator.getitem, (x, Const(value)), form="subscript")]
    assert f"  %2 = getitem(%1, {text})::" in str(tape([x], ops, y))


class Silent:
    def __repr__(self):
        raise AssertionError


@pytest.mark.parametrize(
    ("value", "text"),
    [(Silent(), "Silent"), (np, "numpy"), (float, "float"), ([1.0], "list")],
)
def test_other_constants_get_a_line(value, text):
    x, y = variables("x y")
    ops = [Apply(y, operator.getitem, (x, Const(value)))]
    assert f"  const %2 = {text}\n  %3 = getitem(%1, %2)::" in str(tape([x], ops, y))


@pytest.mark.parametrize(
    ("fn", "name"),
    [
        (np.exp, "exp"),
        (operator.mul, "mul"),
        (np.ndarray.reshape, "reshape"),
        (build_tuple, "tuple"),
        (build_slice, "slice"),
        (np.vectorize(logistic), "logistic"),
        (partial(broadcast, logistic), "partial"),
    ],
)
def test_function_names(fn, name):
    assert function_name(fn) == name


def test_function_without_a_name_is_called_by_its_spelling():
    assert function_name(partial(broadcast, logistic), "self.act") == "self.act"


def test_a_variable_defined_nowhere_is_shown_by_name():
    x, y = variables("x y")
    assert str(tape([x], [], y)).endswith("\n  result ?y")


def test_listing_is_the_same_each_time():
    assert str(root()) == str(root())


def test_equal_tapes_are_equal_and_hash_alike():
    assert iterative() == iterative()
    assert hash(iterative()) == hash(iterative())
    assert iterative() != iterative(3.0)
    assert iterative() != iterative(2)
    assert len({iterative(), iterative(), filled()}) == 2


def test_what_was_compiled_does_not_count_and_is_not_handed_on():
    first, second = iterative(), iterative()
    first.compiled.append(max)
    assert first == second
    assert hash(first) == hash(second)
    assert dataclasses.replace(first, name="g").compiled == []


def test_numpy_scalars_are_equal_by_type_and_value():
    assert Const(np.float64(0.5)) == Const(np.float64(0.5))
    assert Const(np.float64(0.5)) != Const(np.float32(0.5))
    assert Const(np.float64(0.5)) != Const(0.5)
    assert Const(np.float64(0.0)) != Const(np.float64(-0.0))


def test_an_interpreter_shows_the_listing():
    (x,) = variables("x")
    shown = tape([x], [], x)
    assert repr(shown) == str(shown)
