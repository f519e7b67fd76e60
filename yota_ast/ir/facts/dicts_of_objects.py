"""Facts of objects that a list of unknown length holds: dicts of their fields.

>>> from yota_ast.ir.abstract_values import FLOAT
>>> class Edge:
...     pass
>>> edge = object_fact(Edge, {"weight": FLOAT})
>>> edge.cls, edge.stands_for is Edge
(<class 'dict'>, True)
>>> holds_objects(Fact("list", cls=list, element=edge))
True
"""

from __future__ import annotations

from collections.abc import Mapping

from yota_ast.ir.abstract_values import Fact
from yota_ast.syntax.value_literals import Keys


def object_fact(cls: type, fields: Mapping[str, Fact]) -> Fact:
    """The fact of the dict that stands for an object."""
    items, keys = tuple(fields.values()), Keys(fields)
    return Fact("dict", items=items, keys=keys, cls=dict, stands_for=cls)


def holds_objects(fact: Fact) -> bool:
    """Whether dicts stand for objects in a value."""
    return class_held(fact) is not None


def class_held(fact: Fact) -> type | None:
    """The class of an object for which a dict stands in a value; None if none does."""
    if fact.stands_for is not None:
        return fact.stands_for
    inner = (*(fact.items or ()), *filter(None, (fact.element, fact.present)))
    return next(filter(None, map(class_held, inner)), None)
