"""A reverse sweep -> the same, its loops over products of matrices in blocks of steps.

    for h, dz in saved[::-1]:     backwards = saved[::-1]
        dW += h.T @ dz            for k in range(0, len(backwards), 4):
                                      for h, dz in backwards[k : k + 4]:
                                          dW += h.T @ dz

What the steps of a block add up is one product behind them then, see
`adjoint/inplace/collected_products.py`: their rows take the memory of a few steps.

In: a reverse sweep, and which loops are meant.  Out: the sweep, and what the loops over
blocks and those over the steps of one go over.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.saving.reading_reverse import BACKWARDS
from yota_ast.ir.abstract_values import INT
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.builder import Builder, Infer, Names
from yota_ast.ir.built_values import build_slice
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    Op,
    map_blocks,
    of_ops,
    only,
    walk,
)
from yota_ast.syntax import saved_names

STEPS: Final = 4
"""How many steps a block has. Longer blocks take more memory, and as much time."""


def in_blocks_of_steps(
    back: Block, is_meant: Callable[[For], bool], infer: Infer, names: Names
) -> tuple[Block, set[Atom], set[Atom]]:
    """The sweep, the loops that are meant in blocks, and what the loops over blocks and
    over the steps of one go over."""
    makers = {op.out.name: op for op in only(walk(back), Apply)}
    worker = _Blocks(is_meant, makers, infer, names)
    return worker.block(back), worker.starts, worker.parts


@dataclass(frozen=True, slots=True)
class _Blocks:
    is_meant: Callable[[For], bool]
    makers: Mapping[str, Apply]
    infer: Infer
    names: Names
    starts: set[Atom] = field(default_factory=set)
    parts: set[Atom] = field(default_factory=set)

    def block(self, block: Block) -> Block:
        """A block of the sweep."""
        ops: list[Op] = []
        for op in block:
            if isinstance(op, For) and self._may_be_cut(op) and self.is_meant(op):
                ops += self._cut(op)
            else:
                ops.append(map_blocks(op, self.block))
        return of_ops(block, tuple(ops))

    def _may_be_cut(self, loop: For) -> bool:
        """Whether a part of what a loop goes over can be read, and all it hands on."""
        over = loop.iterable.name if isinstance(loop.iterable, Var) else ""
        made = self.makers.get(over)
        if made is None or loop.stop is not None or loop.stack is not None:
            return False
        if loop.schedule or any(isinstance(c.init, Undefined) for c in loop.carries):
            return False
        is_list = made.fn is operator.getitem and made.args[1] == BACKWARDS
        counted = made.fn is range and not all(isinstance(a, Const) for a in made.args)
        return is_list or counted

    def _cut(self, loop: For) -> list[Op]:
        """A loop over blocks, with the loop over the steps of one in it."""
        assert isinstance(loop.iterable, Var)
        made = self.makers[loop.iterable.name]
        builder = Builder(self.infer, self.names, loop.origin)
        steps = builder.apply(
            made.fn, *made.args, hint=saved_names.BACKWARDS, fact=made.out.fact
        )
        count = builder.apply(len, steps, fact=INT)
        starts = builder.apply(range, Const(0), count, Const(STEPS))
        at = Var(self.names.fresh("k"), INT, "k")
        inner = Builder(self.infer, self.names, loop.origin)
        end = inner.apply(operator.add, at, Const(STEPS), fact=INT)
        part = inner.apply(build_slice, at, end, Const(None))
        own = inner.apply(operator.getitem, steps, part, fact=steps.fact)
        within, around = [], []
        for c in loop.carries:
            entering = replace(c.inside, name=self.names.fresh(c.inside.name))
            leaving = replace(c.out, name=self.names.fresh(c.out.name))
            within.append(Carry(leaving, entering, c.inside, c.next))
            around.append(Carry(c.out, c.init, entering, leaving))
        inner.ops.append(replace(loop, iterable=own, carries=tuple(within)))
        self.starts.add(starts)
        self.parts.add(own)
        whole = For((at,), starts, inner.block(), tuple(around), origin=loop.origin)
        return [*builder.ops, whole]
