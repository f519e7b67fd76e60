"""A tape -> the same, where a vector that becomes a row or a column is indexed.

`v.reshape(-1, 1)` is `v[:, None]`, a view of the same memory. Rules and rewrites know
what an index with None does, wherever it comes from.

>>> from yota_ast.ir.abstract_values import array_fact
>>> v, c = Var("v", array_fact("f8", (None,))), Var("c", array_fact("f8", (None, None)))
>>> made = Apply(c, np.ndarray.reshape, (v, Const(-1), Const(1)))
>>> (op,) = with_axes_added(Block((made,)))
>>> op.fn is operator.getitem, op.args[1].value
(True, (slice(None, None, None), None))
"""

from __future__ import annotations

import operator
from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.atoms import Const, Var, fact_of_atom
from yota_ast.ir.nodes import Apply, Block, Op, map_blocks, of_ops

_INDICES: Final[dict[object, tuple[slice | None, ...]]] = {
    (-1, 1): (slice(None), None),
    (1, -1): (None, slice(None)),
}
"""By the shape that a vector is given: the index of the same meaning."""


def with_axes_added(block: Block) -> Block:
    """Return a block with indices in the place of such changes of shape."""
    return of_ops(block, tuple(map(_indexed, block)))


def _indexed(op: Op) -> Op:
    if not isinstance(op, Apply):
        return map_blocks(op, with_axes_added)
    index = _index(op) if op.fn in (np.reshape, np.ndarray.reshape) else None
    if index is None:
        return op
    args = (op.args[0], Const(index))
    return replace(op, fn=operator.getitem, args=args, form="subscript", spelling="")


def _index(op: Apply) -> tuple[slice | None, ...] | None:
    vector, *shape = op.args
    known = fact_of_atom(vector)
    if op.kwargs or known.kind != "array" or known.rank != 1:
        return None
    if not isinstance(vector, Var) or not all(isinstance(a, Const) for a in shape):
        return None
    given = [a.value for a in shape if isinstance(a, Const)]
    whole = given[0] if len(given) == 1 else tuple(given)
    plain = isinstance(whole, tuple) and all(type(n) is int for n in whole)
    return _INDICES.get(whole) if plain else None
