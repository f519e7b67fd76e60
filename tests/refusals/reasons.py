"""The compiler's source -> the reasons for which it refuses programs, as patterns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "yota_ast"
WHERE = (
    "frontend",
    "adjoint",
    "analysis",
    "solvers",
    "nesting",
    "rules/notation/book.py",
    "rules/notation/bind.py",
)
"""What reads and differentiates programs. How rules are written, what the functions of
the package are called with and the command line have tests of their own."""
CALLS = (
    "refuse refuse_call UnsupportedSyntax UnsupportedCall NoRule SourceUnavailable"
    " refusal RuleError ShapeError AmbiguousType Misfit"
).split()


def reasons() -> Iterator[tuple[str, str]]:
    """The place and the text of each reason; what is filled in stands as `{}`."""
    for path in sorted(PACKAGE.rglob("*.py")):
        inside = path.relative_to(PACKAGE).as_posix()
        if inside.startswith(WHERE):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and _name(node.func) in CALLS:
                    if node.args and (text := _text(node.args[0])).strip("{}"):
                        yield f"{inside}:{node.lineno}", text


def matches(text: str, reason: str) -> bool:
    """Whether a reason that was given is one of a pattern."""
    pattern = ".+".join(re.escape(part) for part in text.split("{}"))
    return re.fullmatch(pattern, reason, re.DOTALL) is not None


def _name(function: ast.expr) -> str:
    return str(getattr(function, "id", None) or getattr(function, "attr", ""))


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(v) if isinstance(v, ast.Constant) else "{}"
                       for v in node.values)  # fmt: skip
    return "{}"
