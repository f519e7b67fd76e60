"""Ops -> the integers whose values matter beyond the items that they index.

An index of more than 64 bits lies outside of every array. So its arithmetic is not
checked: `p = (i * m + j) * l + k` in `x[p] + x[p - 1]`. The arithmetic of `x[:p]` and
of `x[p % 7]` is checked, because those are right for any p.

>>> from yota_ast.ir.abstract_values import INT
>>> from yota_ast.ir.atoms import Const
>>> x, y, z, p, q, n = (Var(name, INT) for name in "xyzpqn")
>>> ops = [
...     Apply(p, operator.mul, (n, n)),
...     Apply(q, operator.add, (p, Const(1))),
...     Apply(y, operator.getitem, (x, q)),
... ]
>>> sorted(integers_read(ops, (y,))), sorted(integers_read(ops, (y, q)))
(['x', 'y'], ['n', 'p', 'q', 'x', 'y'])
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import assert_never

from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import Apply, Compound, Op, Simple, Store, atoms_of
from yota_ast.ops.algebra import KEEPING, operated
from yota_ast.support.reachable import reach


def integers_read(ops: Sequence[Op], ends: Iterable[Atom | Undefined]) -> set[str]:
    """Return the names of what is read, but for what only makes an index.

    ends: what is read after the ops.
    """
    read = set(_names(ends))
    made: dict[str, list[str]] = {}
    for op in ops:
        inside = _inside_an_index(op)
        if inside is not None:
            made.setdefault(inside.name, []).extend(_names(atoms_of(op)))
            continue
        index = _index(op)
        read.update(_names(a for a in (*atoms_of(op), *ends_of(op)) if a is not index))
    return reach(read, made.get)


def _inside_an_index(op: Op) -> Var | None:
    """Return the result of an op that may do no more than make an index."""
    if isinstance(op, Apply):
        counts = operated(op.fn) in KEEPING and op.out.fact.kind == "int"
        return op.out if counts or op.fn is build_tuple else None
    return None


def _index(op: Op) -> Atom | None:
    """Return the index of what is read or written by an op."""
    match op:
        case Store():
            return op.index
        case Apply():
            return op.args[1] if op.fn is operator.getitem else None
        case Simple() | Compound():
            return None
        case _:
            assert_never(op)


def _names(atoms: Iterable[Atom | Undefined]) -> Iterable[str]:
    return (a.name for a in atoms if isinstance(a, Var))
