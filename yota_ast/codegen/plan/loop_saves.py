"""A loop's body, what it saves -> the body with the append, and copies where needed.

The append stands at the top if all it saves is there on entering the iteration, else
at the end of the body, else where all is defined. What enters the iteration and is
overwritten before the append is copied at the top: `x_in = x`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from yota_ast.codegen.plan.statement_plan import (
    Append,
    Move,
    NewList,
    Stmt,
    targets_of,
    walk,
)
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.nodes import For, While
from yota_ast.syntax import saved_names
from yota_ast.syntax.names import is_weak

Key = Callable[[Var], object]


def save(
    op: For | While, body: Sequence[Stmt], key: Key
) -> tuple[list[Stmt], tuple[Var, ...]]:
    """Return the body of a loop that saves, and what it appends."""
    if op.stack is None:
        return list(body), ()
    at = _place(op, body, key)
    entering = {c.inside: c.next for c in op.carries}
    saved: list[Var] = []
    copies: list[tuple[Var, Atom]] = []
    for var in op.saved:
        after = entering.get(var)
        if after is not None and _is_overwritten(var, after, body[:at]):
            copy = Var(f"{var.name}@in", var.fact, saved_names.at_entry(var.hint))
            copies.append((copy, var))
            saved.append(copy)
        else:
            saved.append(var)
    top: list[Stmt] = [Move(tuple(copies))] if copies else []
    append = Append(op.stack, tuple(saved))
    return [*top, *body[:at], append, *body[at:]], tuple(saved)


def _place(op: For | While, body: Sequence[Stmt], key: Key) -> int:
    """Return where to append: at the top, else at the end if nothing forbids it."""
    names = {key(v) for v in op.saved}
    first = 0
    for i, stmt in enumerate(body):
        if any(key(v) in names for v in _defined(stmt)):
            first = i + 1
    if first == 0 or op.stop is not None:
        return first
    lists = {s.stack for s in walk(tuple(body)) if isinstance(s, NewList)}
    hints = {v.hint for v in op.saved if not is_weak(v.hint) and v not in lists}
    later = (v for stmt in walk(tuple(body[first:])) for v in targets_of(stmt))
    return first if any(v.hint in hints for v in later) else len(body)


def _is_overwritten(var: Var, after: object, body: Sequence[Stmt]) -> bool:
    """Say whether the name of `var` is given to its next value in `body`."""
    return any(
        target == after or (not is_weak(var.hint) and target.hint == var.hint)
        for stmt in body
        for target in _defined(stmt)
    )


def _defined(stmt: Stmt) -> Iterable[Var]:
    """Yield what a statement and its blocks assign."""
    for inner in walk((stmt,)):
        yield from targets_of(inner)
