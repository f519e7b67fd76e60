"""Nodes that stand in no source, made for what is lowered in other words.

>>> from yota_ast.syntax import print_expr
>>> print_expr(name_node("xs"))
'xs'
"""

from __future__ import annotations

from yota_ast.frontend.heap.lowered_values import Node
from yota_ast.syntax import nodes


def name_node(name: str, *, store: bool = False) -> Node:
    """A name that is read, or one that is assigned."""
    ctx = nodes.Store() if store else nodes.Load()
    return nodes.Name(name, ctx, None, None)


def placed(made: Node, at: Node) -> Node:
    """A made node, of which all parts that stand in no source stand where `at` does."""
    for node in nodes.walk(made):
        if getattr(node, "lineno", None) is None:
            nodes.copy_location(node, at)
    return made
