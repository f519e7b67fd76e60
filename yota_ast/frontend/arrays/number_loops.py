"""Loops over whole numbers that the program writes -> what is known of these, and
whether one body serves all of them.

    for dy in (-1, 0, 1):
        near = img[1 + dy : n - 1 + dy]
        out += np.exp(-(near**2)) * near

A loop over known items has a body for each, for more is known of it. Of one that only
computes with such numbers, and takes parts of arrays of which the length is known by
their bounds, a body for all says as much, and the text stays as short as the program.

>>> found = numbers_in([Const(-1), Const(0), Const(1)])
>>> str(found.length), numbers_in([Const(0.5), Const(1)])
('@ - 1', None)
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Final, assert_never

from yota_ast.frontend.heap.lowered_values import Node, TupleValue, Value
from yota_ast.ir.abstract_values import Fact, int_fact
from yota_ast.ir.atoms import Const, Var, fact_of_atom
from yota_ast.ir.block_queries import bound_by
from yota_ast.ir.facts.loop_counters import counter
from yota_ast.ir.nodes import Apply, Block, Compound, For, Op, Simple, Store, walk
from yota_ast.syntax import nodes

LEAST: Final = 3
"""Of so many items at least one body may serve all."""
_STATEMENTS: Final = 2
"""So many statements a body has at least, for a loop to be shorter than copies."""


def written_items(iterable: Value) -> Sequence[Value] | None:
    """Return the items of a tuple that the program writes; None of anything else."""
    if isinstance(iterable, TupleValue):
        return iterable.items
    if isinstance(iterable, Const) and not iterable.is_live:
        if type(iterable.value) is tuple:
            return [Const(item) for item in iterable.value]
    return None


def numbers_in(items: Sequence[Value] | None) -> Fact | None:
    """Return what is known of each of some whole numbers: they are within bounds; or of
    each of some pairs of such."""
    if not items:
        return None
    rows = [written_items(item) for item in items]
    if all(rows):
        columns = zip(*(row or () for row in rows), strict=False)
        each = tuple(numbers_in(column) for column in columns)
        if None in each or len({len(row or ()) for row in rows}) > 1:
            return None
        return Fact("tuple", items=tuple(f for f in each if f is not None), cls=tuple)
    literals = [i.value for i in items if isinstance(i, Const) and not i.is_live]
    plain = [n for n in literals if isinstance(n, int) and type(n) is int]
    if len(plain) < len(items):
        return None
    return int_fact(counter([min(plain), max(plain) + 1]))


def is_long(body: Sequence[Node]) -> bool:
    """Return whether a loop is shorter than copies of its body."""
    inner = [n for part in body for n in nodes.walk(part)]
    return sum(isinstance(n, nodes.stmt) for n in inner) >= _STATEMENTS


def serves_all(ops: Iterable[Op]) -> bool:
    """Return whether as much is known in one body for all items as in one for each: it
    branches nowhere, chooses no item of a list, raises to no power that is one of the
    items, and knows the shape of each array."""
    return all(
        _is_alike(op) and all(_has_shape(var.fact) for var in bound_by(op))
        for op in walk(Block(tuple(ops)))
    )


def _is_alike(op: Op) -> bool:
    """Return whether an op is the same in each iteration."""
    match op:
        case Apply():
            index = op.args[1] if len(op.args) > 1 else None
            if not isinstance(index, Var):
                return True
            chosen = fact_of_atom(op.args[0]).kind != "array"
            return op.fn is not operator.pow and not (
                chosen and op.fn is operator.getitem
            )
        case For() | Store():
            return True
        case Simple() | Compound():
            return False
        case _:
            assert_never(op)


def _has_shape(known: Fact) -> bool:
    """Return whether each length of an array is known by what it is made of."""
    if known.kind not in ("array", "real", "unknown"):
        return True
    if known.kind == "real" and known.shape == ():
        return True
    dims = known.shape if isinstance(known.shape, tuple) else (None,)
    return all(d is not None and not d.base.startswith("@") for d in dims)
