"""Errors that carry numbers from where they are raised to where they are caught.

A derivative does not follow them: what reads what such an error holds is refused.

>>> carries_numbers([])
False
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from typing import Final

from yota_ast.frontend.heap.lowered_values import Node
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.nodes import Apply, Block, Op, Outlined, Raise, Try, only, walk
from yota_ast.ops import info
from yota_ast.syntax import nodes

TEXTS: Final = ("str", "int", "bool", "nothing", "callable")
"""Kinds of what has no derivative."""


def carries_numbers(body: Iterable[Op]) -> bool:
    """Whether what ops raise may hold values that have derivatives."""
    ops = list(walk(Block(tuple(body))))
    made = {op.out.name: op for op in only(ops, Apply)}
    inner = {op.error.name for op in only(ops, Try)}
    if any(isinstance(op.fn, Outlined) for op in made.values()):
        return True  # it may raise such
    return any(_holds(op.exc, made, inner) for op in only(ops, Raise))


def _holds(exc: Atom, made: dict[str, Apply], inner: set[str]) -> bool:
    """Whether an error may hold what has a derivative; inner: those caught before."""
    if not isinstance(exc, Var) or exc.name in inner:
        return False
    op = made.get(exc.name)
    if op is None:
        return True
    given = (*op.args, *(a for _, a in op.kwargs))
    return any(isinstance(a, Var) and a.fact.kind not in TEXTS for a in given)


def reads_inside(handler: Node) -> Node | None:
    """The first use of an error's name that may read what the error holds."""
    name = getattr(handler.name, "id", handler.name)
    for parent in _within(handler.body):
        if isinstance(parent, (nodes.Raise, nodes.FormattedValue)):
            continue
        if _tells(getattr(parent, "func", None)):
            continue
        for child in nodes.iter_child_nodes(parent):
            if isinstance(child, nodes.Name) and child.id == name:
                return parent
    return None


def _tells(func: Node | None) -> bool:
    """Whether a builtin of this name tells an error's text or class."""
    known = info(vars(builtins).get(getattr(func, "id", "")))
    return known.text or known.tells


def _within(body: Iterable[Node]) -> Iterator[Node]:
    """All nodes of some statements, in order."""
    for stmt in body:
        yield from nodes.walk(stmt)
