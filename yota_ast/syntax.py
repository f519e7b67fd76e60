"""Text <-> syntax trees, and snippets with holes: the only module that touches gast and astor.

>>> tree = quote("d = d + e", d="dx", e=parse_expr("dy * np.cos(x)"))
>>> print(print_stmts(tree), end="")
dx = dx + dy * np.cos(x)
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from typing import Any

import gast

nodes = gast
"""The node classes, for the rest of the compiler: ``nodes.BinOp``."""

Node = Any
"""A gast node (the library has no types)."""
Hole = Any
"""What fills a hole of a snippet: a node, a name, or a number."""


def parse(text: str) -> Node:
    """The gast tree of a module's text."""
    return gast.parse(text)


def parse_expr(text: str) -> Node:
    """The gast tree of one expression."""
    return gast.ast_to_gast(ast.parse(text.strip(), mode="eval")).body


def print_expr(node: Node) -> str:
    return ast.unparse(gast.gast_to_ast(copy.deepcopy(node)))


def print_stmts(stmts: Sequence[Node]) -> str:
    return "".join(ast.unparse(gast.gast_to_ast(copy.deepcopy(s))) + "\n" for s in stmts)


def print_module(module: Node) -> str:
    return print_stmts(module.body)


def literal(value: object) -> Node:
    """The node of a Python or NumPy scalar; negative numbers as unary minus, nan and inf of NumPy.

    >>> print_expr(literal(-2.5)), print_expr(literal(float("-inf")))
    ('-2.5', '-np.inf')
    """
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float | complex):
        return gast.Constant(value, None)
    if isinstance(value, complex):
        return _complex_literal(value)
    if value != value:
        return parse_expr("np.nan")
    if str(value).startswith("-"):
        return gast.UnaryOp(gast.USub(), literal(-value))
    if value == float("inf"):
        return parse_expr("np.inf")
    return gast.Constant(value, None)


def _complex_literal(value: complex) -> Node:
    """A sum of a real and an imaginary literal; `complex(...)` where a sum would change a bit."""
    if str(value.real) == "0.0" and value.imag > 0 and value.imag != float("inf"):
        return gast.Constant(value, None)
    return gast.Call(parse_expr("complex"), [literal(value.real), literal(value.imag)], [])


def quote(snippet: str, /, **holes: Hole) -> list[Node]:
    """The statements of `snippet`, each name that is a hole filled with a copy of its node."""
    return [_Fill(snippet, holes).visit(stmt) for stmt in parse(snippet).body]


def quote_expr(snippet: str, /, **holes: Hole) -> Node:
    """The expression `snippet`, its holes filled."""
    return _Fill(snippet, holes).visit(parse_expr(snippet))


class _Fill(gast.NodeTransformer):  # type: ignore[misc]
    """Replace the names that are holes, wherever they stand, targets and parameters included."""

    def __init__(self, snippet: str, holes: Mapping[str, Hole]) -> None:
        self.holes = {name: _hole(hole) for name, hole in holes.items()}
        self.snippet = snippet

    def visit_Name(self, node: Node) -> Node:
        hole = self.holes.get(node.id)
        if hole is None:
            return node
        filled = copy.deepcopy(hole)
        if isinstance(node.ctx, gast.Param):
            filled.ctx, filled.annotation = gast.Param(), node.annotation
        else:
            set_context(filled, node.ctx)
        return filled


def _hole(hole: Hole) -> Node:
    if isinstance(hole, str):
        return parse_expr(hole)
    return hole if isinstance(hole, ast.AST) else literal(hole)


def set_context(node: Node, context: Node) -> None:
    """Make `node` a target, or a value, all the way down its tuples."""
    if hasattr(node, "ctx"):
        node.ctx = context
    if isinstance(node, gast.Tuple | gast.List):
        for element in node.elts:
            set_context(element, context)
    elif isinstance(node, gast.Starred):
        set_context(node.value, context)


def substitute(node: Node, values: Mapping[str, Node]) -> Node:
    """A copy of `node` with copies of `values` for the names read in it."""
    return _Substitute(values).visit(copy.deepcopy(node))


class _Substitute(gast.NodeTransformer):  # type: ignore[misc]
    def __init__(self, values: Mapping[str, Node]) -> None:
        self.values = values

    def visit_Name(self, node: Node) -> Node:
        if isinstance(node.ctx, gast.Load) and node.id in self.values:
            return copy.deepcopy(self.values[node.id])
        return node
