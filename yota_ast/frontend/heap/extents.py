"""A value -> how much there is of it: how many items, containers and objects it is.

A function that calls itself with less each time comes to an end: the walk down a tree
of tuples, dicts or objects whose structure is known is followed as if it were written
out.

>>> extent(Const(1.5), {}), extent(Const((1.5, ("x", (2.5,)))), {})
(1, 6)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Cell,
    Ref,
    TupleValue,
    is_user_class,
)
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const, Var

MOST: Final = 1000
"""What is larger is not measured."""
_CONTAINERS: Final = (tuple, list, set, frozenset)


def shrinks(
    now: Mapping[str, object], before: Mapping[str, object], heap: Mapping[int, Cell]
) -> bool:
    """Whether there is less of one of several values, or a part of an argument."""
    for name in now.keys() & before.keys():
        old, new = before[name], now[name]
        if isinstance(old, Argument) and isinstance(new, Argument):
            if len(new.path) > len(old.path):
                return True
            continue
        first, then = extent(old, heap), extent(new, heap)
        if isinstance(old, Argument) and first is None:
            first = 2
        if first is not None and then is not None and then < first:
            return True
    return False


def extent(value: object, heap: Mapping[int, Cell]) -> int | None:
    """How many items, containers and objects a value is made of; None where that is not
    known, or too many.
    """
    count, waiting, seen = 0, [value], set[int]()
    while waiting:
        one = waiting.pop()
        inner = _parts(one, heap, seen)
        if inner is None:
            return None
        count += 1
        waiting += inner
        if count > MOST:
            return None
    return count


_LEAF: Final = ()


def _parts(
    one: object, heap: Mapping[int, Cell], seen: set[int]
) -> Iterable[object] | None:
    """What a container or an object holds, if it is not seen before."""
    if isinstance(one, Ref):
        cell = heap[one.cell]
        if one.cell in seen:
            return _LEAF
        seen.add(one.cell)
        return None if cell.var is not None else list(cell.items.values())
    if isinstance(one, TupleValue):
        return list(one.items)
    if isinstance(one, (Argument, Var)):
        return _parts_of_fact(one.fact)
    if isinstance(one, Fact):
        return _parts_of_fact(one)
    return _parts_of_object(one.value if isinstance(one, Const) else one, seen)


def _parts_of_fact(fact: Fact) -> Iterable[object] | None:
    if fact.kind not in ("tuple", "list", "dict", "object", "unknown"):
        return _LEAF
    return None if fact.items is None else list(fact.items)


def _parts_of_object(one: object, seen: set[int]) -> Iterable[object]:
    """What a Python object holds, if it is a container or of a user's class."""
    if isinstance(one, _CONTAINERS):
        return list(one)
    if isinstance(one, dict):
        return list(one.values())
    if id(one) in seen or not is_user_class(type(one)) or not hasattr(one, "__dict__"):
        return _LEAF
    seen.add(id(one))
    return list(vars(one).values())
