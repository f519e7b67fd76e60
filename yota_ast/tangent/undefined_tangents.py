"""A tape -> the variables that may have no value and whose tangents are handed on.

    if n > 1:
        q = np.ones(3)
    if x[0] > 0:
        q = 2 * x

Where both branches are passed over, q has no value, and `np.zeros_like(q)` in the
second of them would raise. So the tangent of q is made where q is, and has none where
q has none, though up to there nothing of q varies.
"""

from __future__ import annotations

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.analysis.activity import Activity
from yota_ast.ir.atoms import Var
from yota_ast.ir.block_queries import handed_on, undefined_in
from yota_ast.ir.nodes import Block, Try, walk
from yota_ast.support.reachable import reach


def with_undefined(block: Block, active: Activity) -> Activity:
    """The active variables, and those that may have no value of which branches and
    loops make active ones."""
    undefined = undefined_in(block) - _numbers_tried(block)
    beside: dict[str, set[str]] = {}
    for op in walk(block) if undefined else ():
        # a `try` hands on numbers alone: see below
        for ends, outs in () if isinstance(op, Try) else handed_on(op):
            more = _names(*ends, *outs) & undefined
            for out in outs:
                beside.setdefault(out.name, set()).update(more)
    return replace(active, names=frozenset(reach(active.names, beside.get)))


def _numbers_tried(block: Block) -> set[str]:
    """The numbers that a `try` hands on: their tangents are 0, whether they have values
    or not. A tangent of anything else is made of the value, and goes through no `try`.
    """
    merges = [m for op in walk(block) if isinstance(op, Try) for m in op.merges]
    return {m.out.name for m in merges if m.out.fact.is_number}


def _names(*ends: object) -> set[str]:
    return {end.name for end in ends if isinstance(end, Var)}
