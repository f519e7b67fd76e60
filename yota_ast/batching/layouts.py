"""Which parts of a value have an axis for the examples.

A number or an array is mapped, True, if axis 0 of what stands for it counts the
examples; else all examples share it, False. A container has a layout for each item, or
one for `Every` item where their number is not known.

>>> join((True, False), (False, False)), join((), Every(True))
((True, False), Every(each=True))
>>> is_mapped(Every((False, True))), item(Every(True)), item((False, True))
(True, True, True)
"""

from __future__ import annotations

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.ir.abstract_values import CONTAINERS, Fact


@dataclass(frozen=True, slots=True)
class Every:
    """The layout of each item of a list."""

    each: Layout


Layout = bool | tuple["Layout", ...] | Every


def join(a: Layout, b: Layout) -> Layout:
    """The least layout in which both fit."""
    if isinstance(a, bool) or isinstance(b, bool):
        return b if a is False else a if b is False else True
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(map(join, a, b))
    return Every(join(item(a), item(b)))


def item(layout: Layout) -> Layout:
    """The layout of any item of a container, or of any row of an array."""
    if isinstance(layout, Every):
        return layout.each
    found: Layout = False
    if isinstance(layout, tuple):
        for each in layout:
            found = join(found, each)
        return found
    return layout


def is_mapped(layout: Layout) -> bool:
    """Whether any part is mapped."""
    if isinstance(layout, Every):
        return is_mapped(layout.each)
    return layout if isinstance(layout, bool) else any(map(is_mapped, layout))


def is_full(layout: Layout) -> bool:
    """Whether all parts are mapped: of a list that has none, too."""
    if isinstance(layout, Every):
        return is_full(layout.each)
    return layout if isinstance(layout, bool) else all(map(is_full, layout))


def is_even(layout: Layout) -> bool:
    """Whether all items of a container have one layout."""
    return not isinstance(layout, tuple) or len(set(layout)) < 2


def is_flat(layout: Layout) -> bool:
    """Whether no item of a container is a container.

    >>> is_flat((True, False)), is_flat(Every((True,)))
    (True, False)
    """
    items = layout if isinstance(layout, tuple) else (item(layout),)
    return all(isinstance(each, bool) for each in items)


def filled(fact: Fact) -> Layout:
    """The layout of a value all of whose parts are mapped.

    >>> from yota_ast.ir.abstract_values import fact_of
    >>> filled(fact_of(2.0)), filled(fact_of((1.0, [2.0])))
    (True, (True, (True,)))
    """
    if fact.kind not in CONTAINERS:
        return True
    if fact.items is not None:
        return tuple(map(filled, fact.items))
    return Every(True if fact.element is None else filled(fact.element))
