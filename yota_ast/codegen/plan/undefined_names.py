"""Plan, names -> the names that start as None, and the plan that tests them.

A merge may take a variable that one way through the function does not define. Under
one name nothing prints; where a copy prints, it must not raise what the user's function
does not: such names start as None. The function's own reads of them raise as it does:

    if y is None:
        raise UnboundLocalError("cannot access local variable 'y' ...")
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.codegen.plan.naming import Names
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
    targets_of,
    walk,
)
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.nodes import Apply, For, If, Raise, Read, atoms_of
from yota_ast.support.reachable import reach
from yota_ast.syntax.value_literals import literal_text


def with_tests(plan: Plan, names: Names) -> tuple[Plan, dict[str, Const]]:
    """Return a plan that tests what may have no value, and the names that are to hold
    something at first, in order of appearance: None, or `...` where what is tested may
    be None."""
    copies = _Copies(plan, names, _maybe_undefined(plan))
    if not copies.doubtful:
        return plan, {}
    copies.block(plan.body, {p.hint or p.name for p in plan.params})
    if not copies.found:
        return plan, {}
    optional = {names.of(v) for v in _moved(plan) if not _is_never_none(v.fact)}
    first = {n: Const(... if n in optional else None) for n in copies.found}
    tests = _Tests(plan, names, copies.doubtful, first)
    forward = tests.with_result(tests.block(plan.forward, set()))
    plan = replace(plan, forward=forward, nested={**plan.nested, **tests.nested})
    return plan, {n: c if n in tests.places else Const(None) for n, c in first.items()}


def read_unset(plan: Plan, names: Names) -> tuple[str, Stmt] | None:
    """Return a name that the function may read without a value, and the first statement
    that does; None if there is none."""
    doubtful = _maybe_undefined(plan)
    unset = {names.by_key[key]: Const(None) for key in doubtful if key in names.by_key}
    tests = _Tests(plan, names, doubtful, unset)
    tests.with_result(tests.block(plan.forward, set()))
    return next(iter(tests.places.items()), None)


@dataclass(slots=True)
class _Reader:
    """What statements read and assign, by the names of the text."""

    plan: Plan
    names: Names
    doubtful: frozenset[str]

    def read_by(self, stmt: Stmt) -> dict[str, Var]:
        """Return what the function itself surely reads in a statement, before its
        blocks run, of what may have no value."""
        found = dict[str, Var]()
        for atom in self._computed(stmt):
            for var in filter(self._is_doubtful, self._leaves(atom)):
                found.setdefault(self.names.of(var), var)
        return found

    def _is_doubtful(self, var: Var) -> bool:
        return self.plan.key(var) in self.doubtful

    def _computed(self, stmt: Stmt) -> Iterable[object]:
        match stmt:
            case Let():
                kept = _built_of(stmt) or _parts_of(stmt)
                return () if kept else _sure_parts(stmt.value)
            case Write():
                return stmt.op.target, stmt.op.index, stmt.op.value
            case Move():
                copied = (atom for _, atom in stmt.pairs if isinstance(atom, Var))
                return (a for a in copied if a.name in self.plan.nested)
            case Branch():
                return (stmt.test,)
            case Loop():
                return (stmt.op.iterable,) if isinstance(stmt.op, For) else ()
            case Within():
                return (stmt.op.context,)
            case Throw():
                return (stmt.op.exc,)
            case Exit():
                return (stmt.value,)
            case Append() | NewList() | Attempt() | Break():
                return ()
            case _:
                assert_never(stmt)

    def _leaves(self, atom: object) -> Iterator[Var]:
        """Yield the variables that an expression surely reads."""
        if not isinstance(atom, Var):
            return
        op = self.plan.nested.get(atom.name)
        if op is None:
            yield atom
            return
        for part in _sure_parts(op):
            yield from self._leaves(part)

    def assigned_by(self, stmt: Stmt) -> set[str]:
        """Return the names that a statement itself assigns, as it is printed."""
        if isinstance(stmt, Move):
            return {self.names.of(var) for var, _ in self._printed(stmt)}
        return {self.names.of(v) for v in targets_of(stmt)}

    def _printed(self, move: Move) -> Iterator[tuple[Var, Atom]]:
        """Yield the copies of a move that are none of a name to itself."""
        for var, atom in move.pairs:
            name = self.names.of(atom) if isinstance(atom, Var) else None
            if name != self.names.of(var):
                yield var, atom


@dataclass(slots=True)
class _Copies(_Reader):
    """The copies that would raise. found: the names that they copy."""

    found: dict[str, None] = field(default_factory=dict)

    def block(self, stmts: Sequence[Stmt], held: set[str]) -> set[str]:
        """Go through statements; held: the names that hold something."""
        for k, stmt in enumerate(stmts):
            for name in self._copied(stmt):
                if name not in held and not self._follows(name, stmts[k:]):
                    self.found[name] = None
            held |= self.read_by(stmt).keys()
            held = self._within(stmt, held) | self.assigned_by(stmt)
        return held

    def _within(self, stmt: Stmt, held: set[str]) -> set[str]:
        """Go through the blocks of a statement."""
        match stmt:
            case Branch():
                arms = stmt.then, stmt.orelse
                ends = [(arm, self.block(arm, set(held))) for arm in arms]
                going = [end for arm, end in ends if not _leaves_block(arm)]
                return set.intersection(*going) if going else held
            case Loop():
                inside = held | self.assigned_by(stmt)
                self.block((*stmt.cond, *stmt.body), set(inside))
                self.block(stmt.orelse, set(held))
            case Within():
                return self.block(stmt.body, held)
            case Attempt():
                tried = self.block((*stmt.body, *stmt.orelse), set(held))
                return tried & self.block(stmt.handler, set(held))
            case _:
                pass
        return held

    def _copied(self, stmt: Stmt) -> list[str]:
        """Return the names of what a statement copies, of what may have no value."""
        read: list[Var] = []
        if isinstance(stmt, Move) and stmt is not self.last:
            read = [a for _, a in self._printed(stmt) if isinstance(a, Var)]
        elif isinstance(stmt, Append):
            read = list(stmt.saved)
        elif isinstance(stmt, Let):
            read = _parts_of(stmt)
        keys = [self.plan.key(v) for v in read]
        keys += [k for a in _built_of(stmt) for k in self.plan.leaves(a)]
        return [self.names.by_key[k] for k in keys if k in self.doubtful]

    @property
    def last(self) -> Move | None:
        """The statement that gives the result its name."""
        return _last_move(self.plan)

    def _follows(self, name: str, stmts: Sequence[Stmt]) -> bool:
        """Return whether the function reads a name before anything is seen to happen:
        then a copy may raise what it raises."""
        for stmt in stmts:
            if name in self.read_by(stmt):
                return True
            if name in self.assigned_by(stmt) or not _is_quiet(stmt):
                return False
        return False


@dataclass(slots=True)
class _Tests(_Reader):
    """The tests of names that start as None, in front of what reads them. places: where
    each is tested first."""

    unset: Mapping[str, Const]
    places: dict[str, Stmt] = field(default_factory=dict)
    nested: dict[str, Apply | If] = field(default_factory=dict)

    def block(self, stmts: Sequence[Stmt], held: set[str]) -> tuple[Stmt, ...]:
        """Return statements with tests; held: the names that have been assigned."""
        made: list[Stmt] = []
        for k, stmt in enumerate(stmts):
            if stmt.origin.reverse:
                return (*made, *stmts[k:])
            tests = self._tests(stmt, held)
            made += tests
            if not _reads_alone(stmt) or not self.read_by(stmt).keys() & held:
                made.append(self._within(stmt, held))
            held |= self.assigned_by(stmt)
        return tuple(made)

    def _within(self, stmt: Stmt, held: set[str]) -> Stmt:
        """Return a statement with tests in its blocks."""
        match stmt:
            case Branch():
                arms = [self.block(arm, set(held)) for arm in (stmt.then, stmt.orelse)]
                return replace(stmt, then=arms[0], orelse=arms[1])
            case Loop():
                cond = self.block(stmt.cond, set(held))
                body = self.block(stmt.body, held | self.assigned_by(stmt))
                orelse = self.block(stmt.orelse, set(held))
                return replace(stmt, cond=cond, body=body, orelse=orelse)
            case Within():
                return replace(stmt, body=self.block(stmt.body, held))
            case Attempt():
                parts = stmt.body, stmt.handler, stmt.orelse
                body, handler, orelse = (self.block(p, set(held)) for p in parts)
                return replace(stmt, body=body, handler=handler, orelse=orelse)
            case _:
                return stmt

    def with_result(self, forward: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """Return the forward sweep, at the end of which the result is tested."""
        return (*forward, *self._tests(self.plan.exit, set()))

    def _tests(self, stmt: Stmt, held: set[str]) -> list[Stmt]:
        """Return the tests of what a statement reads, which then holds something."""
        read = self.read_by(stmt)
        if stmt is _last_move(self.plan):
            copied = (atom for _, atom in stmt.pairs if isinstance(atom, Var))
            read |= {self.names.of(v): v for v in copied if self._is_doubtful(v)}
        tested = {n: v for n, v in read.items() if n in self.unset and n not in held}
        tests: list[Stmt] = [self._test(n, v) for n, v in tested.items()]
        held.update(tested)
        for name in tested:
            self.places.setdefault(name, stmt)
        return tests

    def _test(self, name: str, var: Var) -> Branch:
        """Return the statement that raises where a name holds what it did at first."""
        test, error = (Var(f"%unset{len(self.nested) + k}") for k in (0, 1))
        text = f"cannot access local variable {literal_text(name)}: it has no value"
        raised = Apply(error, UnboundLocalError, (Const(text),))
        self.nested[test.name] = Apply(
            test, operator.is_, (var, self.unset[name]), form="operator"
        )
        self.nested[error.name] = raised
        return Branch(test, (Throw(Raise(error)),))


def _moved(plan: Plan) -> Iterator[Var]:
    """Yield the variables that moves define, or leave without a value."""
    for move in (stmt for stmt in walk(plan.body) if isinstance(stmt, Move)):
        yield from move.undefined
        yield from (var for var, _ in move.pairs)


def _is_never_none(known: Fact) -> bool:
    """Return whether None says that a name has not been assigned."""
    return known.is_numeric or known.kind in ("list", "tuple", "dict", "nothing")


def _reads_alone(stmt: Stmt) -> bool:
    """Return whether a statement is `(y,)`: it reads a name for its error."""
    if not isinstance(stmt, Let) or stmt.targets or not isinstance(stmt.value, Apply):
        return False
    return stmt.value.fn is build_tuple and len(stmt.value.args) == 1


def _sure_parts(op: Apply | Read | If) -> tuple[Atom, ...]:
    """Return the atoms that an expression surely reads."""
    return (op.test,) if isinstance(op, If) else atoms_of(op)


def _leaves_block(stmts: Sequence[Stmt]) -> bool:
    """Return whether nothing follows statements: they raise, or leave a loop."""
    return bool(stmts) and isinstance(stmts[-1], (Throw, Break))


def _is_quiet(stmt: Stmt) -> bool:
    """Return whether nothing is seen to happen by a statement."""
    if isinstance(stmt, Let):
        return not isinstance(stmt.value, Apply) or not stmt.value.effect
    return isinstance(stmt, (Append, NewList, Move))


def _built_of(stmt: Stmt) -> tuple[Atom, ...]:
    """Return what is saved for a reverse sweep: it is built of what there is."""
    if isinstance(stmt, Let) and isinstance(stmt.value, Apply):
        return stmt.value.args if _keeps(stmt.value) else ()
    return stmt.results if isinstance(stmt, Exit) else ()


def _parts_of(stmt: Let) -> list[Var]:
    """Return what a container is built of that the function has no name for: it is put
    together where a branch ends, of what either arm has."""
    op = stmt.value
    builds = isinstance(op, Apply) and op.form == "build" and not _reads_alone(stmt)
    parts = op.args if isinstance(op, Apply) and builds else ()
    return [part for part in parts if isinstance(part, Var) and not part.hint]


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
