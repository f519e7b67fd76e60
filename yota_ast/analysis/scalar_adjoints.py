"""A reverse sweep -> the variables that are surely numbers, and no arrays without axes.

`d += e` gives a number another value, and leaves the old one to whoever else reads it.
But a seed may be an array without axes, and some functions give one for a number, which
`d += e` writes into: what else is that array changes too. Sums and products of such
arrays are numbers again.

>>> import numpy as np
>>> from yota_ast.ir.builder import Builder, Names
>>> from yota_ast.ir.abstract_values import fact_of
>>> builder = Builder(lambda fn, args, kwargs: fact_of(1.0), Names())
>>> given = builder.apply(np.full_like, Const(1.0), Const(2.0))
>>> total = builder.apply(operator.add, given, Const(0.0))
>>> sure_numbers(builder.block(), {}) == {total.name}
True
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping

from yota_ast.adjoint.rewrites.rewrite_engine import fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var
from yota_ast.ir.block_queries import handed_on
from yota_ast.ir.nodes import Apply, Block, walk
from yota_ast.ops.arithmetic_costs import gives_number


def sure_numbers(reverse: Block, ahead: Mapping[str, Apply]) -> frozenset[str]:
    """The names of what are surely numbers; ahead: what the forward sweep makes."""
    found = {name for name, op in ahead.items() if _gives_number(op)}
    ops = list(walk(reverse))
    for op in ops:
        if isinstance(op, Apply) and _gives_number(op):
            found.add(op.out.name)
    joined = [join for op in ops for join in handed_on(op)]
    found |= {v.name for _, outs in joined for v in outs}
    count = 0
    while len(found) != count:
        count = len(found)
        for ends, outs in joined:
            _hand_on(found, ends, outs)
    return frozenset(found)


def _hand_on(
    found: set[str], ends: Iterable[Atom | Undefined], outs: Iterable[Var]
) -> None:
    """What comes from several ways is surely a number if that of each is."""
    if not all(_is_sure(end, found) for end in ends):
        found.difference_update(out.name for out in outs)


def _is_sure(end: Atom | Undefined, found: set[str]) -> bool:
    if isinstance(end, Const):
        return isinstance(end.value, (int, float, complex))
    return isinstance(end, Undefined) or end.name in found


def _gives_number(op: Apply) -> bool:
    """Whether the result of an op is a number whatever it is given for numbers."""
    if not op.out.fact.is_scalar:
        return False
    if op.fn is operator.getitem:  # an element of an array, not of a list of adjoints
        return fact(op.args[0]).kind == "array" and fact(op.args[1]).kind == "int"
    return gives_number(op.fn)
