"""What verify lets pass, and what it says about the rest."""

import operator

import numpy as np
import pytest

from tests.tapes import filled, iterative, rate, root, tape, variables
from yota_ast.errors import InternalError, Location
from yota_ast.ir.atoms import UNDEFINED, Const, Var
from yota_ast.ir.functions import Parameter
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    If,
    Merge,
    Origin,
    Read,
    Store,
    While,
)
from yota_ast.ir.tape import Program
from yota_ast.ir.verify import verify

X, Y, Z, A, B, C, D, I, S = variables("x y z a b c d i s")
ONE, ITEMS = Const(1), Const((1, 2))


def add(out, *args):
    return Apply(out, operator.add, args or (X, ONE))


def loop(*body, carries=(), **rest):
    return For((I,), ITEMS, Block(body), tuple(carries), **rest)


@pytest.mark.parametrize("make", [iterative, root, rate, filled])
def test_sound_tapes(make):
    verify(make())


SOUND = {
    "a store on what is carried": [
        Apply(A, np.copy, (X,)),
        loop(Store(C, B, I, ONE), carries=[Carry(Y, A, B, C)]),
    ],
    "a store in one arm": [
        Apply(A, np.copy, (X,)),
        If(X, Block((Store(B, A, ONE, ONE),)), Block(), (Merge(Y, B, A),)),
    ],
    "stores in both arms": [
        Apply(A, np.copy, (X,)),
        If(
            X,
            Block((Store(B, A, ONE, ONE),)),
            Block((Store(C, A, ONE, ONE),)),
            (Merge(Y, B, C),),
        ),
    ],
    "a body that sees the test": [
        While(Block((add(A, B),)), A, Block((add(C, A),)), (Carry(Y, X, B, C),), stop=C)
    ],
    "a stop that is a constant": [add(Y), loop(stop=Const(value=True))],
    "a stack in a stack": [
        loop(For((B,), ITEMS, Block(), stack=A, saved=(X,)), stack=S, saved=(A, I)),
        Apply(Y, len, (S,)),
    ],
    "what is saved before it is overwritten, copied": [
        Apply(A, np.copy, (X,)),
        loop(
            Apply(D, np.copy, (B,)),
            Store(C, B, I, ONE),
            carries=[Carry(Y, A, B, C)],
            stack=S,
            saved=(D,),
        ),
    ],
    "a field": [Read(Y, X, (("attr", "W"),))],
    "a field after a constant op": [add(A, ONE, ONE), Read(Y, X, (("attr", "W"),))],
}


@pytest.mark.parametrize("ops", SOUND.values(), ids=SOUND)
def test_sound(ops):
    verify(tape([X], ops, Y))


UNSOUND = {
    "y is read where it is not defined": [add(Z, Y)],
    "y is read by the result where it is not defined": [],
    "x is defined twice": [add(X, ONE)],
    "a is defined twice": [loop(add(A)), add(A)],
    "undefined is read, and is no atom": [Apply(Y, operator.neg, (UNDEFINED,))],
    "1 is read, and is no atom": [Apply(Y, operator.neg, (1,))],
    "a is read outside the block that defines it": [loop(add(A)), add(Y, A)],
    "i is read outside the block that defines it": [loop(), add(Y, I)],
    "b is read by the merge y where it is not defined": [
        If(X, Block((add(A),)), Block((add(B),)), (Merge(Y, B, A),))
    ],
    "a is read by the merge y outside the block that defines it": [
        If(X, Block((add(A),)), Block((add(B),)), (Merge(Y, A, A),))
    ],
    "the merge y is defined by neither arm": [
        If(X, Block(), Block(), (Merge(Y, UNDEFINED, UNDEFINED),))
    ],
    "c is read by the carry b where it is not defined": [
        loop(carries=[Carry(Y, X, B, C)])
    ],
    "z is read by the loop's stop where it is not defined": [loop(stop=Z)],
    "the stop x is no variable of the body": [loop(stop=X)],
    "c is read by the loop's test where it is not defined": [
        While(Block(), C, Block((add(C),)))
    ],
    "a is read by the loop's stack where it is not defined": [
        loop(stack=S, saved=(A,))
    ],
    "a loop has a stack exactly if it saves something": [loop(stack=S)],
    "a is read after the store of b took it": [
        add(A),
        Store(B, A, ONE, ONE),
        add(Y, A),
    ],
    "a is read by the result after the store of b took it": None,
    "x is read after the store of y took it": [
        If(X, Block(), Block(), (Merge(A, X, ONE),)),
        Store(Y, A, ONE, ONE),
        add(Z, X),
    ],
    "a is read after the store of c took it": [
        add(A),
        loop(Store(C, B, I, ONE), carries=[Carry(D, A, B, C)]),
        add(Y, A),
    ],
    "b is read by the carry b after the store of c took it": [
        loop(Store(C, B, I, ONE), carries=[Carry(Y, X, B, B)])
    ],
    "b is read by the loop's stack after the store of c took it": [
        loop(Store(C, B, I, ONE), carries=[Carry(Y, X, B, C)], stack=S, saved=(B,))
    ],
    "c is saved, and the next iteration writes into it": [
        loop(Store(C, B, I, ONE), carries=[Carry(Y, X, B, C)], stack=S, saved=(C,))
    ],
    "a is of outside the loop, which reads and overwrites it": [
        add(A),
        loop(Store(C, A, I, ONE)),
        add(Y),
    ],
    "x is of outside the loop, which reads and overwrites it": [
        loop(add(D, X), Store(C, B, I, ONE), carries=[Carry(Y, X, B, C)])
    ],
    "a reads a field of z, no parameter": [
        add(Z),
        Read(A, Z, (("attr", "W"),)),
    ],
    "a reads a field after an op with effects": [
        add(B),
        Store(C, B, ONE, ONE),
        Read(A, X, (("attr", "W"),)),
    ],
    "a reads a field within a block": [loop(Read(A, X, (("attr", "W"),)))],
    "'text' is no op": ["text"],
}
UNSOUND["a is read by the result after the store of b took it"] = [
    add(Z),
    Apply(A, np.copy, (X,)),
    Store(B, A, ONE, ONE),
]


@pytest.mark.parametrize(("reason", "ops"), UNSOUND.items(), ids=UNSOUND)
def test_unsound(reason, ops):
    result = A if "the result after" in reason else Y
    with pytest.raises(InternalError) as caught:
        verify(tape([X], ops, result))
    assert caught.value.diagnostic == f"InternalError: verify: {reason}"


def test_the_place_is_that_of_the_op():
    at = Location("model.py", 2, 11, 16, "    return x + y")
    op = Apply(Z, operator.add, (X, Y), origin=Origin(at))
    with pytest.raises(InternalError) as caught:
        verify(tape([X], [op], Z))
    assert caught.value.diagnostic == (
        "model.py:2:12: InternalError: verify: y is read where it is not defined\n"
        "    return x + y\n"
        "           ^^^^^"
    )


def program(forward, reverse, results):
    params = (Parameter(X),)
    return Program("f_grad", params, Block(forward), Block(reverse), X, results)


def test_the_reverse_sees_the_forward_sweep():
    verify(program((add(A),), (add(B, A),), (B,)))


def test_the_reverse_does_not_see_into_blocks_of_the_forward_sweep():
    with pytest.raises(InternalError) as caught:
        verify(program((loop(add(A)),), (add(B, A),), (B,)))
    assert caught.value.diagnostic == (
        "InternalError: verify: a is read outside the block that defines it"
    )


def test_two_results_may_be_one():
    verify(program((), (add(A), add(B)), (A, B, A)))


def test_a_parameter_given_twice():
    with pytest.raises(InternalError) as caught:
        verify(tape([X, Var("x")], [], X))
    assert caught.value.diagnostic == "InternalError: verify: x is defined twice"
