"""Both sweeps -> the same, without saved values that the reverse sweep reads no more.

for x in X:                            for x in X:
saved.append((h, x))                   saved.append(h)
for h, x in saved[::-1]:       ->      for h in saved[::-1]:
rows.append(dz)                        rows.append(dz)
dW = np.stack(rows[::-1]).T @ X        dW = np.stack(rows[::-1]).T @ X
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.saving.reading_reverse import BACKWARDS
from yota_ast.ir.atoms import Var
from yota_ast.ir.block_queries import read_counts
from yota_ast.ir.nodes import Apply, Block, For, Op, map_blocks, of_ops, only, walk


def without_unread_saves(ahead: Block, back: Block) -> tuple[Block, Block]:
    """Return both sweeps without them; one value stays, which counts the iterations."""
    left = [*_left(ahead, back)]
    if not left:
        return ahead, back
    stacks = {stack: kept for stack, _, kept in left}
    loops = {listed: kept for _, listed, kept in left}

    def saving(block: Block) -> Block:
        return of_ops(block, tuple(map(saving_less, block)))

    def saving_less(op: Op) -> Op:
        op = map_blocks(op, saving)
        kept = stacks.get(op.stack.name) if isinstance(op, For) and op.stack else None
        if kept is None or not isinstance(op, For):
            return op
        return replace(op, saved=tuple(op.saved[k] for k in kept))

    def reading(block: Block) -> Block:
        return of_ops(block, tuple(map(reading_less, block)))

    def reading_less(op: Op) -> Op:
        op = map_blocks(op, reading)
        over = op.iterable if isinstance(op, For) else None
        kept = loops.get(over.name) if isinstance(over, Var) else None
        if kept is None or not isinstance(op, For):
            return op
        return replace(op, targets=tuple(op.targets[k] for k in kept))

    return saving(ahead), reading(back)


def _left(ahead: Block, back: Block) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Give the lists of which some values are not read, with what the reverse sweep
    runs over, and the places of the other values."""
    reads, counts = read_counts(back), read_counts(ahead)
    over = {op.iterable.name: op for op in only(walk(back), For)
            if isinstance(op.iterable, Var)}  # fmt: skip
    turned = {
        op.args[0].name: op.out.name
        for op in only(walk(back), Apply)
        if op.fn is operator.getitem and op.args[1] == BACKWARDS
        if isinstance(op.args[0], Var)
    }
    for loop in only(walk(ahead), For):
        stack = loop.stack.name if loop.stack is not None else ""
        listed = turned.get(stack, "")
        reader = over.get(listed)
        if reader is None or len(reader.targets) != len(loop.saved):
            continue
        if counts[stack] or reads[stack] != 1 or reads[listed] != 1:
            continue
        kept = [k for k, v in enumerate(reader.targets) if reads[v.name]]
        if 0 < len(kept) < len(loop.saved):
            yield stack, listed, tuple(kept)
