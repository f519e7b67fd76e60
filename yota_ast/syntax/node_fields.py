"""Fields of syntax nodes, and what is noted at them.

>>> from yota_ast.syntax import nodes, parse_expr
>>> name = parse_expr("x")
>>> set_fields(name, id="y", header="y")
>>> name.id, name.header
('y', 'y')
"""

from __future__ import annotations

from yota_ast.syntax.grammar import Node


def set_fields(node: Node, **values: object) -> None:
    """Set fields of a node that no other tree holds, or note something at a node."""
    for name, value in values.items():
        setattr(node, name, value)
