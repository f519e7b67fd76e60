"""A comprehension -> the loop that builds its list or dict.

>>> from yota_ast.syntax import parse_expr, print_stmts
>>> made = loop_of_comprehension(parse_expr("{k: v for k, v in z if v}"))
>>> print(print_stmts(made).replace(RESULT, "made").rstrip())
for k, v in z:
    if v:
        made[k] = v
"""

from __future__ import annotations

from typing import Final

from yota_ast.frontend.desugar.made_nodes import name_node, placed
from yota_ast.frontend.heap.lowered_values import Cell, Node
from yota_ast.syntax import nodes, quote

RESULT: Final = "%made"
"""The name of what is built."""


def loop_of_comprehension(node: Node) -> list[Node]:
    """Return the statements that build what a comprehension gives in RESULT."""
    made = name_node(RESULT)
    if isinstance(node, nodes.DictComp):
        body = quote("d[k] = e", d=made, k=node.key, e=node.value)
    else:
        body = quote("xs.append(e)", xs=made, e=node.elt)
    for generator in reversed(node.generators):
        for condition in reversed(generator.ifs):
            body = [nodes.If(condition, body, [])]
        body = [nodes.For(generator.target, generator.iter, body, [], None)]
    return [placed(stmt, node) for stmt in body]


def empty_cell(node: Node) -> Cell:
    """Return what the loop of a comprehension begins with."""
    if isinstance(node, nodes.DictComp):
        return Cell("dict", {}, dict)
    return Cell("list", {}, list)
