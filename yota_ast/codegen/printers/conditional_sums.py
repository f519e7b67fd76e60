"""A program -> the same, with conditional expressions where a helper sums vectors.

    unbroadcast(d, x)      ->      d if len(d) == len(x) else d.sum(keepdims=True)

Of two vectors whose lengths only the data tell, one is as long as the other or has one
element. In: a program whose helper serves all ranks.  Out: one without it, where it is
called once or twice, of vectors.

>>> from yota_ast.ir.abstract_values import array_fact
>>> d, x, y = (Var(name, array_fact("f8", (None,))) for name in "dxy")
>>> back = Block((Apply(y, unbroadcast, (d, x)),))
>>> made = with_conditional_sums(Program("f", (), Block(), back, d, (y,)))
>>> [type(op).__name__ for op in made.reverse]
['Apply', 'Apply', 'Apply', 'If']
"""

from __future__ import annotations

import operator
from typing import Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.abstract_values import BOOL, INT
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.builder import Builder, Names
from yota_ast.ir.nodes import Apply, Block, If, Merge, Op, map_blocks, of_ops, walk
from yota_ast.ir.tape import Program
from yota_ast.ops.spellings import METHODS
from yota_ast.runtime import unbroadcast

MOST: Final = 2
"""How many expressions stand for the helper."""


def with_conditional_sums(program: Program) -> Program:
    """The program with conditional expressions in its reverse sweep, and its helpers
    likewise, where they are few and the helper is not called then."""
    programs = (program, *program.helpers)
    sweeps = [b for p in programs for b in (p.forward, p.reverse)]
    clauses = [g.block for p in programs for g in p.guards]
    calls = [op for b in (*sweeps, *clauses) for op in walk(b) if _is_call(op)]
    backward = [op for p in programs for op in walk(p.reverse) if _sums_vectors(op)]
    if not backward or len(calls) > min(MOST, len(backward)):
        return program
    helpers = tuple(replace(p, reverse=_block(p.reverse)) for p in program.helpers)
    return replace(program, reverse=_block(program.reverse), helpers=helpers)


def _block(block: Block) -> Block:
    ops: list[Op] = []
    for op in block:
        if isinstance(op, Apply) and _sums_vectors(op):
            ops += _conditional(op)
        else:
            ops.append(map_blocks(op, _block))
    return of_ops(block, tuple(ops))


def _sums_vectors(op: Op) -> bool:
    """Whether an op sums a vector to the length of another."""
    return isinstance(op, Apply) and _is_call(op) and all(map(_is_vector, op.args))


def _is_call(op: Op) -> bool:
    return isinstance(op, Apply) and op.fn is unbroadcast


def _is_vector(atom: Atom) -> bool:
    known = fact_of_atom(atom)
    return isinstance(atom, Var) and known.kind == "array" and known.rank == 1


def _conditional(op: Apply) -> list[Op]:
    d, x = op.args
    names = Names({op.out.name: 1})
    builder = Builder(lambda *_: INT, names, op.origin)
    lengths = [builder.var(INT, stem=op.out.name) for _ in op.args]
    for length, vector in zip(lengths, (d, x), strict=True):
        builder.ops.append(Apply(length, len, (vector,), origin=op.origin))
    test = builder.var(BOOL, stem=op.out.name)
    same = Apply(test, operator.eq, tuple(lengths), (), "operator", origin=op.origin)
    total = builder.var(op.out.fact, stem=op.out.name)
    kept = (("keepdims", Const(value=True)),)
    summed = Apply(total, METHODS["sum"], (d,), kept, "method", "sum", op.origin)
    merges = (Merge(op.out, d, total),)
    chosen = If(test, Block(), Block((summed,)), merges, "ifexp", origin=op.origin)
    return [*builder.ops, same, chosen]
