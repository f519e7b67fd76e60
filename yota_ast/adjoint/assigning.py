"""A reverse sweep in place -> the same, where zeroing and adding are one assignment.

The adjoint of `y[i] *= e` is `d = dy[i]; dy[i] = 0; dy[i] += d * e`; the last two are
`dy[i] = d * e`.
"""

from __future__ import annotations

import operator
from dataclasses import replace

from ..build import Builder, Infer, Names
from ..tape import Block, Const, For, If, Op, Store, With, atoms_of, blocks_of
from ..walking import ends_of


def with_assignments(block: Block, infer: Infer, names: Names) -> Block:
    """The block, with each zeroing put together with the sum that follows it."""
    zeros = {
        op.out.name: op
        for op in block
        if isinstance(op, Store) and not op.augment and op.value == Const(0.0)
    }
    joined: dict[str, Store] = {}
    for op in block:
        if isinstance(op, Store) and op.augment in ("+", "-"):
            zero = zeros.get(op.target.name)
            if zero is not None and zero.index == op.index and _once(block, zero):
                joined[op.out.name] = zero
    gone = {zero.out.name for zero in joined.values()}
    builder = Builder(infer, names)
    for op in block:
        if isinstance(op, Store) and op.out.name in gone:
            continue
        if isinstance(op, Store) and op.out.name in joined:
            builder.origin, value = op.origin, op.value
            if op.augment == "-":
                value = builder.apply(operator.neg, value)
            target = joined[op.out.name].target
            op = replace(op, target=target, value=value, augment="")
        builder.ops.append(_within(op, infer, names))
    return builder.block()


def _within(op: Op, infer: Infer, names: Names) -> Op:
    if isinstance(op, If):
        then, orelse = (with_assignments(b, infer, names) for b in (op.then, op.orelse))
        return replace(op, then=then, orelse=orelse)
    if isinstance(op, For | With):
        return replace(op, body=with_assignments(op.body, infer, names))
    return op


def _once(block: Block, zero: Store) -> bool:
    """Whether one op alone reads what a store of zeros makes."""
    return _reads(block, zero.out.name) == 1


def _reads(block: Block, name: str) -> int:
    count = 0
    for op in block:
        atoms = (*atoms_of(op), *ends_of(op))
        count += sum(getattr(a, "name", None) == name for a in atoms)
        count += sum(_reads(inner, name) for inner in blocks_of(op))
    return count
