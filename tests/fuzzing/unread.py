"""What a program raises that makes what nobody reads -> what it raises without it."""

from __future__ import annotations

import ast
import traceback


def without_line(source: str, error: BaseException) -> str | None:
    """A program without the assignment that raised; None where another statement did."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f.lineno for f in frames if f.filename.startswith("<random program")]
    if not places or places[-1] is None:
        return None
    found = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Assign | ast.Expr)
        and node.lineno <= places[-1] <= (node.end_lineno or node.lineno)
    ]
    if not found:
        return None
    statement = found[-1]
    lines = source.splitlines()
    margin = " " * statement.col_offset
    lines[statement.lineno - 1 : statement.end_lineno] = [f"{margin}pass"]
    return "\n".join(lines) + "\n"
