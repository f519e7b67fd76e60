"""Plan, names -> the values of the forward sweep that the reverse reads, by statement.

Each is put down to the last statement that gives it its name: in straight code and in
branches to the one that makes it, behind a loop to the loop's header. What a loop puts
on a list is put down to the `append`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.codegen.plan.naming import Names
from yota_ast.codegen.plan.statement_plan import (
    Append,
    Let,
    Loop,
    Move,
    Plan,
    Stmt,
    children,
    targets_of,
    walk,
)
from yota_ast.codegen.plan.statement_reads import read_by
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import Read


@dataclass(frozen=True, slots=True)
class Kept:
    """A value that the forward sweep keeps for the reverse: what the text calls it."""

    name: str
    var: Var


Marks = dict[int, tuple[Kept, ...]]
"""By the identity of a statement of the plan."""


def kept(plan: Plan, names: Names) -> Marks:
    """Return what each statement of the forward sweep keeps for the reverse."""
    read = {
        key
        for stmt in walk(plan.reverse)
        for atom in read_by(stmt)
        for key in plan.leaves(atom)
    }
    wanted: dict[str, Var] = {}
    marks: Marks = {}
    for stmt in walk(plan.forward):
        if isinstance(stmt, Let) and isinstance(stmt.value, Read):
            continue  # the caller's own
        for var in _given(stmt):
            if plan.key(var) in read:
                wanted[names.of(var)] = var
        if isinstance(stmt, Append):
            marks[id(stmt)] = tuple(Kept(names.of(v), v) for v in stmt.saved)
    lists = {names.of(s.stack) for s in walk(plan.forward) if isinstance(s, Append)}
    wanted = {name: var for name, var in wanted.items() if name not in lists}
    _mark(plan.forward, wanted, _Made(names), marks)
    return marks


def _given(stmt: Stmt) -> Iterator[Var]:
    """Yield what a statement itself gives a value to, a loop what it leaves."""
    yield from targets_of(stmt)
    if isinstance(stmt, Loop):
        yield from (c.out for c in stmt.op.carries)


def _mark(
    stmts: Sequence[Stmt], wanted: Mapping[str, Var], made: _Made, marks: Marks
) -> None:
    """Mark the last statements of a block that make what is wanted."""
    open_ = dict(wanted)
    order = {name: k for k, name in enumerate(wanted)}
    for stmt in reversed(stmts):
        here = open_.keys() & made.by(stmt)
        found = {name: open_[name] for name in sorted(here, key=order.__getitem__)}
        if not found:
            continue
        blocks = () if isinstance(stmt, Loop) else children(stmt)
        if blocks:
            for block in blocks:
                _mark(block, found, made, marks)
        else:
            own = tuple(Kept(name, var) for name, var in found.items())
            marks[id(stmt)] = (*marks.get(id(stmt), ()), *own)
        for name in found:
            del open_[name]


class _Made:
    """The names that statements assign, in their blocks too, each found once."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.known: dict[int, set[str]] = {}  # by identity

    def by(self, stmt: Stmt) -> set[str]:
        """Those of a statement."""
        found = self.known.get(id(stmt))
        if found is None:
            found = {self.names.of(v) for v in _made(stmt, self.names)}
            for block in children(stmt):
                found = found.union(*map(self.by, block))
            self.known[id(stmt)] = found
        return found


def _made(stmt: Stmt, names: Names) -> Iterator[Var]:
    """Yield what a statement assigns, copies that print nothing left out."""
    if isinstance(stmt, Move):
        for var, atom in stmt.pairs:
            if not isinstance(atom, Var) or names.of(atom) != names.of(var):
                yield var
    else:
        yield from targets_of(stmt)
