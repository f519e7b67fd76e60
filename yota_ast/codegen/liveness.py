"""Plan -> the plan without copies that nobody reads, and who may not share a name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from yota_ast.codegen.plan import (
    Append,
    Attempt,
    Branch,
    Break,
    Exit,
    Let,
    Loop,
    Move,
    NewList,
    Plan,
    Stmt,
    Throw,
    Within,
    Write,
)
from yota_ast.tape import For, Var

Live = frozenset[str]
Stmts = tuple[Stmt, ...]
Clashes = dict[str, set[str]]
_NOTHING: Live = frozenset()


def liveness(plan: Plan) -> tuple[Plan, Clashes, Clashes]:
    """Return the plan without dead copies, and its clashes: for moves, for names.

    The clashes of a variable are those that hold another value somewhere in its life.
    A copy does not set its two variables against each other: what it copies is one
    value, until one of them is assigned again.

    A variable that is undefined from some point on holds nothing there that the other
    side of a move could spoil. But a name is not given to another variable as well:
    who reads what is undefined is told so, and does not get the other's value.
    """
    pruned, for_moves = _scan(plan, lasting=False)
    _, for_names = _scan(pruned, lasting=True)
    return pruned, for_moves, for_names


def _scan(plan: Plan, *, lasting: bool) -> tuple[Plan, Clashes]:
    scan = _Scan(plan, lasting=lasting)
    _, live = scan.block((plan.exit,), _NOTHING, _NOTHING)
    reverse, live = scan.block(plan.reverse, live, _NOTHING)
    forward, live = scan.block(plan.forward, live, _NOTHING)
    params = [plan.key(p) for p in plan.params]
    for param in params:
        scan.define(param, live | frozenset(params))
    return replace(plan, forward=forward, reverse=reverse), scan.found


class _Scan:
    """The backward walk; what it finds grows in loops until nothing changes."""

    def __init__(self, plan: Plan, *, lasting: bool) -> None:
        self.plan = plan
        self.lasting = lasting  # whether variables keep their names where undefined
        self.found: Clashes = {}
        self.raising = _NOTHING  # what the handlers around a statement read

    def define(self, name: str, after: Iterable[str]) -> None:
        """Set `name`, assigned here, against what is live after the assignment."""
        own = self.found.setdefault(name, set())
        for other in after:
            if other != name:
                own.add(other)
                self.found.setdefault(other, set()).add(name)

    def block(
        self, stmts: Sequence[Stmt], live: Live, leaving: Live
    ) -> tuple[Stmts, Live]:
        """Return `stmts` and what is live before; `leaving`: what is after a break."""
        kept: list[Stmt] = []
        live = live | self.raising
        for stmt in reversed(stmts):
            made, live = self.stmt(stmt, live, leaving)
            live = live | self.raising
            kept += [made] if made is not None else []
        return tuple(reversed(kept)), live

    def stmt(self, stmt: Stmt, live: Live, leaving: Live) -> tuple[Stmt | None, Live]:
        """Return a statement, None for one that does nothing, and what is live."""
        match stmt:
            case Branch():
                then, before_then = self.block(stmt.then, live, leaving)
                orelse, before_else = self.block(stmt.orelse, live, leaving)
                before = before_then | before_else
                made = replace(stmt, then=then, orelse=orelse)
                return made, before.union(self.plan.leaves(stmt.test))
            case Loop():
                return self.loop(stmt, live, leaving)
            case Within():
                body, before = self.block(stmt.body, live, leaving)
                made_within = replace(stmt, body=body)
                return made_within, before.union(self.plan.leaves(stmt.op.context))
            case Attempt():
                return self.attempt(stmt, live, leaving)
            case Move():
                return self.move(stmt, live)
            case _:
                return stmt, self.simple(stmt, live, leaving)

    def simple(
        self,
        stmt: Let | Write | NewList | Append | Break | Throw | Exit,
        live: Live,
        leaving: Live,
    ) -> Live:
        """Return what is live before a statement without blocks."""
        key, leaves = self.plan.key, self.plan.leaves
        match stmt:
            case Let():
                targets = [key(v) for v in stmt.targets]
                for name in targets:
                    self.define(name, live | frozenset(targets))
                return live.difference(targets).union(self.plan.leaves_of(stmt.value))
            case Write():
                op = stmt.op
                return live.union(leaves(op.target), leaves(op.index), leaves(op.value))
            case NewList():
                self.define(key(stmt.stack), live)
                return live - {key(stmt.stack)}
            case Append():
                return live.union({key(stmt.stack)}, map(key, stmt.saved))
            case Break():
                return leaving
            case Throw():
                return frozenset(leaves(stmt.op.exc))
            case Exit():
                atoms = (stmt.value, *stmt.results)
                return frozenset(name for atom in atoms for name in leaves(atom))

    def move(self, move: Move, live: Live) -> tuple[Move | None, Live]:
        """Return the copies that are read, and what is live before them."""
        key = self.plan.key
        pairs = tuple((v, a) for v, a in move.pairs if key(v) in live)
        targets = frozenset(key(v) for v, _ in pairs)
        for var, atom in pairs:
            if isinstance(atom, Var) and atom.name not in self.plan.nested:
                # These all hold one value from here on.
                twins = {key(v) for v, a in pairs if a == atom} | {key(atom)}
            else:
                twins = {key(var)}
            self.define(key(var), (live | targets) - twins)
        after = live - targets
        if not self.lasting:
            after = after.difference(map(key, move.undefined))
        before = after.union(n for _, a in pairs for n in self.plan.leaves(a))
        undefined = tuple(v for v in move.undefined if key(v) in live)
        made = replace(move, pairs=pairs, undefined=undefined)
        return made if pairs or undefined else None, before

    def attempt(self, stmt: Attempt, live: Live, leaving: Live) -> tuple[Attempt, Live]:
        """Return a try, and what is live before it.

        What the handler reads lives all through the body, which may raise anywhere.
        """
        key, outer = self.plan.key, self.raising
        handler, handling = self.block(stmt.handler, live, leaving)
        self.define(key(stmt.op.error), handling)
        handling = handling - {key(stmt.op.error)}
        orelse, done = self.block(stmt.orelse, live, leaving)
        self.raising = outer | handling.union(self.plan.leaves(stmt.op.caught))
        body, before = self.block(stmt.body, done, leaving)
        self.raising = outer
        return replace(stmt, body=body, handler=handler, orelse=orelse), before

    def loop(self, loop: Loop, live: Live, leaving: Live) -> tuple[Loop, Live]:
        """Return a loop and what is live before it, going round until that is stable.

        A break of the loop's own leads to what is live after it, past its `else`.
        """
        op = loop.op
        orelse, done = self.block(loop.orelse, live, leaving)
        head = done
        while True:
            body, inside = self.block(loop.body, head, live)
            cond: Stmts = ()
            if isinstance(op, For):
                targets = [self.plan.key(v) for v in op.targets]
                for name in targets:
                    self.define(name, inside | frozenset(targets))
                before = inside.difference(targets)
            else:
                tested = (inside | done).union(self.plan.leaves(op.test))
                cond, before = self.block(loop.cond, tested, live)
            if before <= head:
                break
            head = head | before
        made = replace(loop, body=body, cond=cond, orelse=orelse)
        if isinstance(op, For):
            return made, head.union(self.plan.leaves(op.iterable))
        return made, head
