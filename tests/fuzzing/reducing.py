"""A failing program -> a smaller one that fails in the same way.

Statements go, blocks are replaced by their bodies, expressions by their parts, as long
as the failure stays.

>>> text = "def program(x):\\n    y = 2\\n    return x + y\\n"
>>> print(reduced(text, lambda source: "return" in source and "x" in source))
def program(x):
    return x
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

Fails = Callable[[str], bool]


def reduced(source: str, fails: Fails, most: int = 3000) -> str:
    """The smallest program found that still fails; most: how many are tried."""
    tree = ast.parse(source)
    tries = 0
    shrunk = True
    while shrunk and tries < most:
        shrunk = False
        at = 0
        while tries < most:
            candidate = _nth(tree, at)
            if candidate is None:
                break
            tries += 1
            if _fails(candidate, fails):
                tree, shrunk = candidate, True
            else:
                at += 1
    return ast.unparse(tree)


def _fails(tree: ast.Module, fails: Fails) -> bool:
    try:
        text = ast.unparse(tree)
        compile(text, "<reduced>", "exec")
    except (SyntaxError, ValueError):
        return False
    return fails(text)


def _nth(tree: ast.Module, at: int) -> ast.Module | None:
    """A copy of the tree with its at-th simplification made."""
    copied = copy.deepcopy(tree)
    for number, change in enumerate(_changes(copied)):
        if number == at:
            change()
            return copied
    return None


def _changes(tree: ast.Module) -> Iterator[Callable[[], None]]:
    nodes = list(ast.walk(tree))
    for node in nodes:
        for field in ("body", "orelse", "finalbody", "handlers"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                yield from _of_block(node, field, block)
    for node in nodes:
        if isinstance(node, ast.stmt | ast.expr) and not isinstance(
            node, ast.FunctionDef
        ):
            yield from _of_expressions(node)


def _of_block(node: ast.AST, field: str, block: list) -> Iterator[Callable[[], None]]:
    for k, child in enumerate(block):
        rest = block[:k] + block[k + 1 :]
        if not rest and field == "body" and not isinstance(node, ast.Module):
            if not isinstance(child, ast.Pass):
                yield lambda: setattr(node, field, [ast.Pass()])
        else:
            yield lambda k=k: block.pop(k)
        if isinstance(child, ast.If | ast.For | ast.While | ast.With | ast.Try):
            inner = [*child.body, *getattr(child, "orelse", [])]
            yield lambda k=k, child=child: block.__setitem__(
                slice(k, k + 1), child.body
            )
            yield lambda k=k, inner=inner: block.__setitem__(slice(k, k + 1), inner)


def _of_expressions(node: ast.AST) -> Iterator[Callable[[], None]]:
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.expr) and isinstance(getattr(value, "ctx", None), ast.Load | None):  # fmt: skip
            for part in _parts(value):
                yield lambda f=field, p=part: setattr(node, f, p)
        if isinstance(value, list) and value and isinstance(value[0], ast.expr):
            for k, item in enumerate(value):
                for part in _parts(item):
                    yield lambda v=value, k=k, p=part: v.__setitem__(k, p)


def _parts(value: ast.expr) -> list[ast.expr]:
    """What may stand instead of an expression: a part of it."""
    if isinstance(value, ast.Constant | ast.Name | ast.Lambda | ast.Attribute):
        return []
    return [
        child
        for child in ast.iter_child_nodes(value)
        if isinstance(child, ast.expr) and not _is_module(child)
    ][:6]


def _is_module(node: ast.expr) -> bool:
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
    plain = isinstance(node, ast.Attribute | ast.Name)
    return plain and any(n in ("np", "math") for n in names)
