"""The values that calls of one function are given -> what they have in common.

A function that is not inlined is lowered once for all its calls. Of a parameter it may
be that every call gives the same value (a flag, a function, an object), that the values
have one structure and differ in its leaves, or that each is a variable. A `Mould` says
which, and gives a value of its shape back for other leaves.

>>> from ..facts import FLOAT
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

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from yota_ast.facts import Fact, anonymous, fact_of, join
from yota_ast.frontend.values import Cell, CellKind, Heap, Ref, TupleValue, Value
from yota_ast.tape import Const, Var

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
        cell = heap[value.cell]
        if cell.kind not in ("list", "dict", "object"):
            return Same(value)
        if cell.unordered or cell.perhaps:  # no mould says what may be there
            return Same(value)
        if cell.var is not None:
            whole = Leaf(anonymous(cell.var.fact))
            return Parts(cell.kind, cell.cls, None, (whole,))
        parts = tuple(taken_apart(v, heap) for v in cell.items.values())
        return Parts(cell.kind, cell.cls, tuple(cell.items), parts)
    return mould_of(value)


def fitted(mould: Mould, value: Value, heap: Heap) -> Mould:
    """The mould of both: what it says holds of another value too. Raises Unlike."""
    if isinstance(mould, Same):
        if mould.value == value:
            return mould
        return _common(taken_apart(mould.value, heap), taken_apart(value, heap))
    if isinstance(mould, Parts) and isinstance(value, TupleValue):
        if mould.kind == "tuple" and len(mould.parts) == len(value.items):
            pairs = zip(mould.parts, value.items, strict=True)
            parts = tuple(fitted(m, v, heap) for m, v in pairs)
            return Parts(mould.kind, mould.cls, mould.keys, parts)
    return _common(mould, taken_apart(value, heap))


def _common(a: Mould, b: Mould) -> Mould:
    if a == b:
        return a
    if isinstance(a, Leaf) and isinstance(b, Leaf):
        return Leaf(join(a.fact, b.fact))
    if isinstance(a, Parts) and isinstance(b, Parts):
        if (a.kind, a.cls, a.keys) == (b.kind, b.cls, b.keys):
            if len(a.parts) == len(b.parts):
                pairs = zip(a.parts, b.parts, strict=True)
                parts = tuple(_common(p, q) for p, q in pairs)
                return Parts(a.kind, a.cls, a.keys, parts)
    raise Unlike


def leaves(mould: Mould, value: Value, heap: Heap) -> tuple[Value, ...]:
    """What the variables of a mould stand for in a value that fits it."""
    if isinstance(mould, Leaf):
        return (value,)
    if isinstance(mould, Same):
        return ()
    if isinstance(value, TupleValue):
        items: tuple[Value, ...] = value.items
    else:
        assert isinstance(value, Ref)
        cell = heap[value.cell]
        items = (cell.var,) if cell.var is not None else tuple(cell.items.values())
    pairs = zip(mould.parts, items, strict=True)
    return tuple(leaf for m, v in pairs for leaf in leaves(m, v, heap))


def facts_of(mould: Mould) -> Iterator[Fact]:
    """What is known of the variables of a mould, in order."""
    if isinstance(mould, Leaf):
        yield mould.fact
    elif isinstance(mould, Parts):
        for part in mould.parts:
            yield from facts_of(part)


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
