"""Plan -> the same, results written into memory that is read no more.

    h = np.tanh(x @ W + b)          h = x @ W
                                    h += b
                                    np.tanh(h, out=h)
    du = dv * t6 * (1 - s * s)      t9 = s * s
                                    np.subtract(1, t9, out=t9)
                                    du = np.multiply(dv, t6, out=dv)
                                    du *= t9

A new array costs page faults if it is large, and room in the cache of the processor
else.  In: a plan, what memory its variables share, and which operands are as their
results are.  Out: a plan of which the statements stand in the same order.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.analysis.points_to import PointsTo
from yota_ast.codegen.plan.statement_plan import (
    Append,
    Attempt,
    Branch,
    Let,
    Loop,
    Move,
    Plan,
    Stmt,
    Within,
    Write,
    parts_of,
    targets_of,
    walk,
)
from yota_ast.codegen.plan.statement_reads import read_by
from yota_ast.ir.atoms import Atom, Var, fact_of_atom
from yota_ast.ir.nodes import Apply, Closed, If, Origin, Read
from yota_ast.ir.tape import Fitting
from yota_ast.ops.spellings import as_ufunc
from yota_ast.syntax.names import is_weak

OUT = "out"
"""The parameter of ufuncs that the memory is given to."""


def with_reused_memory(plan: Plan, points: PointsTo, fitting: Fitting) -> Plan:
    """The plan; fitting: which operands are as their results."""
    stmts = [*walk(plan.body)]
    values = [s.value for s in stmts if isinstance(s, Let)]
    values += plan.nested.values()
    closed = any(isinstance(v, Apply) and isinstance(v.fn, Closed) for v in values)
    if closed or any(isinstance(s, Attempt) for s in stmts):
        return plan
    return _Writer(plan, points, fitting, stmts).plan_of_all()


def reuses_memory(plan: Plan) -> bool:
    """Whether a plan has results in memory of operands."""
    values = (s.value for s in walk(plan.body) if isinstance(s, Let))
    applied = (v for v in values if isinstance(v, Apply))
    return any(op.fn is np.copyto or memory_of_result(op) is not None for op in applied)


def memory_of_result(op: Apply) -> Atom | None:
    """What an op of such a plan writes its result into."""
    if not isinstance(as_ufunc(op.fn), np.ufunc):
        return None
    return next((a for name, a in op.kwargs if name == OUT), None)


@dataclass(slots=True)
class _Writer:
    """Writes statements anew. uses: how often variables are read. assigned: how often
    they are assigned. made: of those that are assigned in the block at hand, or in
    front of it in the same one, the statements."""

    plan: Plan
    points: PointsTo
    fitting: Fitting
    stmts: Sequence[Stmt]
    nested: dict[str, Apply | If] = field(init=False)
    uses: Counter[str] = field(init=False)
    held: frozenset[str] = field(init=False)
    assigned: Counter[str] = field(init=False)
    alike: list[tuple[Var, Var]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.nested = dict(self.plan.nested)
        self.assigned = Counter(map(self.plan.key, self.plan.params))
        self.assigned.update(
            self.plan.key(v) for s in self.stmts for v in targets_of(s)
        )
        own = (a for s in self.stmts for a in _read(s))
        within = (a for op in self.plan.nested.values() for a in parts_of(op))
        self.uses = Counter(a.name for a in (*own, *within) if isinstance(a, Var))

        self.held = self._memory(self._given_away())

    def _given_away(self) -> Iterator[Var]:
        """What lists and objects may hold behind the function, or what it calls."""
        for stmt in self.stmts:
            if isinstance(stmt, Write) and stmt.op.target.fact.kind != "array":
                yield from self._leaves(stmt.op.value)
        values = [s.value for s in self.stmts if isinstance(s, Let)]
        for op in (*values, *self.plan.nested.values()):
            if isinstance(op, Apply) and (op.effect or _is_of_users(op.fn)):
                yield from self._leaves_of(op)

    def plan_of_all(self) -> Plan:
        """The plan of all statements."""
        count = len(self.plan.forward)
        body = (*self.plan.forward, *self.plan.reverse)
        made = self._list(body, self._memory(self._leaves_in([self.plan.exit])))
        forward = tuple(s for part in made[:count] for s in part)
        reverse = tuple(s for part in made[count:] for s in part)
        affine = (*self.plan.affine, *self.alike)
        return replace(
            self.plan,
            forward=forward,
            reverse=reverse,
            nested=self.nested,
            affine=affine,
        )

    def _block(self, stmts: Sequence[Stmt], behind: frozenset[str]) -> tuple[Stmt, ...]:
        return tuple(s for part in self._list(stmts, behind) for s in part)

    def _list(self, stmts: Sequence[Stmt], behind: frozenset[str]) -> list[list[Stmt]]:
        """The statements for each of a block; behind: the memory that those read that
        follow it."""
        later = [behind]
        for stmt in reversed(stmts):
            later.append(later[-1] | self._memory(self._leaves_in([stmt])))
        later.reverse()
        made = set[str]()
        found: list[list[Stmt]] = []
        for k, stmt in enumerate(stmts):
            found.append(self._stmt(stmt, made, later[k + 1]))
            made.update(v.name for v in targets_of(stmt))
        return found

    def _stmt(
        self, stmt: Stmt, made: Container[str], later: frozenset[str]
    ) -> list[Stmt]:
        match stmt:
            case Let((target,), Apply() as op):
                return self._let(target, op, made, later)
            case Write():
                return self._write(stmt, made, later)
            case Branch():
                then = self._block(stmt.then, later)
                orelse = self._block(stmt.orelse, later)
                return [replace(stmt, then=then, orelse=orelse)]
            case Loop():
                rest = self._memory(self._leaves_in((*stmt.cond, *stmt.orelse)))
                return [replace(stmt, body=self._block(stmt.body, later | rest))]
            case Within():
                return [replace(stmt, body=self._block(stmt.body, later))]
            case _:
                return [stmt]

    def _let(
        self, target: Var, op: Apply, made: Container[str], later: frozenset[str]
    ) -> list[Stmt]:
        leaves = [*self._leaves_of(op)]
        own = self.plan.key(target)
        if op.effect or any(self.plan.key(v) == own for v in leaves):
            return [Let((target,), op)]
        free = self._free(leaves, made, later)
        return _Statement(self, free, op.origin).into(target, op)

    def _write(
        self, stmt: Write, made: Container[str], later: frozenset[str]
    ) -> list[Stmt]:
        store = stmt.op
        name = store.value.name if isinstance(store.value, Var) else ""
        op = self.nested.get(name)
        if self.uses[name] != 1 or not isinstance(op, Apply) or op.effect:
            return [stmt]
        others = [v for a in (store.target, store.index) for v in self._leaves(a)]
        leaves = [*self._leaves_of(op), *others]
        free = self._free(leaves, made, later)
        return _Statement(self, free, store.origin).stored(stmt)

    def _free(
        self, leaves: Sequence[Var], made: Container[str], later: frozenset[str]
    ) -> dict[str, int]:
        """Those of the variables that a statement reads which nothing else reads from
        there on, under whatever name; and how often it does."""
        held = Counter(root for v in leaves for root in self.points.memory(v))
        return {
            v.name: held[v.name]
            for v in leaves
            if v.name in made
            and self.assigned[self.plan.key(v)] == 1
            and self.points.memory(v) == {v.name}
            and v.name not in later
            and v.name not in self.held
        }

    # ------------------------------------------------------------ what is read

    def _leaves_of(self, op: Apply | Read | If) -> Iterator[Var]:
        for part in parts_of(op):
            yield from self._leaves(part)

    def _leaves(self, atom: object) -> Iterator[Var]:
        """The variables that an expression reads, as often as it reads them."""
        if isinstance(atom, Var):
            op = self.plan.nested.get(atom.name)
            if op is None:
                yield atom
            else:
                yield from self._leaves_of(op)

    def _leaves_in(self, stmts: Iterable[Stmt]) -> Iterator[Var]:
        for stmt in walk(tuple(stmts)):
            for atom in _read(stmt):
                yield from self._leaves(atom)

    def _memory(self, leaves: Iterable[Var]) -> frozenset[str]:
        """The memory of some variables, and their own names."""
        found = set[str]()
        for var in leaves:
            found |= {var.name, *self.points.memory(var)}
        return frozenset(found)


def _is_of_users(fn: object) -> bool:
    """Whether a function may keep what it is given."""
    home = getattr(fn, "__module__", None) or "numpy"
    return home.partition(".")[0] not in (
        "numpy", "scipy", "math", "operator", "_operator", "builtins", "yota_ast",
    )  # fmt: skip


def _read(stmt: Stmt) -> tuple[object, ...]:
    if isinstance(stmt, Append):
        return (stmt.stack, *stmt.saved)
    return read_by(stmt)


@dataclass(slots=True)
class _Statement:
    """Writes one statement. free: the variables that nothing else reads from there on,
    and how often this does."""

    writer: _Writer
    free: dict[str, int]
    origin: Origin

    def into(self, target: Var, op: Apply) -> list[Stmt]:
        """The statements that compute an op; the last one assigns the target."""
        first = self._first(op)
        before = self._named(op, first)
        if first is None:
            return [*before, Let((target,), self._own(op, target))]
        inner, args = self._within(first), op.args
        if op.fn is np.where:
            self.free.pop(first.name, None)
            self.writer.nested.pop(first.name, None)
            before += [] if inner is None else self.into(first, inner)
            return [*before, *self._chosen(target, op, first)]
        if inner is None:
            del self.free[first.name]
            if is_weak(target.hint) == is_weak(first.hint):  # no name tells a lie
                self.writer.alike.append((target, first))
        else:
            before = [*self.into(target, inner), *before]
            args = tuple(target if a == first else a for a in args)
            first = target
        own = replace(
            self._own(op, target), args=args, kwargs=((OUT, first),), form="call"
        )
        return [*before, Let((target,), own)]

    def _chosen(self, target: Var, op: Apply, array: Var) -> Iterator[Stmt]:
        """The statements of `np.where(test, number, array)`: `np.copyto(array, number,
        where=test)`."""
        test, one, other = op.args
        number = other if one == array else one
        if one == array:
            negated = Var(f"{op.out.name}@not", fact_of_atom(test))
            self.writer.nested[negated.name] = Apply(
                negated, operator.invert, (test,), form="operator", origin=self.origin
            )
            test = negated
        yield Let(
            (),
            self._own(
                Apply(
                    Var(f"{op.out.name}@done"),
                    np.copyto,
                    (array, number),
                    (("where", test),),
                ),
                op.out,
            ),
        )
        yield Move(((target, array),), origin=self.origin)

    def stored(self, write: Write) -> list[Stmt]:
        """The statements of `dx[i] = u * v`, of which the product is made there."""
        value = self._within(write.op.value)
        assert value is not None
        return [*self._named(value, None), write]

    def _own(self, op: Apply, target: Var) -> Apply:
        """An op that gives the target its value."""
        return replace(op, out=target, origin=self.origin)

    def _named(self, op: Apply, first: Var | None) -> list[Stmt]:
        """The statements for operands that are written in memory of theirs; first: the
        one that the op itself is written into."""
        found: list[Stmt] = []
        for atom in dict.fromkeys(op.args):
            inner = self._within(atom)
            if inner is None or atom == first:
                continue
            assert isinstance(atom, Var)
            if self._first(inner) is None:
                found += self._named(inner, None)
            elif atom.name in self.writer.fitting.parts:
                del self.writer.nested[atom.name]
                found += self.into(atom, inner)
        return found

    def _first(self, op: Apply) -> Var | None:
        """The operand into which an op writes its result: what is computed of others
        before one that has a name, and the longest of these."""
        if op.form == "augmented":  # it is written into what others may share
            return None
        operands = [a for a in op.args if isinstance(a, Var)]
        fits = [a for a in operands if self._fits(op, a)]
        inner = [a for a in fits if self._within(a) is not None]
        named = (a for a in fits if self.free.get(a.name) == op.args.count(a))
        return max(inner, key=self._depth) if inner else next(named, None)

    def _fits(self, op: Apply, operand: Var) -> bool:
        return (op.out.name, operand.name) in self.writer.fitting.pairs

    def _within(self, atom: Atom) -> Apply | None:
        """The op of an expression that is printed once, in this statement."""
        if not isinstance(atom, Var) or self.writer.uses[atom.name] != 1:
            return None
        op = self.writer.nested.get(atom.name)
        return op if isinstance(op, Apply) and not op.effect else None

    def _depth(self, atom: Var) -> int:
        op = self._within(atom)
        if op is None:
            return 0
        depths = (self._depth(a) for a in op.args if isinstance(a, Var))
        return 1 + max(depths, default=0)
