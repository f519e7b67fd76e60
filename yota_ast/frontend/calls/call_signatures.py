"""The values that calls of one function are given -> what they have in common.

A function that is not inlined is lowered once for all its calls. Of a parameter it may
be that every call gives the same value (a flag, a function, an object), that the values
have one structure and differ in its leaves, or that each is a variable. A `Mould` says
which, and gives a value of its shape back for other leaves.

>>> from yota_ast.ir.abstract_values import FLOAT
>>> two, x = Const(2), Var("x", FLOAT)
>>> first = TupleValue((two, x))
>>> mould = mould_of(first)
>>> leaves(mould, first, {})
(x::float,)
>>> both = fitted(mould, TupleValue((Const(3), x)), {})
>>> leaves(both, first, {})
(Const(value=2, text=None, home=''), x::float)
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, replace
from yota_ast.frontend.heap.lowered_values import (
    Cell,
    CellKind,
    Heap,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.ir.abstract_values import Fact, anonymous, fact_of
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.facts.joined_facts import join

PLAIN = (int, float, complex, bool, str, type(None), np.generic, np.ndarray)


class Unlike(Exception):  # noqa: N818  caught, and said in a refusal
    """Two values that no variable can stand for."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A variable, of which this is known."""

    fact: Fact


@dataclass(frozen=True, slots=True)
class Same:
    """The same value at every call."""

    value: Value


@dataclass(frozen=True, slots=True)
class Parts:
    """A tuple or a container of one structure.

    kind: "tuple", or that of the container's cell. keys: of its items; None for a
    container that is a variable itself, which is then the only part.
    """

    kind: str
    cls: type | None
    keys: tuple[Any, ...] | None
    parts: tuple[Mould, ...]


Mould = Leaf | Same | Parts


def mould_of(value: Value) -> Mould:
    """The mould of the first value that is seen."""
    if isinstance(value, Var):
        return Leaf(anonymous(value.fact))
    if isinstance(value, TupleValue):
        return Parts("tuple", value.cls, (), tuple(map(mould_of, value.items)))
    return Same(value)


def taken_apart(value: Value, heap: Heap) -> Mould:
    """The mould of a value whose leaves are variables, as far as they can be."""
    if isinstance(value, Const):
        if isinstance(value.value, PLAIN):
            return Leaf(fact_of(value.value))
        return Same(value)
    if isinstance(value, TupleValue):
        parts = tuple(taken_apart(v, heap) for v in value.items)
        return Parts("tuple", value.cls, (), parts)
    if isinstance(value, Ref):
        cell = heap.get(value.cell)
        if cell is None or cell.kind not in ("list", "dict", "object"):
            return Same(value)  # None: of another way through the function
        if cell.unordered or cell.perhaps:  # no mould says what may be there
            return Same(value)
        if cell.kind == "object" and _holds_itself(value, heap):
            return Same(value)
        if cell.var is not None:
            whole = Leaf(anonymous(cell.var.fact))
            return Parts(cell.kind, cell.cls, None, (whole,))
        parts = tuple(taken_apart(v, heap) for v in cell.items.values())
        return Parts(cell.kind, cell.cls, tuple(cell.items), parts)
    return mould_of(value)


def floats_apart(value: Value, heap: Heap, *, whole: bool = False) -> Mould:
    """The mould of a value whose variables are the floats in it: the rest stays. Of a
    number alone it is the number, whole or not. whole: whole numbers are variables in
    containers, too."""
    apart = taken_apart(value, heap)
    if isinstance(apart, Leaf):
        return apart
    return _floats(apart, value, heap, whole=whole)


def _floats(mould: Mould, value: Value, heap: Heap, *, whole: bool) -> Mould:
    if isinstance(mould, Leaf):
        fact = mould.fact.with_whole_numbers(varies=whole)
        return mould if fact.holds_floats else Same(value)
    if isinstance(mould, Same):
        return mould
    pairs = zip(mould.parts, _items(value, heap), strict=True)
    parts = tuple(_floats(m, v, heap, whole=whole) for m, v in pairs)
    return replace(mould, parts=parts)


def fitted(mould: Mould, value: Value, heap: Heap) -> Mould:
    """The mould of both: what it says holds of another value too. Raises Unlike."""
    if isinstance(mould, Same):
        if mould.value == value:
            return mould
        return _common(taken_apart(mould.value, heap), taken_apart(value, heap))
    apart = taken_apart(value, heap)
    if isinstance(mould, Parts) and isinstance(apart, Parts) and _is_like(mould, apart):
        pairs = zip(mould.parts, _items(value, heap), strict=True)
        return replace(mould, parts=tuple(fitted(m, v, heap) for m, v in pairs))
    return _common(mould, apart)


def _common(a: Mould, b: Mould) -> Mould:
    if a == b:
        return a
    if isinstance(a, Leaf) and isinstance(b, Leaf):
        return Leaf(join(a.fact, b.fact))
    if isinstance(a, Parts) and isinstance(b, Parts) and _is_like(a, b):
        pairs = zip(a.parts, b.parts, strict=True)
        return replace(a, parts=tuple(_common(p, q) for p, q in pairs))
    raise Unlike


def _is_like(a: Parts, b: Parts) -> bool:
    """Whether two containers differ in what they hold alone."""
    alike = (a.kind, a.cls, a.keys) == (b.kind, b.cls, b.keys)
    return alike and len(a.parts) == len(b.parts)


def likened(mould: Mould, value: Value, heap: Heap) -> Mould:
    """The mould of both, where they differ in numbers and in variables alone: in what
    they have in common, it stays as it is. Raises Unlike."""
    if isinstance(mould, Same):
        if mould.value == value:
            return mould
        whole = _shallow(mould.value, heap)
        if whole is not None:
            return likened(whole, value, heap)
        if not (_is_number(mould.value) and _is_number(value)):
            raise Unlike
        return _common(taken_apart(mould.value, heap), taken_apart(value, heap))
    if isinstance(mould, Leaf):
        return _likened_leaf(mould, value, heap)
    other = _shallow(value, heap)
    if other is None or not _is_like(mould, other):
        raise Unlike
    pairs = zip(mould.parts, _items(value, heap), strict=True)
    return replace(mould, parts=tuple(likened(m, v, heap) for m, v in pairs))


def _likened_leaf(mould: Leaf, value: Value, heap: Heap) -> Leaf:
    if isinstance(value, Var) and anonymous(value.fact) == mould.fact:
        return mould
    if mould.fact.kind not in ("float", "int", "real") or not _is_number(value):
        raise Unlike
    other = taken_apart(value, heap)
    assert isinstance(other, Leaf)
    return Leaf(join(mould.fact, other.fact))


def _shallow(value: Value, heap: Heap) -> Parts | None:
    """The mould of a tuple or container by its items; None for what is no such, or of
    which more counts."""
    if isinstance(value, Ref):
        cell = heap.get(value.cell)
        if cell is None or cell.kind not in ("list", "dict", "object"):
            return None
        if cell.fixed or cell.unordered or cell.perhaps or cell.source is not None:
            return None
        if cell.kind == "object" and _holds_itself(value, heap):
            return None
        keys = None if cell.var is not None else tuple(cell.items)
        parts = tuple(map(mould_of, _items(value, heap)))
        return Parts(cell.kind, cell.cls, keys, parts)
    mould = mould_of(value)
    return mould if isinstance(mould, Parts) else None


def _holds_itself(ref: Ref, heap: Heap) -> bool:
    """Whether what an object holds leads back to it: no mould has an end then."""
    pending: list[Value] = [*heap[ref.cell].items.values()]
    seen: set[object] = set()
    while pending:
        value = pending.pop()
        if isinstance(value, TupleValue):
            pending += value.items
        if not isinstance(value, Ref) or value.cell in seen:
            continue
        if value.cell == ref.cell:
            return True
        seen.add(value.cell)
        cell = heap.get(value.cell)
        pending += () if cell is None else cell.items.values()
    return False


def _items(value: Value, heap: Heap) -> tuple[Value, ...]:
    """What a tuple or container holds; of one of unknown length, the variable."""
    if isinstance(value, TupleValue):
        return value.items
    assert isinstance(value, Ref)
    cell = heap[value.cell]
    return (cell.var,) if cell.var is not None else tuple(cell.items.values())


def _is_number(value: Value) -> bool:
    """Whether a value is a Python number: one that is written, or a variable."""
    if isinstance(value, Var):
        return value.fact.kind in ("float", "int")
    return isinstance(value, Const) and type(value.value) in (float, int)


def same_in(mould: Mould) -> Iterator[Value]:
    """What is the same value at every call, and no constant."""
    if isinstance(mould, Same) and not isinstance(mould.value, Const):
        yield mould.value
    elif isinstance(mould, Parts):
        for part in mould.parts:
            yield from same_in(part)


def opened_up(mould: Mould, heap: Heap) -> Mould:
    """The mould of a container by what it holds."""
    if isinstance(mould, Same):
        mould = _shallow(mould.value, heap) or mould
    if not isinstance(mould, Parts):
        return mould
    return replace(mould, parts=tuple(opened_up(p, heap) for p in mould.parts))


def is_lasting(mould: Mould) -> bool:
    """Whether a mould says the same in another lowering of the function."""
    return not any(same_in(mould))


def are_apart(
    moulds: Mapping[str, Mould],
    given: Mapping[str, Value],
    heap: Heap,
    around: Container[object],
) -> bool:
    """Whether no container that moulds take apart is met twice in what is given, or is
    among those around: within the function, it would be another one."""
    found: list[int] = []
    for name, mould in moulds.items():
        found += _opened(mould, given[name], heap)
    return len(found) == len(set(found)) and not any(c in around for c in found)


def _opened(mould: Mould, value: Value, heap: Heap) -> Iterator[int]:
    """The cells of a value that a mould takes apart."""
    if not isinstance(mould, Parts):
        return
    if isinstance(value, Ref):
        yield value.cell
    for part, item in zip(mould.parts, _items(value, heap), strict=True):
        yield from _opened(part, item, heap)


def leaves(mould: Mould, value: Value, heap: Heap) -> tuple[Value, ...]:
    """What the variables of a mould stand for in a value that fits it."""
    if isinstance(mould, Leaf):
        return (value,)
    if isinstance(mould, Same):
        return ()
    pairs = zip(mould.parts, _items(value, heap), strict=True)
    return tuple(leaf for m, v in pairs for leaf in leaves(m, v, heap))


def facts_of(mould: Mould) -> Iterator[Fact]:
    """What is known of the variables of a mould, in order."""
    if isinstance(mould, Leaf):
        yield mould.fact
    elif isinstance(mould, Parts):
        for part in mould.parts:
            yield from facts_of(part)


def named(mould: Mould, name: str) -> Iterator[tuple[str, Fact]]:
    """What is known of the variables of a mould, each by the name of the parameter or
    of the field that it stands for."""
    if isinstance(mould, Leaf):
        yield name, mould.fact
    elif isinstance(mould, Parts):
        keys = mould.keys if mould.kind in ("object", "dict") else None
        for k, part in enumerate(mould.parts):
            own = str(keys[k]).strip("_") if keys else ""
            yield from named(part, own if own.isidentifier() else name)


def filled(
    mould: Mould, variables: Iterator[Var], new_cell: Callable[[Cell], Ref]
) -> Value:
    """A value of the mould's structure with these variables for its leaves."""
    if isinstance(mould, Leaf):
        return next(variables)
    if isinstance(mould, Same):
        return mould.value
    parts = tuple(filled(p, variables, new_cell) for p in mould.parts)
    if mould.kind == "tuple":
        return TupleValue(parts, mould.cls or tuple)
    kind: CellKind = mould.kind  # type: ignore[assignment]
    if mould.keys is None:
        whole = parts[0]
        assert isinstance(whole, Var)
        return new_cell(Cell(kind, {}, mould.cls, whole))
    return new_cell(Cell(kind, dict(zip(mould.keys, parts, strict=True)), mould.cls))
