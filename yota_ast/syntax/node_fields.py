"""Fields of syntax nodes, and what is noted at them.

>>> from yota_ast.syntax import nodes, parse_expr
>>> name = parse_expr("x")
>>> set_fields(name, id="y", header="y")
>>> name.id, name.header
('y', 'y')
"""

from __future__ import annotations

import ast
from typing import Final

from yota_ast.syntax.grammar import Node

_SIGNS: Final = frozenset(("op", "ops", "ctx"))
_FIELDS: Final[dict[type, tuple[str, ...]]] = {}
"""The other fields, by the class of a node."""


def children(node: Node) -> list[Node]:
    """Return the nodes that a node holds, in order, but for the signs and contexts of
    expressions, which hold none themselves."""
    kind = node.__class__
    fields = _FIELDS.get(kind)
    if fields is None:
        fields = _FIELDS[kind] = tuple(f for f in kind._fields if f not in _SIGNS)
    found: list[Node] = []
    held = node.__dict__
    for field in fields:
        value = held.get(field)
        if isinstance(value, list):
            found += [v for v in value if isinstance(v, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def set_fields(node: Node, **values: object) -> None:
    """Set fields of a node that no other tree holds, or note something at a node."""
    for name, value in values.items():
        setattr(node, name, value)
