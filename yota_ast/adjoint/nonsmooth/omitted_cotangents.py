"""A cotangent -> whether something is left out of it, by truth values or by places.

>>> from yota_ast.errors import Location
>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.ir.nodes import Origin
>>> x, y, d = (Var(name, array_fact("f8", (None,))) for name in "xyd")
>>> m, at = Var("m", array_fact("bool", (None,))), Origin(Location(GENERATED, 1, 0))
>>> zeros = Apply(y, np.zeros_like, (x,), origin=at)
>>> block = Block((zeros, Store(d, y, m, Const(1.0), origin=at)))
>>> [op.fn.__name__ for op in of_gradients(block, {"y": zeros}).values()]
['zeros_like', 'ungetitem']
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from yota_ast.adjoint.nonsmooth.infinite_values import (
    looks_for_nan,
    may_mask,
    read_for_numbers,
    selects,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import carries_of, merges_of
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import Apply, Block, Store, walk
from yota_ast.ir.store_changes import Put
from yota_ast.ops import info
from yota_ast.runtime import ungetitem
from yota_ast.syntax.names import GENERATED

MOST: Final = 200
"""How many ops are looked at."""


def of_gradients(block: Block, made: Mapping[str, Apply]) -> dict[str, Apply]:
    """Return the ops of gradients that a block computes, for they make cotangents. A
    store into zeros is the adjoint of an index."""
    found = {name: op for name, op in made.items() if _is_generated(op)}
    for op in walk(block):
        if not isinstance(op, Store) or not isinstance(op.change, Put):
            continue
        if not _is_generated(op):
            continue
        zeros = made.get(op.target.name)
        if zeros is not None and info(zeros.fn).fill == "zeros":
            args = (op.value, op.out, op.index)
            found[op.out.name] = Apply(op.out, ungetitem, args, origin=op.origin)
    return found


def _is_generated(op: Apply | Store) -> bool:
    place = op.origin.place
    return place is not None and place.filename.startswith(GENERATED)


def is_masked(
    builder: Builder, d: Atom, *, places: bool = True, kinks: bool = True
) -> bool:
    """Return whether truth values, or numbers of places, select what a cotangent is
    made of. places: whether those count; kinks: whether truth values count that the
    reverse sweep computes itself, as that of `np.maximum` does. Those that tell where
    nan is always count, and so does what may be an index of truth values."""
    todo: list[Atom] = [d]
    seen: set[str] = set()
    while todo and len(seen) < MOST:
        atom = todo.pop()
        if not isinstance(atom, Var) or atom.name in seen:
            continue
        seen.add(atom.name)
        op = builder.made.get(atom.name)
        if op is None:
            todo += _handed_on(builder, atom)
            continue
        if any(kinks or not _is_kink(builder, a) for a in _truths_of(op)):
            return True
        at = info(op.fn).index_at
        if at >= 0 and (selects(op.args[at]) if places else may_mask(op.args[at])):
            return True
        todo += read_for_numbers(op)
    return False


def _is_kink(builder: Builder, truth: Var) -> bool:
    """Return whether truth values are computed by the reverse sweep, and not of where
    nan is, or of others."""
    op = builder.made.get(truth.name)
    if op is None or looks_for_nan(op):
        return False
    return all(_is_kink(builder, a) for a in _truths_of(op))


def _truths_of(op: Apply) -> list[Var]:
    """Return the arguments that are truth values of NumPy's."""
    return [a for a in op.args if isinstance(a, Var) and a.fact.dtype == np.bool_]


def _handed_on(builder: Builder, d: Var) -> list[Atom]:
    """Return what a branch or a loop of the reverse sweep hands on as a cotangent."""
    for op in reversed(builder.ops):
        if op.__class__ is Apply:  # most ops are such
            continue
        ends: list[object] = []
        for m in merges_of(op):
            if m.out == d:
                ends += m.then, m.orelse
        for c in carries_of(op):
            if c.out == d:
                ends += c.init, c.next
        if ends:
            return [a for a in ends if isinstance(a, (Var, Const))]
    return []


def is_zero(atom: Atom) -> bool:
    """Return whether a value is the number 0."""
    return atom in (Const(0), Const(0.0))


def are_alike(builder: Builder, one: object, other: object, depth: int = 4) -> bool:
    """Return whether two values are made alike."""
    if not isinstance(one, Var) or not isinstance(other, Var) or one == other:
        return one == other
    first, second = builder.made.get(one.name), builder.made.get(other.name)
    if first is None or second is None or first.fn is not second.fn or not depth:
        return False
    if len(first.args) != len(second.args) or first.kwargs != second.kwargs:
        return False
    pairs = zip(first.args, second.args, strict=True)
    return all(are_alike(builder, a, b, depth - 1) for a, b in pairs)
