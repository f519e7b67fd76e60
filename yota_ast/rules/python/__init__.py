"""Rules of Python's builtins and of its modules of mathematics."""

from yota_ast.rules.python import (
    builtins,
    cmath,
    math,
)

__all__ = [
    "builtins",
    "cmath",
    "math",
]
