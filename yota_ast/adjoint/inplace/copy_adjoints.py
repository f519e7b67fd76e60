"""A forward sweep -> whose adjoint that of a copy is, and what stores add to parts.

A copy and what it is a copy of are one value: what reaches the adjoint of the one may
as well be added to that of the other. And `u[i] = u[i] + e`, where a copy of u may
stand for u, leaves the adjoint of the old part as it is, as `u[i] += e` does.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping

from yota_ast.ir.abstract_values import Fact, same_dtype
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.facts.joined_facts import within
from yota_ast.ir.nodes import Apply, Store, path_length
from yota_ast.ir.store_changes import Put
from yota_ast.ops import info
from yota_ast.ops.algebra import TERMS, operated
from yota_ast.ops.subscript_memory import makes_index

Terms = tuple[tuple[int, Atom], ...]
"""What is summed, each with its sign."""


def copies_of(made: Mapping[str, Apply]) -> dict[str, Var]:
    """For each copy of an array the array itself, by the name of the copy."""
    found: dict[str, Var] = {}
    for name, op in made.items():
        if info(op.fn).copies and len(op.args) == 1 and not op.kwargs:
            source = op.args[0]
            if isinstance(source, Var) and _alike(source.fact, op.out.fact):
                found[name] = source
    for name, source in found.items():
        while source.name in found:
            source = found[source.name]
        found[name] = source
    return found


def _alike(one: Fact, other: Fact) -> bool:
    is_array = one.kind == other.kind == "array"
    return is_array and same_dtype(one.dtype, other.dtype)


def added(
    store: Store, made: Mapping[str, Apply], copies: Mapping[str, Var]
) -> Terms | None:
    """What a store adds to the part of an array that it writes; None where what it
    writes is no such sum."""
    if not isinstance(store.change, Put) or not _has_parts(store):
        return None
    home = copies.get(store.target.name, store.target)

    def terms(atom: Atom, depth: int = 0) -> Terms | None:
        op = made.get(atom.name) if isinstance(atom, Var) else None
        if op is None or depth > _DEEPEST:
            return None
        if op.fn is operator.getitem and isinstance(source := op.args[0], Var):
            same = copies.get(source.name, source) == home
            return () if same and same_place(op.args[1], store.index, made) else None
        if operated(op.fn) not in TERMS:
            return None
        left, right = op.args
        rest = terms(left, depth + 1)
        if rest is not None:
            return (*rest, (1 if op.fn is operator.add else -1, right))
        rest = terms(right, depth + 1) if op.fn is operator.add else None
        return None if rest is None else (*rest, (1, left))

    return terms(store.value)


_DEEPEST = 20


def _has_parts(store: Store) -> bool:
    """Whether a store writes a part of an array, or a number within lists."""
    known, depth = store.target.fact, path_length(store.target, store.index)
    if known.kind == "list" and known.items is None:
        return within(known, depth or 1).is_number
    return known.kind == "array"


def same_place(one: Atom, other: Atom, made: Mapping[str, Apply]) -> bool:
    """Whether two indices are equal, as they are written."""
    if one == other:
        return True
    if not isinstance(one, Var) or not isinstance(other, Var):
        return False
    a, b = made.get(one.name), made.get(other.name)
    if a is None or b is None or a.fn is not b.fn or not makes_index(a.fn):
        return False
    return len(a.args) == len(b.args) and all(
        same_place(p, q, made) for p, q in zip(a.args, b.args, strict=True)
    )
