"""Statements of the plan -> what they read."""

from __future__ import annotations

from collections.abc import Iterable

from yota_ast.codegen.plan.statement_plan import (
    Append,
    Attempt,
    Branch,
    Exit,
    Let,
    Loop,
    Move,
    Plan,
    Stmt,
    Throw,
    Within,
    Write,
    parts_of,
    walk,
)
from yota_ast.ir.nodes import While, atoms_of


def read_by(stmt: Stmt) -> tuple[object, ...]:
    """Return the atoms that a statement itself reads."""
    match stmt:
        case Let():
            return parts_of(stmt.value)
        case Write() | Throw() | Within() | Attempt():
            return atoms_of(stmt.op)
        case Move():
            return tuple(a for _, a in stmt.pairs)
        case Branch():
            return (stmt.test,)
        case Loop():
            own = (stmt.op.test,) if isinstance(stmt.op, While) else ()
            return (*atoms_of(stmt.op), *own)
        case Exit():
            return (stmt.value, *stmt.results)
        case _:
            return ()


def names_read(stmts: Iterable[Stmt], plan: Plan, *, saved: bool = True) -> set[str]:
    """Return the variables that statements read, their blocks included; saved: those
    that are put aside for the reverse sweep too."""
    found: set[str] = set()
    for stmt in walk(tuple(stmts)):
        atoms = read_by(stmt)
        if saved and isinstance(stmt, Append):
            atoms = stmt.saved
        found.update(leaf for atom in atoms for leaf in plan.leaves(atom))
    return found
