"""A sweep -> the same, where loops of the reverse sweep call methods of arrays.

    for d in saved[::-1]:                for d in saved[::-1]:
        dc += np.sum(d)                      dc += d.sum()

`np.sum` looks for other kinds of arrays first, which takes longer than to sum a hundred
elements. Outside of loops, and in what the user wrote, the spelling stays.

>>> from yota_ast.ir.abstract_values import Fact, array_fact
>>> from yota_ast.ir.atoms import Var
>>> from yota_ast.ir.nodes import Origin
>>> d, s = Var("d", array_fact("f8", (None,))), Var("s", Fact("float"))
>>> made = Apply(s, np.sum, (d,), origin=Origin(reverse=True))
>>> _as_method(made).form, _as_method(replace(made, origin=Origin())).form
('method', 'call')
"""

from __future__ import annotations

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.atoms import fact_of_atom
from yota_ast.ir.block_queries import is_loop
from yota_ast.ir.nodes import Apply, Block, Op, map_blocks, of_ops


def with_methods(block: Block) -> Block:
    """Return a sweep with methods in its loops."""
    return of_ops(block, tuple(map(_outside, block)))


def _outside(op: Op) -> Op:
    return map_blocks(op, _in_loop if is_loop(op) else with_methods)


def _in_loop(block: Block) -> Block:
    return of_ops(block, tuple(map(_inside, block)))


def _inside(op: Op) -> Op:
    return _as_method(op) if isinstance(op, Apply) else map_blocks(op, _in_loop)


def _as_method(op: Apply) -> Apply:
    """Return a call as that of a method of its first argument, if that is an array for
    certain."""
    if op.fn not in (np.sum, np.trace) or op.form != "call" or not op.origin.reverse:
        return op
    known = fact_of_atom(op.args[0])
    if known.kind != "array" or not known.rank:
        return op
    return replace(op, form="method", spelling=op.fn.__name__)
