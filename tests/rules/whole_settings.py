"""A use of an operation -> the same with its whole numbers as arguments, one at a time.

>>> [(str(one), name) for one, name in with_settings(op("np.roll(x, 2)", x=1.0))]
[('np.roll(x, setting)', 'setting')]
>>> cast((1, 2), np.uint8), cast(-1, np.uint8)
((np.uint8(1), np.uint8(2)), None)
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..operations import Op, op

__all__ = ["cast", "op", "whole_number", "with_settings"]

SETTING = "setting"


def with_settings(one: Op) -> Iterator[tuple[Op, str]]:
    """The uses of an operation in which a whole number is an argument, and its name."""
    tree = ast.parse(one.text, mode="eval")
    nodes = list(ast.walk(tree))
    negated = [n.operand for n in nodes if isinstance(n, ast.UnaryOp)]
    for k, node in enumerate(nodes):
        value = whole_number(node)
        if value is not None and node not in negated:
            text = ast.unparse(_Named(k).of(tree))
            arguments = (*one.arguments, (SETTING, value))
            yield Op(text, arguments, one.symmetric), SETTING
    for name, value in one.arguments:
        if _is_whole(value):
            yield one, name


def whole_number(node: ast.AST) -> int | None:
    """The number that a node writes: `2`, `-1`."""
    match node:
        case ast.Constant(int(n)) if type(n) is int:
            return n
        case ast.UnaryOp(ast.USub(), ast.Constant(int(n))) if type(n) is int:
            return -n
    return None


class _Named(ast.NodeTransformer):
    """Puts the name of the setting in the place of the k-th node."""

    def __init__(self, k: int) -> None:
        self.k = k

    def of(self, tree: ast.AST) -> ast.AST:
        tree = copy.deepcopy(tree)
        self.node = list(ast.walk(tree))[self.k]
        return self.visit(tree)

    def visit(self, node: ast.AST) -> Any:
        return ast.Name(SETTING) if node is self.node else self.generic_visit(node)


def _is_whole(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and all(type(v) is int for v in value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "iub"
    return type(value) is int


def cast(value: Any, dtype: type, *, array: bool = False) -> Any:
    """The same numbers of a type of NumPy's; None where that does not hold them."""
    if isinstance(value, list | tuple):
        items = [cast(v, dtype, array=array) for v in value]
        return None if None in items else type(value)(items)
    with np.errstate(all="ignore"):
        made = np.asarray(value).astype(dtype)
    if not np.array_equal(made, value):
        return None
    return made if array or isinstance(value, np.ndarray) else made[()]
