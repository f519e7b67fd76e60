"""Plan, names -> the names that must hold something before anything is copied.

A merge may take a variable that one way through the function does not define. Under
one name nothing prints; where a copy prints, it must not raise what the user's function
does not: such names start as None.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

from yota_ast.codegen.plan.naming import Names
from yota_ast.codegen.plan.statement_plan import (
    Append,
    Branch,
    Exit,
    Let,
    Move,
    Plan,
    Stmt,
    Throw,
    walk,
)
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.nodes import Apply, If
from yota_ast.support.reachable import reach


def preset(plan: Plan, names: Names) -> list[str]:
    """Return the names to set to None at the top, in order of appearance."""
    doubtful = _maybe_undefined(plan)
    found: dict[str, None] = {}
    last = _last_move(plan)
    for stmt in walk(plan.body):
        read: list[Var] = []
        if isinstance(stmt, Move) and stmt is not last:
            read = [
                atom
                for var, atom in stmt.pairs
                if isinstance(atom, Var) and names.of(var) != names.of(atom)
            ]
        elif isinstance(stmt, Append):
            read = list(stmt.saved)
        elif isinstance(stmt, Let):
            read = _parts_of(stmt.value)
        found.update((names.of(v), None) for v in read if plan.key(v) in doubtful)
        leaves = dict.fromkeys(k for a in _built_of(stmt) for k in plan.leaves(a))
        found.update((names.by_key[k], None) for k in leaves if k in doubtful)
    held = {p.hint or p.name for p in plan.params}
    for stmt in plan.forward:  # what is always assigned, before any branch or loop
        if isinstance(stmt, Let) and not isinstance(stmt.value, If):
            held.update(names.of(v) for v in stmt.targets)
        elif isinstance(stmt, Move):
            held.update(names.of(v) for v, _ in stmt.pairs)
        else:
            break
    return [name for name in found if name not in held]


def _built_of(stmt: Stmt) -> tuple[Atom, ...]:
    """Return what is saved for a reverse sweep: it is built of what there is."""
    if isinstance(stmt, Let) and isinstance(stmt.value, Apply):
        return stmt.value.args if _keeps(stmt.value) else ()
    return stmt.results if isinstance(stmt, Exit) else ()


def _parts_of(op: object) -> list[Var]:
    """Return what a container is built of that the function has no name for: it is put
    together where a branch ends, of what either arm has."""
    parts = op.args if isinstance(op, Apply) and op.form == "build" else ()
    return [part for part in parts if isinstance(part, Var) and not part.hint]


def unassigned_result(plan: Plan, names: Names, unset: Sequence[str]) -> str | None:
    """Return the name of the result where it may be one of those that start as None,
    and that the function has assigned nothing: then it raises where it returns it."""
    value = plan.exit.value
    last = _last_move(plan)
    if last is not None:
        value = next((atom for var, atom in last.pairs if var == value), value)
    if not isinstance(value, Var) or not (
        value.fact.is_numeric or value.fact.kind in ("list", "tuple", "dict")
    ):
        return None
    doubtful = plan.key(value) in _maybe_undefined(plan)
    return names.of(value) if doubtful and names.of(value) in unset else None


def _last_move(plan: Plan) -> Move | None:
    """Return the statement that gives the result its name, at the end of the forward
    sweep; what is copied there is read by the function itself."""
    for stmt in reversed(plan.forward):
        if isinstance(stmt, Move):
            mine = any(var == plan.exit.value for var, _ in stmt.pairs)
            return stmt if mine and len(stmt.pairs) == 1 else None
        if not isinstance(stmt, Branch) or not _only_raises(stmt):
            return None
    return None


def _only_raises(stmt: Branch) -> bool:
    return not stmt.orelse and bool(stmt.then) and isinstance(stmt.then[-1], Throw)


def _keeps(op: Apply) -> bool:
    """Whether an op is none of the function's, and keeps what it reads: a tuple of
    what is saved, a copy of what is about to be overwritten."""
    if op.fn in (copy.copy, copy.deepcopy):
        return op.origin.location is None
    return op.form == "build" and op.out.fact.cls is tuple


def _maybe_undefined(plan: Plan) -> frozenset[str]:
    """Return the variables that some way to where they are read does not define."""
    doubtful: list[str] = []
    users: dict[str, list[str]] = {}
    for move in (stmt for stmt in walk(plan.body) if isinstance(stmt, Move)):
        doubtful += map(plan.key, move.undefined)
        for var, atom in move.pairs:
            if isinstance(atom, Var):
                users.setdefault(plan.key(atom), []).append(plan.key(var))
    return frozenset(reach(doubtful, users.get))
