"""Text <-> syntax trees: the only package that touches gast and astor.

>>> from yota_ast import syntax
>>> tree = syntax.quote("d = d + e", d="dx", e=syntax.parse_expr("dy*np.cos(x)"))
>>> print(syntax.print_stmts(tree), end="")
dx = dx + dy * np.cos(x)
"""

from yota_ast.syntax.grammar import OR, Node, precedence
from yota_ast.syntax.long_sums import plain_numbers, spread
from yota_ast.syntax.own_nodes import Blank, Comment, Grouped
from yota_ast.syntax.quoting import (
    Hole,
    from_ast,
    nodes,
    parse,
    parse_expr,
    parse_to_print,
    quote,
    quote_expr,
    set_context,
    substitute,
)
from yota_ast.syntax.scalar_literals import literal
from yota_ast.syntax.statement_layout import (
    WIDTH,
    comment_text,
    line_width,
    print_expr,
    print_module,
    print_stmts,
    width,
)

__all__ = [
    "OR",
    "WIDTH",
    "Blank",
    "Comment",
    "Grouped",
    "Hole",
    "Node",
    "comment_text",
    "from_ast",
    "line_width",
    "literal",
    "nodes",
    "parse",
    "parse_expr",
    "parse_to_print",
    "plain_numbers",
    "precedence",
    "print_expr",
    "print_module",
    "print_stmts",
    "quote",
    "quote_expr",
    "set_context",
    "spread",
    "substitute",
    "width",
]
