"""Loops over the items of arrays -> loops over positions, where items are
differentiated.

`for u, v in zip(a, b)` becomes `for i in range(min(len(a), len(b)))` with `u = a[i]`
and `v = b[i]`: what goes back through an item then goes back through an index.
"""

from __future__ import annotations

import builtins
import operator
from dataclasses import dataclass, field, replace

from ..build import Builder, Infer, Names
from ..facts import INT
from ..tape import (
    Apply,
    Atom,
    Block,
    Const,
    For,
    If,
    Try,
    Var,
    While,
    With,
    build_tuple,
)
from .activity import Activity


@dataclass(slots=True)
class _Indices:
    active: Activity
    infer: Infer
    names: Names
    makers: dict[str, Apply] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        builder = Builder(self.infer, self.names)
        for op in block:
            if isinstance(op, Apply):
                self.makers[op.out.name] = op
            elif isinstance(op, For):
                op = self._loop(replace(op, body=self.block(op.body)), builder)
            elif isinstance(op, While | With):
                op = replace(op, body=self.block(op.body))
            elif isinstance(op, If):
                op = replace(op, then=self.block(op.then), orelse=self.block(op.orelse))
            elif isinstance(op, Try):
                op = replace(op, body=self.block(op.body), orelse=self.block(op.orelse),
                             handler=self.block(op.handler))  # fmt: skip
            builder.ops.append(op)
        return builder.block()

    def _loop(self, op: For, builder: Builder) -> For:
        """The loop over positions; as it is where its items do not matter."""
        if op.iterable not in self.active or not isinstance(op.iterable, Var):
            return op
        runner = self.makers.get(op.iterable.name)
        if runner is not None and runner.fn is zip and not runner.kwargs:
            sources, index = runner.args, None
        elif runner is not None and runner.fn is enumerate and len(runner.args) == 1:
            sources, index = runner.args, op.targets[0]
        elif op.iterable.fact.may_be_array:
            sources, index = (op.iterable,), None
        else:
            return op
        targets = op.targets if index is None else op.targets[1:]
        if not all(isinstance(a, Var) and a.fact.may_be_array for a in sources):
            return op
        builder.origin = op.origin
        position = index or Var(self.names.fresh("i"), INT, "i")
        body = Builder(self.infer, self.names, op.origin)
        if len(sources) == len(targets):
            for source, target in zip(sources, targets, strict=True):
                body.ops.append(_item(target, source, (position,), body))
        elif len(sources) == 1:
            for k, target in enumerate(targets):
                body.ops.append(_item(target, sources[0], (position, Const(k)), body))
        else:
            return op
        body.ops += op.body.ops
        lengths = [builder.apply(len, a, fact=INT) for a in sources]
        n: Atom = lengths[0]
        if len(lengths) > 1:
            n = builder.apply(builtins.min, *lengths, fact=INT)
        trips = builder.apply(range, n)
        return replace(op, targets=(position,), iterable=trips, body=body.block())


def _item(
    target: Var, source: Atom, index: tuple[Atom, ...], builder: Builder
) -> Apply:
    at: Atom = index[0]
    if len(index) > 1:
        at = builder.apply(build_tuple, *index, form="build")
    known = builder.infer(operator.getitem, (source, at), ())
    out = target if known.kind == "unknown" else replace(target, fact=known)
    return Apply(
        out, operator.getitem, (source, at), (), "subscript", "", builder.origin
    )


def with_indices(block: Block, active: Activity, infer: Infer, names: Names) -> Block:
    """The block, with loops over the items of active arrays turned into loops over
    positions."""
    return _Indices(active, infer, names).block(block)
