"""Tape -> what of the lengths of axes was taken from the example, where operands meet.

Of two arrays that meet, the result has the length of one, for that is not 1 in the
example. Of one that is 1 the result has the length of the other, and what goes back
would have to be summed: the text checks that both are equal, as in the example, or that
the one is not 1. Of slices the text checks that their lengths are not below 0.

>>> import numpy as np
>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.axis_lengths import Dim
>>> from yota_ast.ir.nodes import Block
>>> from yota_ast.ir.atoms import Var
>>> n, m = Dim("v.shape[0]", 0, 4), Dim("w.shape[0]", 0, 4)
>>> v, w, u, y = (
...     Var(x, array_fact("f8", (d,))) for x, d in zip("vwuy", (n, m, None, n))
... )
>>> assumed = Assumptions()
>>> note_lengths(assumed, Block((Apply(y, np.multiply, (v, u)),)))
>>> note_lengths(assumed, Block((Apply(y, np.multiply, (v, w)),)))
>>> [str(d) for d in assumed.longer], [tuple(map(str, p)) for p in assumed.equal]
(['v.shape[0]'], [('v.shape[0]', 'w.shape[0]')])
"""

from __future__ import annotations

import operator

import numpy as np

from yota_ast.adjoint.argument_assumptions import Assumptions
from yota_ast.ir.atoms import Var, fact_of_atom
from yota_ast.ir.axis_lengths import ZERO
from yota_ast.ir.nodes import Apply, Block, walk
from yota_ast.rules.notation.rule import BOOK


def note_lengths(assumed: Assumptions, block: Block) -> None:
    """Note what the facts of a block take from the example."""
    for op in walk(block):
        if isinstance(op, Apply) and op.out.fact.shape and _takes_lengths(op):
            for other, known in BOOK.lengths_taken(op.fn, op.args, op.kwargs):
                if other is not None and known == ZERO:
                    assumed.natural[other] = None
                elif other and other.size == known.size and not other.is_cut:
                    assumed.add(known, other)
                elif known not in assumed.longer:
                    assumed.longer.append(known)


def _takes_lengths(op: Apply) -> bool:
    """Whether there are operands of several shapes, an index that is computed, or an
    operand that is made longer or may lose axes."""
    if op.fn is operator.getitem:
        return isinstance(op.args[1], Var)
    if op.fn is np.squeeze:
        return True
    shapes = {fact_of_atom(a).shape for a in op.args} - {()}
    return len(shapes) > 1 or op.out.fact.shape not in shapes
