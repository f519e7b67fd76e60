"""A forward sweep -> which of its stores may name one element twice.

`y[[0, 0]] = v` keeps the last of v alone, so that only it has an adjoint. Numbers,
slices and masks name no element twice, nor does what arange, argsort or nonzero give
along one axis (`arange(-2, 2)` may: -1 and 1 are one element of two), nor `[k, p]` in
the arm of a branch on `k != p`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import assert_never

import numpy as np

from yota_ast.ir.abstract_values import Fact, fact_of
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.built_values import build_list, build_tuple
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    If,
    Simple,
    Store,
    blocks_of,
    walk,
)
from yota_ast.ir.store_changes import changes_length
from yota_ast.ops import info

PLAIN = ("int", "bool", "none", "other")


def repeating(block: Block) -> frozenset[str]:
    """The names of the results of stores whose index may repeat."""
    makers = {op.out.name: op for op in walk(block) if isinstance(op, Apply)}
    return frozenset(
        store.out.name
        for store, tests in _stores(block, ())
        if not changes_length(store.change) and _may_repeat(store.index, makers, tests)
    )


def _stores(
    block: Block, tests: tuple[Atom, ...]
) -> Iterator[tuple[Store, tuple[Atom, ...]]]:
    """Each store, and the tests that are true where it stands."""
    for op in block:
        match op:
            case Store():
                yield op, tests
            case If():
                yield from _stores(op.then, (*tests, op.test))
                yield from _stores(op.orelse, tests)
            case Simple() | Compound():
                for inner in blocks_of(op):
                    yield from _stores(inner, tests)
            case _:
                assert_never(op)


def _may_repeat(
    index: Atom, makers: Mapping[str, Apply], tests: tuple[Atom, ...]
) -> bool:
    known = fact_of_atom(index)
    maker = makers.get(index.name) if isinstance(index, Var) else None
    if maker is not None and maker.fn is build_tuple:
        return _together_repeat(maker.args, makers, tests)
    if _is_once(known):
        return False
    if isinstance(index, Const) and isinstance(index.value, tuple):
        return not all(_is_once(fact_of(v)) for v in index.value)
    if maker is None:
        return True
    if maker.fn is build_list:
        return not are_distinct(maker.args, makers, tests)
    return not _gives_each_once(maker, makers)


def _together_repeat(
    parts: tuple[Atom, ...], makers: Mapping[str, Apply], tests: tuple[Atom, ...]
) -> bool:
    """Whether an index of several parts may name an element twice: not where one of
    its arrays does not, and the others are as long."""
    arrays = [a for a in parts if fact_of_atom(a).kind not in (*PLAIN, "scalar")]
    if arrays and _are_all_items(arrays, makers):
        return False
    if len(arrays) == 1:
        return _may_repeat(arrays[0], makers, tests)
    shapes = {fact_of_atom(a).shape for a in arrays}
    if len(shapes) > 1 or not all(_is_column(fact_of_atom(a)) for a in arrays):
        return bool(arrays)
    return bool(arrays) and all(_may_repeat(a, makers, tests) for a in arrays)


def _are_all_items(arrays: list[Atom], makers: Mapping[str, Apply]) -> bool:
    """Whether arrays are all that `np.nonzero(x)`, or its like, gives of each axis."""
    parts = [p for a in arrays if (p := _item_of(a, makers)) is not None]
    if len(parts) < len(arrays) or len({source.out.name for source, _ in parts}) > 1:
        return False
    items = parts[0][0].out.fact.items
    return items is not None and {k for _, k in parts} == set(range(len(items)))


def _item_of(atom: Atom, makers: Mapping[str, Apply]) -> tuple[Apply, object] | None:
    """The call whose places an item is of, of which none is there twice, and where."""
    op = makers.get(atom.name) if isinstance(atom, Var) else None
    if op is None or op.fn is not operator.getitem or not isinstance(op.args[0], Var):
        return None
    source, key = makers.get(op.args[0].name), op.args[1]
    if source is None or not isinstance(key, Const) or not _gives_places_once(source):
        return None
    return source, key.value


def _gives_places_once(op: Apply) -> bool:
    if op.fn is np.where:  # of a condition alone it is `np.nonzero`
        return len(op.args) == 1
    return info(op.fn).once


def _is_column(fact: Fact) -> bool:
    """Whether a value is an array of numbers along one axis of known length."""
    numbers = fact.dtype is not None and fact.dtype.kind in "iu"
    return fact.rank == 1 and None not in (fact.shape or ()) and numbers


def _gives_each_once(op: Apply, makers: Mapping[str, Apply]) -> bool:
    """Whether no two of the indices that an op gives are of one element, whatever its
    array: they are not negative, or none counts from the other end."""
    if _gives_places_once(op):
        return True
    if op.fn is np.argsort:
        return op.out.fact.rank == 1
    if op.fn is np.argwhere:
        return fact_of_atom(op.args[0]).rank == 1
    if op.fn is np.arange:
        return counts_up(op)
    return _are_all_items([op.out], makers)


def counts_up(op: Apply) -> bool:
    """Whether a range has no negative numbers, as it is written."""
    if op.kwargs or len(op.args) > 3:
        return False
    if len(op.args) == 1:
        return True
    start, stop, step = (*op.args, Const(1))[:3]
    if not isinstance(step, Const) or type(step.value) is not int:
        return False
    first, least = (start, 0) if step.value > 0 else (stop, -1)
    return (
        isinstance(first, Const) and type(first.value) is int and (first.value >= least)
    )


def may_repeat(index: Atom, makers: Mapping[str, Apply]) -> bool:
    """Whether an index may name one element twice."""
    return _may_repeat(index, makers, ())


def may_repeat_by_kind(index: Atom) -> bool:
    """Whether an index may name one element twice, by what kind of value it is."""
    known = fact_of_atom(index)
    if known.kind in ("int", "bool", "none", "str", "other"):
        return False
    if isinstance(index, Const):
        parts = index.value if isinstance(index.value, tuple) else (index.value,)
        return not all(
            isinstance(p, (int, slice, type(None), type(...))) for p in parts
        )
    if known.kind == "array":
        return known.dtype is None or known.dtype != np.bool_
    if known.kind == "scalar":
        return False
    if known.kind == "tuple" and known.items is not None:
        plain = ("int", "bool", "none", "other", "scalar")
        return not all(
            f.kind in plain or (f.kind == "array" and f.dtype == np.bool_)
            for f in known.items
        )
    return True


def are_distinct(
    items: tuple[Atom, ...], makers: Mapping[str, Apply], tests: tuple[Atom, ...]
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
