"""The statements of the text before they have names: what comes between SSA and text.

A plan has the tape's structure, but variables in it are assigned more than once: the
merges of branches and the carries of loops are `Move`s, parallel copies at the ends of
arms and bodies. A move between two variables that get one name prints nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.errors import Location
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.conditions import COMPARISONS
from yota_ast.ir.nodes import (
    NOWHERE,
    Apply,
    For,
    If,
    Origin,
    Raise,
    Read,
    Store,
    Try,
    While,
    With,
    atoms_of,
)

_HARMLESS: Final = (*COMPARISONS, operator.not_)


@dataclass(frozen=True, slots=True)
class Let:
    """`targets = value`, an expression statement where there are no targets."""

    targets: tuple[Var, ...]
    value: Apply | Read | If

    @property
    def origin(self) -> Origin:
        """Where the value comes from."""
        return self.value.origin


@dataclass(frozen=True, slots=True)
class Write:
    """A store into memory; the move that renames the target follows it."""

    op: Store

    @property
    def origin(self) -> Origin:
        """Where the store comes from."""
        return self.op.origin


@dataclass(frozen=True, slots=True)
class Move:
    """Copies, all at once: each variable takes the value that its atom had before.

    undefined: the variables that from here on have no value, of which nothing prints.
    """

    pairs: tuple[tuple[Var, Atom], ...]
    undefined: tuple[Var, ...] = ()
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Branch:
    """`if test: then else: orelse`."""

    test: Atom
    then: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...] = ()
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop; `cond` is what a while loop computes before its test, at every turn."""

    op: For | While
    body: tuple[Stmt, ...]
    cond: tuple[Stmt, ...] = ()
    orelse: tuple[Stmt, ...] = ()

    @property
    def origin(self) -> Origin:
        """Where the loop comes from."""
        return self.op.origin


@dataclass(frozen=True, slots=True)
class NewList:
    """`saved = []`."""

    stack: Var
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Append:
    """`saved.append((x, y))`."""

    stack: Var
    saved: tuple[Var, ...]
    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Break:
    """`break`."""

    origin: Origin = NOWHERE


@dataclass(frozen=True, slots=True)
class Throw:
    """`raise error`."""

    op: Raise

    @property
    def origin(self) -> Origin:
        """Where it comes from."""
        return self.op.origin


@dataclass(frozen=True, slots=True)
class Within:
    """`with context: body`."""

    op: With
    body: tuple[Stmt, ...]

    @property
    def origin(self) -> Origin:
        """Where it comes from."""
        return self.op.origin


@dataclass(frozen=True, slots=True)
class Attempt:
    """`try: body except caught as error: handler else: orelse`."""

    op: Try
    body: tuple[Stmt, ...]
    handler: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]

    @property
    def origin(self) -> Origin:
        """Where it comes from."""
        return self.op.origin


@dataclass(frozen=True, slots=True)
class Exit:
    """`return value, *results`."""

    value: Atom
    results: tuple[Atom, ...] = ()
    origin: Origin = NOWHERE


Stmt = (
    Let
    | Write
    | Move
    | Branch
    | Loop
    | Within
    | Attempt
    | NewList
    | Append
    | Break
    | Throw
    | Exit
)


@dataclass(frozen=True, slots=True)
class Plan:
    """A function's statements and what is needed to read them.

    nested: the ops that are printed within the expression that uses them, by the name
    of the variable. same: for variables that are one from the start, the one that
    stands for them. hints: what a variable would like to be called.
    affine: pairs that would like one name without a move between them.
    """

    params: tuple[Var, ...]
    forward: tuple[Stmt, ...]
    reverse: tuple[Stmt, ...]
    exit: Exit
    nested: dict[str, Apply | If] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)
    hints: dict[str, str] = field(default_factory=dict)
    affine: tuple[tuple[Var, Var], ...] = ()

    @property
    def body(self) -> tuple[Stmt, ...]:
        """All statements, the return at the end."""
        return (*self.forward, *self.reverse, self.exit)

    def key(self, var: Var) -> str:
        """Return the name of the variable that stands for `var`."""
        return self.same.get(var.name, var.name)

    def leaves(self, atom: object) -> Iterator[str]:
        """Yield the variables that the expression of an atom reads."""
        if not isinstance(atom, Var):
            return
        op = self.nested.get(atom.name)
        if op is None:
            yield self.key(atom)
        else:
            yield from self.leaves_of(op)

    def is_harmless(self, atom: object) -> bool:
        """Say whether an expression is a name or a comparison of names."""
        op = self.nested.get(atom.name) if isinstance(atom, Var) else None
        if op is None:
            return True
        if isinstance(op, Apply) and (op.effect or op.fn not in _HARMLESS):
            return False
        return all(map(self.is_harmless, parts_of(op)))

    def leaves_of(self, op: Apply | Read | If) -> Iterator[str]:
        """Yield the variables that the expression of an op reads."""
        for part in parts_of(op):
            yield from self.leaves(part)


def place_in(plan: Plan) -> Location | None:
    """Return where the first statement stands of which that is known."""
    return next((s.origin.place for s in walk(plan.body) if s.origin.place), None)


def parts_of(op: Apply | Read | If) -> tuple[object, ...]:
    """Return the atoms of an op printed as an expression, in order of evaluation."""
    match op:
        case Apply() | Read():
            return atoms_of(op)
        case If():
            return _parts_of_choice(op)
        case _:
            assert_never(op)


def _parts_of_choice(op: If) -> tuple[object, ...]:
    merge, form = op.merges[0], form_of(op)
    if form in ("and", "chain"):
        return (op.test, merge.then)
    if form == "or":
        return (op.test, merge.orelse)
    return (op.test, merge.then, merge.orelse)


def form_of(op: If) -> str:
    """Return how a branch with one merge is spelled as an expression.

    `a and b` gives a where it does not give b. Where that is not read, but something
    else that the right operand changes, the branch is a conditional expression.
    """
    if op.form not in ("and", "chain", "or"):
        return op.form
    merge = op.merges[0]
    left = merge.then if op.form == "or" else merge.orelse
    known = isinstance(left, Const) and left.value is (op.form == "or")
    if isinstance(op.test, Var):  # `0.0 and b` is not False
        known = known and op.test.fact.kind == "bool"
    else:
        known = known and isinstance(op.test.value, bool)
    return op.form if known or left == op.test else "ifexp"


def children(stmt: Stmt) -> tuple[tuple[Stmt, ...], ...]:
    """Return the blocks within a statement."""
    if isinstance(stmt, Branch):
        return (stmt.then, stmt.orelse)
    if isinstance(stmt, Loop):
        return (stmt.cond, stmt.body, stmt.orelse)
    if isinstance(stmt, Within):
        return (stmt.body,)
    if isinstance(stmt, Attempt):
        return (stmt.body, stmt.handler, stmt.orelse)
    return ()


def walk(stmts: Iterable[Stmt]) -> Iterator[Stmt]:
    """Yield all statements, outer before inner, in order."""
    pending = [iter(stmts)]
    while pending:
        for stmt in pending[-1]:
            yield stmt
            # Most are such: nothing is asked of them.
            if stmt.__class__ is not Let and (blocks := children(stmt)):
                pending.append(chain.from_iterable(blocks))
                break
        else:
            pending.pop()


def reads_of(plan: Plan, stmt: Stmt) -> Iterator[str]:
    """Yield the variables that a statement reads, those of its blocks left out."""
    atoms: tuple[object, ...] = ()
    match stmt:
        case Let():
            yield from plan.leaves_of(stmt.value)
        case Write():
            atoms = (stmt.op.target, stmt.op.index, stmt.op.value)
        case Move():
            atoms = tuple(atom for _, atom in stmt.pairs)
        case Branch():
            atoms = (stmt.test,)
        case Loop():
            op = stmt.op
            atoms = (op.iterable if isinstance(op, For) else op.test,)
        case Within():
            atoms = (stmt.op.context,)
        case Attempt():
            atoms = (stmt.op.caught,)
        case Append():
            atoms = (stmt.stack, *stmt.saved)
        case Throw():
            atoms = (stmt.op.exc,)
        case Exit():
            atoms = (stmt.value, *stmt.results)
    for atom in atoms:
        yield from plan.leaves(atom)


def targets_of(stmt: Stmt) -> tuple[Var, ...]:
    """Return the variables that a statement itself assigns."""
    if isinstance(stmt, Let):
        return stmt.targets
    if isinstance(stmt, Move):
        return tuple(v for v, _ in stmt.pairs)
    if isinstance(stmt, NewList):
        return (stmt.stack,)
    if isinstance(stmt, Loop) and isinstance(stmt.op, For):
        return stmt.op.targets
    if isinstance(stmt, Attempt):
        return (stmt.op.error,)
    return ()
