"""Plan -> which variables may not share a name, because both hold a value at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from yota_ast.codegen.plan import (
    Append,
    Branch,
    Break,
    Exit,
    Let,
    Loop,
    Move,
    NewList,
    Plan,
    Stmt,
    Write,
    copy_mark,
)
from yota_ast.tape import For, Var

Live = frozenset[str]
_NOTHING: Live = frozenset()


@dataclass(frozen=True, slots=True)
class Liveness:
    """What liveness says of a plan.

    clashes: for each variable, those that hold another value somewhere in its life. A
    copy does not set its two variables against each other: what it copies is one value,
    until one of them is assigned again.
    copies: the marks of the copies to variables that are read afterwards.
    """

    clashes: dict[str, set[str]]
    copies: frozenset[str]


def liveness(plan: Plan) -> Liveness:
    """Return what may not share a name, and which copies do something."""
    scan = _Scan(plan)
    entry = scan.block(plan.body, _NOTHING, _NOTHING)
    params = [plan.key(p) for p in plan.params]
    for param in params:
        scan.define(param, entry | frozenset(params))
    return Liveness(scan.found, frozenset(scan.copies))


class _Scan:
    """The backward walk; what it finds grows in loops until nothing changes."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.found: dict[str, set[str]] = {}
        self.copies: set[str] = set()

    def define(self, name: str, after: Iterable[str], *, source: str = "") -> None:
        """Set `name`, assigned here, against what is live after the assignment."""
        own = self.found.setdefault(name, set())
        for other in after:
            if other not in (name, source):
                own.add(other)
                self.found.setdefault(other, set()).add(name)

    def block(self, stmts: Sequence[Stmt], live: Live, leaving: Live) -> Live:
        """Return what is live before `stmts`; `leaving`: what is where it breaks."""
        for stmt in reversed(stmts):
            live = self.stmt(stmt, live, leaving)
        return live

    def stmt(self, stmt: Stmt, live: Live, leaving: Live) -> Live:
        """Return what is live before `stmt`."""
        key, leaves = self.plan.key, self.plan.leaves
        match stmt:
            case Let():
                targets = [key(v) for v in stmt.targets]
                for name in targets:
                    self.define(name, live | frozenset(targets))
                return live.difference(targets).union(self.plan.leaves_of(stmt.value))
            case Write():
                op = stmt.op
                read = (*leaves(op.target), *leaves(op.index), *leaves(op.value))
                return live.union(read)
            case Move():
                return self.move(stmt, live)
            case NewList():
                self.define(key(stmt.stack), live)
                return live - {key(stmt.stack)}
            case Append():
                return live.union({key(stmt.stack)}, map(key, stmt.saved))
            case Branch():
                then = self.block(stmt.then, live, leaving)
                orelse = self.block(stmt.orelse, live, leaving)
                return (then | orelse).union(leaves(stmt.test))
            case Loop():
                return self.loop(stmt, live, leaving)
            case Break():
                return leaving
            case Exit():
                atoms = (stmt.value, *stmt.results)
                return frozenset(name for atom in atoms for name in leaves(atom))

    def move(self, move: Move, live: Live) -> Live:
        """Return what is live before a move; copies to what is dead do nothing."""
        key = self.plan.key
        pairs = [(key(v), a) for v, a in move.pairs if key(v) in live]
        targets = frozenset(name for name, _ in pairs)
        for name, atom in pairs:
            self.copies.add(copy_mark(name, atom))
            whole = isinstance(atom, Var) and atom.name not in self.plan.nested
            source = key(atom) if whole and isinstance(atom, Var) else ""
            self.define(name, live | targets, source=source)
        return (live - targets).union(n for _, a in pairs for n in self.plan.leaves(a))

    def loop(self, loop: Loop, live: Live, leaving: Live) -> Live:
        """Return what is live before a loop, going round until it does not grow."""
        op = loop.op
        done = self.block(loop.orelse, live, leaving)
        head = done
        while True:
            if isinstance(op, For):
                inside = self.block(loop.body, head, live)
                targets = [self.plan.key(v) for v in op.targets]
                for name in targets:
                    self.define(name, inside | frozenset(targets))
                entry = done | inside.difference(targets)
            else:
                inside = self.block(loop.body, head, live)
                tested = (inside | done).union(self.plan.leaves(op.test))
                entry = self.block(loop.cond, tested, live)
            if entry <= head:
                break
            head = head | entry
        if isinstance(op, For):
            return head.union(self.plan.leaves(op.iterable))
        return head
