"""Nodes of this package's own: what is in a text and not in a tree of Python."""

import ast
from typing import Any, ClassVar


class Comment(ast.stmt):
    """A comment; an `inline` one stands behind the statement before, where it fits."""

    _fields: ClassVar[tuple[str, ...]] = ("text", "inline")

    def __init__(self, text: str = "", inline: bool = False) -> None:  # noqa: FBT002 - fields of a node
        super().__init__()
        self.text = text
        self.inline = inline


class Blank(ast.stmt):
    """A blank line."""


class Grouped(ast.expr):
    """An expression written in parentheses though precedence asks for none."""

    _fields: ClassVar[tuple[str, ...]] = ("value",)

    def __init__(self, value: Any = None) -> None:
        super().__init__()
        self.value = value
