"""A statement -> its first line, as generated code and messages show it."""

from __future__ import annotations

import sys
from typing import Final

from yota_ast.frontend.heap.lowered_values import (
    Node,
)
from yota_ast.syntax import print_expr, print_stmts, width

LINE_WIDTH: Final = 400


def header(stmt: Node) -> str:
    """A statement on one line; of a compound statement its first line."""
    if hasattr(stmt, "header"):
        return str(stmt.header)
    kind = type(stmt).__name__
    if kind in ("If", "While"):
        word = kind.lower()
        return f"{word} {print_expr(stmt.test)}:"
    if kind == "For":
        return f"for {print_expr(stmt.target)} in {print_expr(stmt.iter)}:"
    if kind in ("With", "Try", "Match", "FunctionDef", "ClassDef"):
        text = print_stmts([stmt]).lstrip("\n").splitlines()[0]
    else:
        with width(sys.maxsize):
            text = " ".join(print_stmts([stmt]).split("\n")).strip()
    return text if len(text) <= LINE_WIDTH else text[: LINE_WIDTH - 3] + "..."
