"""A block -> the same with each index written where it is used.

An index that several ops share would need a name in the text (`t4 = t - 1`,
`t5 = i, k`); written out at each of them, `ds[t - 1]` reads as the user's own line.
"""

from __future__ import annotations

import operator
from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.builder import Names
from yota_ast.ir.built_values import build_list, build_slice, build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    Op,
    Simple,
    Store,
    map_blocks,
    walk,
)
from yota_ast.ops.algebra import TERMS, operated

EMPTY = Block()


@dataclass(slots=True)
class _Spread:
    names: Names
    makers: dict[str, Apply] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        ops: list[Op] = []
        for op in block:
            match op:
                case Store():
                    op = replace(op, index=self.again(op.index, op, ops))
                case Apply():
                    if op.fn is operator.getitem:
                        index = self.again(op.args[1], op, ops)
                        op = replace(op, args=(op.args[0], index))
                case Simple() | Compound():
                    op = map_blocks(op, self.block)
                case _:
                    assert_never(op)
            ops.append(op)
        return Block(tuple(ops))

    def again(self, atom: Atom, at: Apply | Store, ops: list[Op]) -> Atom:
        """The index, made once more for this op."""
        made = self.makers.get(atom.name) if isinstance(atom, Var) else None
        if made is None or made.out.hint is not None or not _is_index(made):
            return atom
        args = tuple(self.again(a, at, ops) for a in made.args)
        out = replace(made.out, name=self.names.fresh(made.out.name))
        ops.append(replace(made, out=out, args=args, origin=at.origin))
        return out


def _is_index(op: Apply) -> bool:
    if op.fn in (build_slice, build_tuple, build_list):
        return True
    if op.fn is operator.neg:
        return op.out.fact.kind == "int"
    steps = operated(op.fn) in TERMS and isinstance(op.args[1], Const)
    return steps and op.out.fact.kind == "int"


def with_indices(block: Block, names: Names, ahead: Block = EMPTY) -> Block:
    """The block, with indices written out; what made the shared ones may be dead.

    ahead: what stands before it, whose slices are written out too.
    """
    makers = {op.out.name: op for op in walk(block) if isinstance(op, Apply)}
    for op in ahead:
        if isinstance(op, Apply) and op.fn is build_slice:
            makers.setdefault(op.out.name, op)
    return _Spread(names, makers).block(block)
