"""Plan -> the name of every variable in the text: the way out of SSA.

Variables joined by a move get one name where they never hold two values at once, so
that the move prints nothing. Versions of one variable of the user's share its name
likewise; otherwise they are `h`, `h_2`, `h_3`. Temporaries are `t1`, `t2`, those of
the reverse sweep are `dt1`, the adjoint of `t1`, or have a number that none has.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.codegen.plan.copies_and_names import Clashes
from yota_ast.codegen.plan.statement_plan import (
    Branch,
    Loop,
    Move,
    Plan,
    Stmt,
    Write,
    children,
    targets_of,
    walk,
)
from yota_ast.codegen.plan.statement_reads import names_read
from yota_ast.ir.atoms import Var
from yota_ast.syntax.names import NAMELESS, RESERVED, is_weak

_TEMPORARY: Final = re.compile(r"t[1-9]\d*")
_COUNTED: Final = re.compile(r"(\w*[A-Za-z])_([1-9]\d*)")


@dataclass(frozen=True, slots=True)
class Names:
    """The names of variables.

    split: the sources of moves that print, though their two sides would like one name.
    """

    by_key: dict[str, str]
    plan: Plan
    split: tuple[str, ...] = ()

    def of(self, var: Var) -> str:
        """Return the name of a variable in the text."""
        return self.by_key.get(self.plan.key(var)) or var.hint or var.name


def names(
    plan: Plan, for_moves: Clashes, for_names: Clashes, reserved: Iterable[str]
) -> Names:
    """Return the names of a plan's variables, none of them in `reserved`."""
    return _Namer(plan, for_moves, for_names, frozenset(reserved)).run()


class _Namer:
    def __init__(
        self,
        plan: Plan,
        for_moves: Clashes,
        for_names: Clashes,
        reserved: frozenset[str],
    ) -> None:
        self.plan = plan
        self.reserved = reserved | RESERVED
        self.split: list[str] = []
        self.vars = _variables(plan)
        self.keys = list(dict.fromkeys(plan.key(v) for v in self.vars))
        self.params = {plan.key(p): p.hint or p.name for p in plan.params}
        self.leader = {k: k for k in self.keys}
        self.members = {k: [k] for k in self.keys}
        self.hint = self._hints()
        added = _added_up_in(plan.forward)
        self.primals = [v for v in _primals_in(plan.forward) if v.name not in added]
        self.forward = {plan.key(v) for v in self.primals}
        self.moving = {k: _Side.of(k, for_moves) for k in self.keys}
        self.alone = dict(self.moving)
        self.handed: dict[str, str] = {}  # by their keys, the names of ends of arms
        if for_names is for_moves:
            self.named = dict(self.moving)
        else:
            self.named = {k: _Side.of(k, for_names) for k in self.keys}

    def run(self) -> Names:
        self._coalesce()
        return Names(self._names(), self.plan, tuple(self.split))

    def _hints(self) -> dict[str, str | None]:
        found: dict[str, str | None] = {}
        for var in self.vars:
            key = self.plan.key(var)
            hint = self.plan.hints.get(key) or var.hint
            if is_weak(found.get(key)):
                found[key] = hint
        for key in self._counters():
            found[key] = "i"
        found.update(self.params)
        return found

    def _counters(self) -> set[str]:
        """Return the variables that the user calls `_` and never reads, which the
        reverse sweep reads."""
        mine = {self.plan.key(v) for v in self.vars if v.hint == "_"}
        if not mine:
            return mine
        own = names_read(self.plan.forward, self.plan, saved=False)
        return mine & names_read(self.plan.body, self.plan) - own

    # ------------------------------------------------------------ one name for several

    def _coalesce(self) -> None:
        """Give one name to the two sides of moves, those of inner loops first."""
        moves = sorted(_moves(self.plan), key=lambda m: m.rank)
        for move in moves:
            pair = self.plan.key(move.target), self.plan.key(move.source)
            if all(key in self.leader for key in pair):  # else nothing defines one
                self._join(*pair, move)
            if move.in_arm:
                self.handed[pair[1]] = move.source.name
        for one, other in self.plan.affine:
            a, b = self.plan.key(one), self.plan.key(other)
            if a in self.leader and b in self.leader:
                self._join(a, b, None)

    def _join(self, a: str, b: str, move: _Copy | None) -> None:
        a, b = self._find(a), self._find(b)
        if a == b:
            return
        if self._interfere(a, b):
            if move is not None and self._agree(a, b):
                self.split += [move.source.name, *self._handed(a, b)]
            return
        memory = move is not None and move.memory
        handed = move is not None and move.in_arm and self._are_adjoints(a, b)
        if not memory and not handed and not self._agree(a, b):
            return
        hint = self.hint[b] if is_weak(self.hint[a]) else self.hint[a]
        if hint is None:
            hint = self.hint[b]
        for k in self.members[b]:
            self.leader[k] = a
        self.members[a] += self.members.pop(b)
        for sides in (self.moving, self.named):
            sides[a] = sides[a].joined(sides.pop(b))
        self.hint[a] = hint
        if b in self.params:
            self.params[a] = self.params.pop(b)

    def _handed(self, a: str, b: str) -> Iterator[str]:
        """Yield what arms hand on, of two groups that clash by it: at the end of its
        arm it would clash no more."""
        for one, other in ((a, b), (b, a)):
            for key in self.members[one]:
                if key in self.handed and self.alone[key].clashes(self.moving[other]):
                    yield self.handed[key]

    def _are_adjoints(self, a: str, b: str) -> bool:
        """Say whether two groups are of the reverse sweep alone: an adjoint that an arm
        hands on as another keeps its name, and there is nothing to do in that arm."""
        return all(
            g not in self.params and self.forward.isdisjoint(self.members[g])
            for g in (a, b)
        )

    def _agree(self, a: str, b: str) -> bool:
        """Say whether two groups may be called the same."""
        if a in self.params and b in self.params:
            return False
        one, other = self.hint[a], self.hint[b]
        if one == other:
            return True
        # A temporary that took a parameter's name would read as a change of it.
        if a in self.params or b in self.params:
            return False
        return is_weak(one) or is_weak(other)

    def _find(self, key: str) -> str:
        while self.leader[key] != key:
            key = self.leader[key]
        return key

    def _interfere(self, a: str, b: str) -> bool:
        return self.moving[a].clashes(self.moving[b])

    # ------------------------------------------------------------ names

    def _names(self) -> dict[str, str]:
        groups = list(dict.fromkeys(map(self._find, self.keys)))
        given: dict[str, str] = {}
        held: dict[str, _Side] = {}
        for group in groups:
            if group in self.params:
                given[group] = self.params[group]
                _hold(held, given[group], self.named[group])
        users = self._user_names()
        for group in groups:
            if group not in given and not is_weak(self.hint[group]):
                given[group] = self._named(group, held, users)
                _hold(held, given[group], self.named[group])
        taken = set(given.values()) | self.reserved
        numbered = _numbered("t")
        for group in groups:
            if group not in given and self.hint[group] is None:
                given[group] = next(n for n in numbered if n not in taken)
                taken.add(given[group])
        numbered = _numbered("dt")
        for group in groups:
            if group not in given:
                given[group] = self._of_adjoint(group, given, taken, numbered)
                taken.add(given[group])
        return {k: given[self._find(k)] for k in self.keys}

    def _of_adjoint(
        self,
        group: str,
        given: Mapping[str, str],
        taken: Container[str],
        numbered: Iterator[str],
    ) -> str:
        """Return the name of the adjoint of a value that the user has not named: dt2 is
        that of t2, if there is such a name in the text, and else one of those left of
        the numbered ones."""
        primal = self.plan.key(Var((self.hint[group] or "").removeprefix(NAMELESS)))
        named = given.get(self._find(primal), "") if primal in self.leader else ""
        if _TEMPORARY.fullmatch(named) and f"d{named}" not in taken:
            return f"d{named}"
        return next(n for n in numbered if n not in taken and n[1:] not in taken)

    def _user_names(self) -> frozenset[str]:
        """Return the user's names that an adjoint's name must keep away from."""
        hints = {v.hint or "" for v in (*self.plan.params, *self.primals)}
        return frozenset(h for h in hints if h.startswith("d") and h[1:] in hints)

    def _named(self, group: str, held: dict[str, _Side], users: frozenset[str]) -> str:
        hint = self.hint[group] or ""
        own = self.named[group]
        candidates = _endings(hint)
        if hint in users and self._is_reverse(group):
            next(candidates)
        return next(
            name
            for name in candidates
            if name not in self.reserved
            and not (name in held and own.clashes(held[name]))
        )

    def _is_reverse(self, group: str) -> bool:
        return self.forward.isdisjoint(self.members[group])


@dataclass(frozen=True, slots=True)
class _Side:
    """A group of variables, and what they may not share a name with, as bits."""

    own: int
    against: int

    @classmethod
    def of(cls, key: str, clashes: Clashes) -> _Side:
        """One variable alone."""
        return cls(clashes.bit(key), clashes.against.get(key, 0))

    def joined(self, other: _Side) -> _Side:
        """Both groups."""
        return _Side(self.own | other.own, self.against | other.against)

    def clashes(self, other: _Side) -> bool:
        """Whether one name cannot serve both groups."""
        return bool(self.against & other.own or other.against & self.own)


def _hold(held: dict[str, _Side], name: str, side: _Side) -> None:
    """Note that a group has a name, which several may have."""
    held[name] = held[name].joined(side) if name in held else side


@dataclass(frozen=True, slots=True)
class _Copy:
    """A move between two variables: how deep in loops, whether of one memory, and
    whether in an arm of a branch."""

    target: Var
    source: Var
    depth: int
    memory: bool
    same_hint: bool
    in_arm: bool

    @property
    def rank(self) -> tuple[bool, int, bool]:
        return (not self.memory, -self.depth, not self.same_hint)


def _moves(plan: Plan) -> Iterator[_Copy]:
    yield from _moves_in(plan, plan.body, 0, in_arm=False)


def _moves_in(
    plan: Plan, stmts: Sequence[Stmt], depth: int, *, in_arm: bool
) -> Iterator[_Copy]:
    for i, stmt in enumerate(stmts):
        if isinstance(stmt, Move):
            memory = i > 0 and isinstance(stmts[i - 1], Write)
            for var, atom in stmt.pairs:
                if isinstance(atom, Var) and atom.name not in plan.nested:
                    same = var.hint == atom.hint
                    yield _Copy(var, atom, depth, memory, same, in_arm)
        inner, arm = depth + isinstance(stmt, Loop), isinstance(stmt, Branch)
        for block in children(stmt):
            yield from _moves_in(plan, block, inner, in_arm=arm)


def _variables(plan: Plan) -> list[Var]:
    """Return all variables that get a name, in order of appearance."""
    return [*plan.params, *_variables_in(plan.body)]


def _variables_in(stmts: Sequence[Stmt]) -> Iterator[Var]:
    for stmt in walk(tuple(stmts)):
        yield from _variables_of(stmt)


def _primals_in(stmts: Sequence[Stmt]) -> Iterator[Var]:
    """Yield the variables of the forward sweep, without those of the reverse sweeps of
    returns: the rest of a block from its first statement of the reverse sweep."""
    for stmt in stmts:
        if stmt.origin.reverse:
            return
        yield from _variables_of(stmt)
        for block in children(stmt):
            yield from _primals_in(block)


def _added_up_in(stmts: Sequence[Stmt]) -> set[str]:
    """Return what loops of the forward sweep carry that the reverse sweep adds up."""
    every = [*walk(tuple(stmts))]
    found = {v.name for s in every if s.origin.reverse for v in targets_of(s)}
    found |= {s.op.out.name for s in every if isinstance(s, Write) and s.origin.reverse}
    loops = [s.op for s in every if isinstance(s, Loop)] if found else []
    for op in reversed(loops):  # the inner ones first
        for c in op.carries:
            if isinstance(c.next, Var) and c.next.name in found:
                found |= {c.inside.name, c.out.name}
    return found


def _variables_of(stmt: Stmt) -> Iterator[Var]:
    yield from targets_of(stmt)
    if isinstance(stmt, Move):  # a variable may be nowhere defined at all
        yield from stmt.undefined


def _endings(hint: str) -> Iterator[str]:
    """Yield h, h_2, h_3, ...; of h_2 it is h_2, h_3, ..."""
    yield hint
    counted = _COUNTED.fullmatch(hint)
    stem, number = (counted[1], int(counted[2])) if counted else (hint, 1)
    while True:
        number += 1
        yield f"{stem}_{number}"


def _numbered(stem: str) -> Iterator[str]:
    number = 1
    while True:
        yield f"{stem}{number}"
        number += 1
