"""A block -> what is put into arrays of zeros that it makes, until they are read.

>>> from yota_ast.ir.atoms import Const
>>> from yota_ast.ir.store_changes import PUT
>>> x, z, v, y = (Var(name) for name in "xzvy")
>>> made = Apply(z, np.zeros_like, (x,))
>>> ops = [made, Store(v, z, Const(0), Const(1.0), PUT), Apply(y, abs, (v,))]
>>> [place for place, _ in stores_into(ops, made, Reads())]
[1]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.adjoint.inplace.kept_views import Reads
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import Apply, Block, Op, Store, map_blocks, of_ops, only

_OTHER = Var("")


def with_zeros_changed(
    block: Block,
    fits: Callable[[Apply], bool],
    changed: Callable[[list[Op], Apply], list[Op]],
) -> Block:
    """The block, and those within, with other ops for what is put into zeros. fits:
    whether an op that makes some is looked at."""

    def inner(block: Block) -> Block:
        return with_zeros_changed(block, fits, changed)

    ops = [map_blocks(op, inner) for op in block]
    for made in [*only(ops, Apply)]:
        if made.fn is np.zeros_like and len(made.args) == 1 and not made.kwargs:
            ops = changed(ops, made) if fits(made) else ops
    return of_ops(block, tuple(ops))


def stores_into(
    ops: Sequence[Op], made: Apply, reads: Reads
) -> Iterator[tuple[int, Store]]:
    """What is stored in new zeros, and where, until something else reads them."""
    at = next(k for k, op in enumerate(ops) if op is made)
    name = made.out.name
    for place, op in enumerate(ops[at + 1 :], at + 1):
        if isinstance(op, Store) and op.target.name == name:
            if name in reads.by(replace(op, target=_OTHER)):
                return
            yield place, op
            name = op.out.name
        elif name in reads.by(op):
            return
