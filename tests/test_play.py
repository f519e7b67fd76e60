"""Playing tapes and programs."""

import operator

import numpy as np
import pytest

from tests.tapes import filled, iterative, rate, root, tape, variables
from yota_ast.errors import InternalError
from yota_ast.ir.abstract_values import INT
from yota_ast.ir.atoms import UNDEFINED, Const, Var
from yota_ast.ir.entry_tests import Check
from yota_ast.ir.functions import Parameter
from yota_ast.ir.interpreter import play, play_program
from yota_ast.ir.nodes import Apply, Block, Carry, For, If, Merge, Read, Store, While
from yota_ast.ir.store_changes import APPEND, PUT, SHARED, Update
from yota_ast.ir.tape import Program, Tape


@pytest.mark.parametrize(("n", "value"), [(0, 4.0), (1, 8.0), (2, 16.0), (3, 32.0)])
def test_one_tape_for_every_trip_count(n, value):
    assert play(iterative(), np.ones(4), n) == value
    assert iterative().play(np.ones(4), n) == value


def test_compiled_function_is_played_once_there_is_one():
    t = iterative()
    t.compiled.append(lambda x, n: ("compiled", x, n))
    assert t.play(1.0, n=2) == ("compiled", 1.0, 2)
    assert play(t, np.ones(1), 1) == 2.0


def test_while_and_its_stack():
    value, saved = play(root(), 2.0, 1.0)
    assert value == pytest.approx(2**0.5, abs=1e-12)
    assert saved[:2] == [1.0, 1.5]
    assert play(root(), 4.0, 2.0) == (2.0, [])


def test_reading_what_no_path_defined():
    assert play(rate(), 2.0) == -4.0
    with pytest.raises(UnboundLocalError) as caught:
        play(rate(), -2.0)
    assert str(caught.value) == (
        "cannot access local variable 'rate' where it is not associated with a value"
    )


def test_undefined_may_be_carried_and_merged_unread():
    q, a, b, c, d, y = variables("q a b c d y")
    branch = If(q, Block(), Block(), (Merge(a, UNDEFINED, q),))
    loop = For((Var("i"),), Const((1, 2)), Block(), (Carry(d, a, b, b),))
    t = tape([q], [branch, loop, Apply(y, abs, (q,)), Apply(c, abs, (d,))], y)
    with pytest.raises(UnboundLocalError):
        play(t, 1)
    assert play(t, 0) == 0
    without = tape([q], t.block.ops[:3], y)
    assert play(without, 1) == 1


def test_stores_write_in_place():
    x = np.arange(3.0)
    assert play(filled(), x, 5.0).tolist() == [5.0, 6.0, 7.0]
    assert x.tolist() == [0.0, 1.0, 2.0]
    y, y_2 = variables("y y_2")
    t = tape([y], [Store(y_2, y, Const(...), Const(2.0), Update(operator.mul))], y_2)
    assert play(t, x) is x
    assert x.tolist() == [0.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("fn", "value"),
    [
        (operator.add, 10),
        (operator.sub, 4),
        (operator.mul, 21),
        (operator.truediv, 7 / 3),
        (operator.floordiv, 2),
        (operator.mod, 1),
        (operator.pow, 343),
        (operator.lshift, 56),
        (operator.rshift, 0),
        (operator.and_, 3),
        (operator.or_, 7),
        (operator.xor, 4),
    ],
)
def test_augmented_stores(fn, value):
    y, y_2 = variables("y y_2")
    t = tape([y], [Store(y_2, y, Const("k"), Const(3), Update(fn))], y_2)
    assert play(t, {"k": 7}) == {"k": value}


@pytest.mark.parametrize(
    ("change", "value", "result"),
    [
        (PUT, 3.0, [0.0, 3.0]),
        (Update(operator.sub), 3.0, [0.0, -2.0]),
        (Update(operator.add, repeats=True), 3.0, [0.0, 7.0]),
        (Update(operator.sub, repeats=True), 3.0, [0.0, -5.0]),
        (SHARED, 3.0, [0.0, 1.0]),
    ],
)
def test_changes_of_a_place_that_repeats(change, value, result):
    y, y_2 = variables("y y_2")
    t = tape([y], [Store(y_2, y, Const([1, 1]), Const(value), change)], y_2)
    assert play(t, np.arange(2.0)).tolist() == result


def test_an_item_is_appended():
    y, y_2 = variables("y y_2")
    t = tape([y], [Store(y_2, y, Const(None), Const(3), APPEND)], y_2)
    assert play(t, [7]) == [7, 3]


def test_carries_change_together():
    a, b, a_in, b_in, a_out, b_out, pair = variables("a b c d e f pair")
    n, trips, i = Var("n", INT), Var("trips"), Var("i")
    swap = (Carry(a_out, a, a_in, b_in), Carry(b_out, b, b_in, a_in))
    ops = [
        Apply(trips, range, (n,)),
        For((i,), trips, Block(), swap),
        Apply(pair, lambda *items: items, (a_out, b_out)),
    ]
    t = tape([a, b, n], ops, pair)
    assert [play(t, 1, 2, n) for n in range(3)] == [(1, 2), (2, 1), (1, 2)]


def test_break_ends_the_loop_after_its_iteration():
    xs, x, total, total_in, total_out, stop = variables("xs x total t_in out stop")
    stack, pair = variables("stack pair")
    body = Block(
        (
            Apply(total, operator.add, (total_in, x)),
            Apply(stop, operator.gt, (total, Const(4))),
        )
    )
    carry = Carry(total_out, Const(0), total_in, total)
    loop = For((x,), xs, body, (carry,), stop, stack, (x, total_in))
    last = Apply(pair, lambda *items: items, (total_out, stack))
    t = tape([xs], [loop, last], pair)
    assert play(t, [1, 2, 3, 4]) == (6, [(1, 0), (2, 1), (3, 3)])
    assert play(t, []) == (0, [])
    assert play(t, [1]) == (1, [(1, 0)])


def test_while_with_break():
    x, x_in, x_out, following, stop = variables("x x_in x_out following stop")
    body = Block(
        (
            Apply(following, operator.add, (x_in, Const(1))),
            Apply(stop, operator.ge, (following, Const(3))),
        )
    )
    loop = While(
        Block(), Const(value=True), body, (Carry(x_out, x, x_in, following),), stop
    )
    assert play(tape([x], [loop], x_out), 0) == 3


def test_items_are_unpacked():
    xs, a, b, product, s_in, s, s_out = variables("xs a b product s_in s s_out")
    body = Block(
        (
            Apply(product, operator.mul, (a, b)),
            Apply(s, operator.add, (s_in, product)),
        )
    )
    loop = For((a, b), xs, body, (Carry(s_out, Const(0), s_in, s),))
    assert play(tape([xs], [loop], s_out), [(1, 2), (3, 4)]) == 14


def test_fields_are_read():
    class Layer:
        W = 3.0

    class Net:
        layers = ({"first": Layer()},)

    m, W = variables("m W")
    path = (("attr", "layers"), ("item", 0), ("item", "first"), ("attr", "W"))
    assert play(tape([m], [Read(W, m, path)], W), Net()) == 3.0


def test_methods_of_arrays_on_scalars():
    x, y = variables("x y")
    call = Apply(
        y, np.ndarray.reshape, (x, Const((1, 1))), form="method", spelling="reshape"
    )
    t = tape([x], [call], y)
    assert play(t, np.float64(2.0)).shape == (1, 1)
    assert play(t, np.ones(1)).shape == (1, 1)


def test_arguments_are_bound_as_by_a_call():
    a, b, rest, c, more, out = variables("a b rest c more out")
    params = (
        Parameter(a),
        Parameter(b, default=Const(2)),
        Parameter(rest, "args"),
        Parameter(c, "keyword", Const(3)),
        Parameter(more, "kwargs"),
    )
    items = Apply(out, lambda *items: items, (a, b, rest, c, more))
    t = Tape("f", params, Block((items,)), out)
    assert play(t, 1) == (1, 2, (), 3, {})
    assert play(t, 1, 5, 6, 7, c=8, tape=9) == (1, 5, (6, 7), 8, {"tape": 9})
    with pytest.raises(TypeError) as caught:
        play(t)
    assert str(caught.value) == "missing a required argument: 'a'"


def test_errors_of_the_functions_called_pass_through():
    x, y = variables("x y")
    t = tape([x], [Apply(y, operator.truediv, (x, Const(0)))], y)
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        play(t, 1)


def test_an_unsound_tape_is_the_compilers_fault():
    x, y = variables("x y")
    with pytest.raises(InternalError) as caught:
        play(tape([x], [], y), 1)
    assert (
        caught.value.diagnostic == "InternalError: play: y is read before it is defined"
    )


def square_grad(checks=()):
    x, y, t, dx = variables("x y t dx")
    seed = Var("seed")
    return Program(
        "square_grad",
        (Parameter(x), Parameter(seed, default=Const(1.0))),
        Block((Apply(y, operator.mul, (x, x)),)),
        Block(
            (
                Apply(t, operator.mul, (Const(2.0), seed)),
                Apply(dx, operator.mul, (t, x)),
            )
        ),
        y,
        (dx,),
        checks=checks,
    )


def test_programs():
    assert play_program(square_grad(), 3.0) == (9.0, 6.0)
    assert play_program(square_grad(), 3.0, seed=2.0) == (9.0, 12.0)


def test_checks_of_programs():
    program = square_grad((Check("np.ndim(x) != 0", "made for a number x"),))
    assert play_program(program, 3.0) == (9.0, 6.0)
    with pytest.raises(ValueError, match=r"^square_grad: made for a number x$"):
        play_program(program, np.ones(2))
