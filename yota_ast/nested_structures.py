"""The structure of an argument, and what nested code gives for its floats -> the
gradient, or from the tangent of the argument those of its floats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .frontend.moulds import Mould, Parts, facts_of
from .frontend.values import Cell, CellKind, TupleValue, Value
from .tape import Const


def gradient_like(lowering: Any, mould: Mould, found: Iterator[Value]) -> Value:
    """The gradient of an argument of a structure, from those of its leaves."""
    if not isinstance(mould, Parts):
        return next(found) if list(facts_of(mould)) else Const(None)
    if mould.kind == "object":
        items = dict(_by_path(mould, (), found))
        result: Value = lowering.new_cell(Cell("dict", items, dict))
        return result
    parts = [gradient_like(lowering, part, found) for part in mould.parts]
    if mould.kind == "tuple":
        return TupleValue(tuple(parts), mould.cls or tuple)
    if mould.keys is None:  # a container that is one variable
        return parts[0]
    kind: CellKind = mould.kind  # type: ignore[assignment]
    items = dict(zip(mould.keys, parts, strict=True))
    made: Value = lowering.new_cell(Cell(kind, items, mould.cls))
    return made


def _by_path(
    mould: Parts, path: tuple[Any, ...], found: Iterator[Value]
) -> Iterator[tuple[Any, Value]]:
    """The gradients of the leaves of an object, by their paths."""
    keys = mould.keys or range(len(mould.parts))
    for key, part in zip(keys, mould.parts, strict=True):
        below = (*path, key)
        if isinstance(part, Parts):
            yield from _by_path(part, below, found)
        elif list(facts_of(part)):
            yield below, next(found)


def leaf_tangents(
    lowering: Any, mould: Mould, d: Value, path: tuple[Any, ...], whole: Value
) -> Iterator[Value]:
    """The tangents of the leaves of an argument, from that of all of it."""
    if not isinstance(mould, Parts):
        yield from (d,) if list(facts_of(mould)) else ()
        return
    keys = mould.keys or range(len(mould.parts))
    for key, part in zip(keys, mould.parts, strict=True):
        if not list(facts_of(part)):
            continue
        below = (*path, key)
        if mould.kind == "object" and not isinstance(part, Parts):
            inner = lowering.subscript(whole, Const(below))
        elif mould.kind == "object":
            inner = whole
        else:
            inner = lowering.subscript(d, Const(key))
        yield from leaf_tangents(lowering, part, inner, below, whole)
