"""A forward sweep -> which of its stores may name one element twice.

`y[[0, 0]] = v` keeps the last of v alone, so that only it has an adjoint. Numbers,
slices and masks name no element twice, nor does what arange, argsort or nonzero give,
nor `[k, p]` in the arm of a branch on `k != p`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np

from ..facts import Fact, fact_of
from ..tape import (
    Apply,
    Atom,
    Block,
    Const,
    If,
    Store,
    Var,
    blocks_of,
    build_list,
    build_tuple,
    walk,
)

ONCE = frozenset(
    {np.arange, np.argsort, np.flatnonzero, np.nonzero, np.unique, np.argwhere}
)
"""Functions that give indices without repeats."""
PLAIN = ("int", "bool", "none", "other")


def repeating(block: Block) -> frozenset[str]:
    """The names of the results of stores whose index may repeat."""
    makers = {op.out.name: op for op in walk(block) if isinstance(op, Apply)}
    return frozenset(
        store.out.name
        for store, tests in _stores(block, ())
        if store.augment != "append" and _may_repeat(store.index, makers, tests)
    )


def _stores(
    block: Block, tests: tuple[Atom, ...]
) -> Iterator[tuple[Store, tuple[Atom, ...]]]:
    """Each store, and the tests that are true where it stands."""
    for op in block:
        if isinstance(op, Store):
            yield op, tests
        elif isinstance(op, If):
            yield from _stores(op.then, (*tests, op.test))
            yield from _stores(op.orelse, tests)
        else:
            for inner in blocks_of(op):
                yield from _stores(inner, tests)


def _may_repeat(index: Atom, makers: dict[str, Apply], tests: tuple[Atom, ...]) -> bool:
    known = fact_of(index.value) if isinstance(index, Const) else index.fact
    maker = makers.get(index.name) if isinstance(index, Var) else None
    if maker is not None and maker.fn is build_tuple:
        parts = [a for a in maker.args if not _is_once(_fact(a))]
        rows = all(_fact(a).rank == 1 for a in parts) or len(parts) == 1
        return bool(parts) and not (
            rows and not all(_may_repeat(a, makers, tests) for a in parts)
        )
    if _is_once(known):
        return False
    if isinstance(index, Const) and isinstance(index.value, tuple):
        return not all(_is_once(fact_of(v)) for v in index.value)
    if maker is None:
        return True
    if maker.fn is build_list:
        return not are_distinct(maker.args, makers, tests)
    if maker.fn is operator.getitem and isinstance(maker.args[0], Var):
        source = makers.get(maker.args[0].name)
        return source is None or source.fn is not np.nonzero
    return maker.fn not in ONCE


def are_distinct(
    items: tuple[Atom, ...], makers: dict[str, Apply], tests: tuple[Atom, ...]
) -> bool:
    """Whether indices are certainly of different elements; `tests` are true here."""
    values = [a.value for a in items if isinstance(a, Const)]
    numbers = [v for v in values if isinstance(v, int)]
    if len(numbers) == len(items):
        same_sign = all(n >= 0 for n in numbers) or all(n < 0 for n in numbers)
        return same_sign and len(set(numbers)) == len(numbers)
    if len(items) != 2:
        return False
    for test in tests:
        op = makers.get(test.name) if isinstance(test, Var) else None
        if op is not None and op.fn is operator.ne and set(op.args) == set(items):
            return True
    return False


def _is_once(fact: Fact) -> bool:
    """Whether an index of this kind names nothing twice."""
    if fact.kind == "array":
        return fact.dtype is not None and fact.dtype == np.bool_
    return fact.kind in (*PLAIN, "scalar")


def _fact(atom: Atom) -> Fact:
    return fact_of(atom.value) if isinstance(atom, Const) else atom.fact
