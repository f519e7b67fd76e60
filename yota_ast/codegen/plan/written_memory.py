"""Ops -> which of them write into memory, or have an effect.

>>> from yota_ast.ir.abstract_values import Fact
>>> from yota_ast.ir.atoms import Const, Var
>>> y, z = Var("y", Fact("list")), Var("z", Fact("list"))
>>> [op.out for op in written(Block((Store(z, y, Const(0), Const(1.0)),)))]
[z::list]
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from yota_ast.analysis.points_to import is_augmented
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


def written(block: Block | Iterable[Op | Guard]) -> Iterable[Store | Apply]:
    """Yield what may change memory or the world: stores, sums in place, and ops with an
    effect."""
    for op in block:
        match op:
            case Apply():
                if op.effect or is_augmented(op):
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
