"""Plan -> the plan without copies that nobody reads, and who may not share a name.

Sets of variables are the bits of an integer: long texts have thousands of variables, of
which most live all the way to the reverse sweep.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.codegen.plan.statement_plan import (
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
    parts_of,
    walk,
)
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.nodes import Apply, Closed, For, If, Read

Live = int
"""The variables that are live, each a bit."""
Stmts = tuple[Stmt, ...]
_NOTHING: Live = 0


@dataclass(slots=True)
class Clashes:
    """Which variables hold different values at some time.

    bits: of each variable. against: what is live where a variable is assigned. Two
    variables clash where one of them is assigned while the other is live.
    """

    bits: dict[str, int] = field(default_factory=dict)
    against: dict[str, int] = field(default_factory=dict)

    def bit(self, name: str) -> int:
        """The bit of a variable."""
        known = self.bits.get(name)
        if known is None:
            known = self.bits[name] = 1 << len(self.bits)
        return known

    def mask(self, names: Iterable[str]) -> int:
        """The bits of some variables."""
        found = 0
        for name in names:
            found |= self.bit(name)
        return found


def liveness(plan: Plan) -> tuple[Plan, Clashes, Clashes]:
    """Return the plan without dead copies, and its clashes: for moves, for names.

    The clashes of a variable are those that hold another value somewhere in its life.
    A copy does not set its two variables against each other: what it copies is one
    value, until one of them is assigned again.

    A variable that is undefined from some point on holds nothing there that the other
    side of a move could spoil. But a name is not given to another variable as well:
    who reads what is undefined is told so, and does not get the other's value.
    """
    scan = _Scan(plan)
    pruned, for_moves = _scan(scan, plan)
    if not scan.has_undefined:  # the same comes of it once more
        return pruned, for_moves, for_moves
    scan.found, scan.lasting = Clashes(for_moves.bits), True
    _, for_names = _scan(scan, pruned)
    return pruned, for_moves, for_names


def _scan(scan: _Scan, plan: Plan) -> tuple[Plan, Clashes]:
    _, live = scan.block((plan.exit,), _NOTHING, _NOTHING)
    reverse, live = scan.block(plan.reverse, live, _NOTHING)
    forward, live = scan.block(plan.forward, live, _NOTHING)
    params = [plan.key(p) for p in plan.params]
    for param in params:
        scan.define(param, live | scan.mask(params))
    return replace(plan, forward=forward, reverse=reverse), scan.found


def _functions(plan: Plan) -> Iterator[tuple[str, Apply]]:
    """The functions that have names, and the ops that make them."""
    for stmt in walk((*plan.forward, *plan.reverse)):
        if isinstance(stmt, Let) and isinstance(stmt.value, Apply):
            if isinstance(stmt.value.fn, Closed):
                yield from ((var.name, stmt.value) for var in stmt.targets)


class _Pair(NamedTuple):
    """A copy: what is copied to what, the name and bit of that.

    source: the variable that it copies, "" of an expression. leaves: what that reads.
    """

    pair: tuple[Var, Atom]
    name: str
    bit: int
    source: str
    leaves: Live


class _Scan:
    """The backward walk; what it finds grows in loops until nothing changes."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.lasting = False  # whether variables keep their names where undefined
        self.has_undefined = False
        self.found = Clashes()
        self.bit, self.mask = self.found.bit, self.found.mask
        self.read: dict[str, Live] = {}  # by what reads a variable, or its expression
        # By the identity of statements of the plan, which is there all the time.
        self.moves: dict[int, list[_Pair]] = {}
        self.lets: dict[int, tuple[list[str], Live, Live]] = {}
        self.raising = _NOTHING  # what the handlers around a statement read
        # A function reads what it holds where it is called, not where it is made.
        self.functions = dict(_functions(plan))

    def define(self, name: str, after: Live) -> None:
        """Set `name`, assigned here, against what is live after the assignment."""
        known = self.found.against.get(name, 0)
        self.found.against[name] = known | (after & ~self.bit(name))

    def leaves(self, atom: object) -> Live:
        """The variables that the expression of an atom reads."""
        if not isinstance(atom, Var):
            return _NOTHING
        known = self.read.get(atom.name)
        if known is None:
            op = self.plan.nested.get(atom.name)
            known = self.bit(self.plan.key(atom)) if op is None else self.leaves_of(op)
            held = self.functions.get(atom.name)
            known |= _NOTHING if held is None else self.leaves_of(held)
            self.read[atom.name] = known
        return known

    def leaves_of(self, op: Apply | Read | If) -> Live:
        """The variables that the expression of an op reads."""
        found = _NOTHING
        known = self.read
        for part in parts_of(op):
            if isinstance(part, Var):
                read = known.get(part.name)
                found |= self.leaves(part) if read is None else read
        return found

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
                return made, before | self.leaves(stmt.test)
            case Loop():
                return self.loop(stmt, live, leaving)
            case Within():
                body, before = self.block(stmt.body, live, leaving)
                made_within = replace(stmt, body=body)
                return made_within, before | self.leaves(stmt.op.context)
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
        key, leaves = self.plan.key, self.leaves
        match stmt:
            case Let():
                known = self.lets.get(id(stmt))
                if known is None:
                    names = [key(v) for v in stmt.targets]
                    known = names, ~self.mask(names), self.leaves_of(stmt.value)
                    self.lets[id(stmt)] = known
                names, others, read = known
                for name in names:
                    self.define(name, live | ~others)
                return (live & others) | read
            case Write():
                op = stmt.op
                return live | leaves(op.target) | leaves(op.index) | leaves(op.value)
            case NewList():
                self.define(key(stmt.stack), live)
                return live & ~self.bit(key(stmt.stack))
            case Append():
                return live | self.mask([key(stmt.stack), *map(key, stmt.saved)])
            case Break():
                return leaving
            case Throw():
                return leaves(stmt.op.exc)
            case Exit():
                read = leaves(stmt.value)
                for atom in stmt.results:
                    read |= leaves(atom)
                return read

    def move(self, move: Move, live: Live) -> tuple[Move | None, Live]:
        """Return the copies that are read, and what is live before them."""
        pairs = self.pairs(move)
        read = [pair for pair in pairs if pair.bit & live]
        targets = _NOTHING
        # The copies of one variable hold one value from here on.
        copies: dict[str, Live] = {}
        for pair in read:
            targets |= pair.bit
            copies[pair.source] = copies.get(pair.source, _NOTHING) | pair.bit
        for pair in read:
            twins = copies[pair.source] | pair.leaves if pair.source else pair.bit
            self.define(pair.name, (live | targets) & ~twins)
        before = live & ~targets
        if move.undefined and not self.lasting:
            self.has_undefined = True
            before &= ~self.mask(map(self.plan.key, move.undefined))
        for pair in read:
            before |= pair.leaves
        bit, key = self.bit, self.plan.key
        undefined = tuple([v for v in move.undefined if bit(key(v)) & live])
        if not read and not undefined:
            return None, before
        # Another one in any case: a move may stand in several places.
        kept = tuple([pair.pair for pair in read])
        return replace(move, pairs=kept, undefined=undefined), before

    def pairs(self, move: Move) -> list[_Pair]:
        """What there is to know of the copies of a move, found once."""
        known = self.moves.get(id(move))
        if known is None:
            known = self.moves[id(move)] = [self.pair(*pair) for pair in move.pairs]
        return known

    def pair(self, var: Var, atom: Atom) -> _Pair:
        """What there is to know of a copy."""
        name, nested = self.plan.key(var), self.plan.nested
        plain = isinstance(atom, Var) and atom.name not in nested
        source = atom.name if plain and isinstance(atom, Var) else ""
        return _Pair((var, atom), name, self.bit(name), source, self.leaves(atom))

    def attempt(self, stmt: Attempt, live: Live, leaving: Live) -> tuple[Attempt, Live]:
        """Return a try, and what is live before it.

        What the handler reads lives all through the body, which may raise anywhere.
        """
        key, outer = self.plan.key, self.raising
        handler, handling = self.block(stmt.handler, live, leaving)
        self.define(key(stmt.op.error), handling)
        handling &= ~self.bit(key(stmt.op.error))
        orelse, done = self.block(stmt.orelse, live, leaving)
        self.raising = outer | handling | self.leaves(stmt.op.caught)
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
                names = [self.plan.key(v) for v in op.targets]
                targets = self.mask(names)
                for name in names:
                    self.define(name, inside | targets)
                before = inside & ~targets
            else:
                tested = inside | done | self.leaves(op.test)
                cond, before = self.block(loop.cond, tested, live)
            if not before & ~head:
                break
            head = head | before
        made = replace(loop, body=body, cond=cond, orelse=orelse)
        if isinstance(op, For):
            return made, head | self.leaves(op.iterable)
        return made, head
