"""Ops -> which of them write into memory, and into that of which variable.

>>> from yota_ast.ir.atoms import Const
>>> y, z = Var("y", Fact("list")), Var("z", Fact("list"))
>>> [target_of(op) for op in written(Block((Store(z, y, Const(0), Const(1.0)),)))]
[y::list]
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    Op,
    Simple,
    Store,
    blocks_of,
)
from yota_ast.ir.tape import Guard


def is_immutable(fact: Fact) -> bool:
    """Say whether no store can change a value of which this is known."""
    if fact.kind == "tuple" and fact.items is not None:
        return all(is_immutable(item) for item in fact.items)
    return fact.is_immutable


def is_in_place(op: Apply) -> bool:
    """Say whether `a += b` may write into the memory of a."""
    if op.form != "augmented" or is_immutable(op.out.fact):
        return False
    return isinstance(op.args[0], Var) and not is_immutable(op.args[0].fact)


def target_of(op: Store | Apply) -> Var | None:
    """Return the variable into whose memory a store or a sum in place writes."""
    if isinstance(op, Store):
        return op.target
    first = op.args[0] if is_in_place(op) and not op.effect else None
    return first if isinstance(first, Var) else None


def written(block: Block | Iterable[Op | Guard]) -> Iterable[Store | Apply]:
    """Yield what may change memory or the world: stores, sums in place, and ops with an
    effect."""
    for op in block:
        match op:
            case Apply():
                if op.effect or is_in_place(op):
                    yield op
            case Store():
                yield op
            case Guard():
                yield from written(op.block)
            case Simple() | Compound():
                for inner in blocks_of(op):
                    yield from written(inner)
            case _:
                assert_never(op)
