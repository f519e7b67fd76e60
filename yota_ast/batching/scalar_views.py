"""Numbers of one example that are views in a batch -> copies, where it matters.

    a = x[0]            # a number: x[0] = 1.0 does not change it
    a = x[:, 0]         # a view, which x[:, 0] = 1.0 changes

It is copied if its memory may be written before it is read for the last time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.analysis.overwritten_memory import Memory
from yota_ast.ir.abstract_values import CONTAINERS
from yota_ast.ir.atoms import Var
from yota_ast.ir.block_queries import names_read, read_counts
from yota_ast.ir.builder import Infer, Names
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    Op,
    Origin,
    Store,
    blocks_of,
    map_blocks,
    only,
    walk,
)
from yota_ast.ops import sharing


def with_copies(
    block: Block, elements: Collection[str], names: Names, infer: Infer
) -> Block:
    """The block, in which such views are copied."""
    if not any(only(walk(block), Store)):
        return block
    return _Copies(block, elements, names, infer).of(block)


class _Copies:
    """Copies the views of a block whose memory is written too early."""

    def __init__(
        self, block: Block, elements: Collection[str], names: Names, infer: Infer
    ) -> None:
        self.memory, self.reads = Memory(block), read_counts(block)
        self.elements, self.names, self.infer = elements, names, infer

    def of(self, block: Block) -> Block:
        """The block, in which the views are copied."""
        ops, waiting = list[Op](), list[Op]()
        for k, op in enumerate(block.ops):
            if getattr(op, "form", "") != "unpack":
                ops += waiting  # behind all targets of `u, v = x`
                waiting = []
            changed = self._with_items(map_blocks(op, self.of))
            if isinstance(changed, Apply) and changed.out.name in self.elements:
                if self._is_written(changed.out, block.ops[k + 1 :]):
                    changed, copy = self._copied(changed)
                    waiting.append(copy)
            ops.append(changed)
            if waiting and getattr(op, "form", "") != "unpack":
                ops += waiting
                waiting = []
        return Block((*ops, *waiting))

    def _is_written(self, var: Var, after: tuple[Op, ...]) -> bool:
        """Whether its memory may be written before it is read for the last time: it is
        read in another block, or behind a write in its own."""
        if not self.memory.overwritten(var):
            return False
        group, found, written = {var.name}, Counter[str](), False
        for op in after:
            read = group & {*names_read(Block((op,)))}
            if read and (written or blocks_of(op) or _is_kept(op)):
                return True
            if read and isinstance(op, Apply) and sharing(op) != "fresh":
                group.add(op.out.name)
            found.update(names_read(Block((op,))))
            written = written or any(only(walk(Block((op,))), Store))
        return any(found[name] < self.reads[name] for name in group)

    def _copied(self, op: Apply) -> tuple[Apply, Apply]:
        """An op that gives a view, and the copy of that."""
        view = replace(op.out, name=self.names.fresh(f"{op.out.name}.view"), hint=None)
        return replace(op, out=view), _copy(op.out, view, op.origin)

    def _with_items(self, loop: Op) -> Op:
        """A loop whose items are copied at its start; another op as it is."""
        if not isinstance(loop, For):
            return loop
        targets, ahead = list(loop.targets), list[Op]()
        for k, target in enumerate(targets):
            if target.name in self.elements and self.memory.overwritten(target):
                view = replace(target, name=self.names.fresh(f"{target.name}.view"))
                targets[k] = view
                ahead.append(_copy(target, view, loop.origin))
        if not ahead:
            return loop
        body = Block((*ahead, *loop.body.ops))
        return replace(loop, targets=tuple(targets), body=body)


def _is_kept(op: Op) -> bool:
    """Whether an op puts what it reads into a list, as it is."""
    return isinstance(op, Store) and op.target.fact.kind in CONTAINERS


def _copy(out: Var, view: Var, origin: Origin) -> Apply:
    return Apply(out, np.ndarray.copy, (view,), (), "method", "copy", origin)
