"""Blocks within ops: every kind of op is gone through, and put together again."""

import operator

import pytest

from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.block_queries import (
    arms_with_ends,
    bound_by,
    carries_of,
    ends_of,
    entering,
    is_loop,
    merges_of,
)
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    If,
    Merge,
    Op,
    Raise,
    Read,
    Store,
    Try,
    While,
    With,
    blocks_of,
    map_blocks,
    of_ops,
    only,
    walk,
    with_blocks,
)

X, Y, Z, I, E, OUT = (Var(name) for name in ("x", "y", "z", "i", "e", "out"))
ONE = Const(1)


def body(out):
    return Block((Apply(Var(out), operator.neg, (X,)),))


MERGE, CARRY = Merge(OUT, Y, Z), Carry(OUT, X, Y, Z)
OPS = [
    Apply(OUT, operator.neg, (X,)),
    Read(OUT, X, (("attr", "w"),)),
    Store(OUT, X, ONE, Y),
    Raise(X),
    If(X, body("y"), body("z"), (MERGE,)),
    For((I,), X, body("z"), (CARRY,)),
    While(body("t"), X, body("z"), (CARRY,)),
    With(X, body("y")),
    Try(body("t"), X, E, body("z"), body("y"), (MERGE,)),
]


def test_every_kind_is_here():
    assert {type(op) for op in OPS} == set(Op.__args__)


@pytest.mark.parametrize("op", OPS, ids=lambda op: type(op).__name__)
def test_blocks_are_put_back_where_they_were(op):
    inner = blocks_of(op)
    assert with_blocks(op, inner) == op
    assert map_blocks(op, lambda block: block) is op
    changed = map_blocks(op, lambda block: Block((*block.ops, Raise(X))))
    assert [b.ops[-1] for b in blocks_of(changed)] == [Raise(X)] * len(inner)
    assert with_blocks(changed, inner) == op
    assert [block for block, _ in arms_with_ends(op)] == list(inner)


@pytest.mark.parametrize("op", OPS, ids=lambda op: type(op).__name__)
def test_what_blocks_hand_on_is_read_where_they_end(op):
    ends = [a for _, handed in arms_with_ends(op) for a in handed]
    assert set(ends) <= set(ends_of(op))
    assert bool(merges_of(op)) == isinstance(op, If | Try)
    assert bool(carries_of(op)) == is_loop(op) == isinstance(op, For | While)
    assert set(entering(op)) <= set(bound_by(op))


def test_an_iteration_begins_with_what_is_carried_and_with_an_item():
    [loop] = only(OPS, For)
    assert entering(loop) == (Y, I)


def test_ops_of_one_kind_at_any_depth():
    assert [op.out.name for op in only(walk(Block(tuple(OPS))), Apply)] == [
        "out", "y", "z", "z", "t", "z", "y", "t", "y", "z",
    ]  # fmt: skip


def test_a_block_of_its_own_ops_is_the_block():
    block = body("y")
    assert of_ops(block, tuple(block)) is block
    assert of_ops(block, (*block, Raise(X))) == Block((*block, Raise(X)))
