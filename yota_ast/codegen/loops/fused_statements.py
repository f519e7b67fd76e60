"""A plan -> the same, with arrays that one statement reads within it.

    t1 = x * y
    val = np.sum(t1)

becomes `val = np.sum(x * y)`: the loops of one statement make no array for another. An
array of which others read the shape alone is not computed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.analysis.points_to import PointsTo
from yota_ast.codegen.loops.elements import is_array, is_elementwise
from yota_ast.codegen.loops.named_arrays import NamedArrays
from yota_ast.codegen.plan.statement_plan import (
    Append,
    Branch,
    Let,
    Loop,
    Plan,
    Stmt,
    Write,
    parts_of,
    targets_of,
    walk,
)
from yota_ast.codegen.plan.statement_reads import read_by
from yota_ast.ir.atoms import Var, fact_of_atom
from yota_ast.ir.nodes import Apply, If
from yota_ast.ops.registry import info
from yota_ast.runtime import expand, unbroadcast, ungetitem


def fused(plan: Plan, points: PointsTo) -> Plan:
    """Return a plan whose statements read the expressions of arrays where they can."""
    return Fusion(plan, points).run()


class Fusion:
    """Finds the arrays that need no name.

    values, shapes: how often variables are read, and for their shape alone. readers:
    the last statement that reads a value. assigned: how often variables are assigned.
    """

    def __init__(self, plan: Plan, points: PointsTo) -> None:
        self.plan = replace(plan, nested=dict(plan.nested))
        self.known = NamedArrays(self.plan, points)
        self.values: Counter[str] = Counter()
        self.shapes: Counter[str] = Counter()
        self.readers: dict[str, Stmt] = {}
        every = (*walk(plan.body),)
        targets = (v for stmt in every for v in targets_of(stmt))
        self.assigned = Counter(map(plan.key, (*targets, *plan.params)))
        for stmt in every:
            self._note(stmt)

    def run(self) -> Plan:
        """Return the plan."""
        forward, reverse = map(self.block, (self.plan.forward, self.plan.reverse))
        return replace(self.plan, forward=forward, reverse=reverse)

    # ------------------------------------------------------------ what is read

    def _note(self, stmt: Stmt) -> None:
        if isinstance(stmt, Let) and isinstance(stmt.value, Apply):
            self._note_op(stmt.value, stmt, shape=False)
            return
        atoms = (*stmt.saved,) if isinstance(stmt, Append) else read_by(stmt)
        for atom in atoms:
            self._note_atom(atom, stmt, shape=False)

    def _note_op(self, op: Apply, stmt: Stmt, *, shape: bool) -> None:
        alone = shape_arguments(op)
        for k, atom in enumerate(parts_of(op)):
            self._note_atom(atom, stmt, shape=shape or k in alone)

    def _note_atom(self, atom: object, stmt: Stmt, *, shape: bool) -> None:
        if not isinstance(atom, Var):
            return
        op = self.plan.nested.get(atom.name)
        if isinstance(op, Apply):
            self._note_op(op, stmt, shape=shape)
        elif op is not None:
            for part in parts_of(op):
                self._note_atom(part, stmt, shape=shape)
        elif shape:
            self.shapes[self.plan.key(atom)] += 1
        else:
            self.values[self.plan.key(atom)] += 1
            self.readers[self.plan.key(atom)] = stmt

    # ------------------------------------------------------------ what is fused

    def block(self, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        """Return the statements of a block without those that others take over."""
        found: list[Stmt] = []
        for k, stmt in enumerate(stmts):
            if isinstance(stmt, Let) and self.is_fused(stmt, stmts[k + 1 :]):
                assert isinstance(stmt.value, Apply)
                self.plan.nested[stmt.targets[0].name] = stmt.value
            else:
                found.append(self.statement(stmt))
        return tuple(found)

    def statement(self, stmt: Stmt) -> Stmt:
        """Return a statement, the same done in its blocks."""
        if isinstance(stmt, Branch):
            then, orelse = map(self.block, (stmt.then, stmt.orelse))
            return replace(stmt, then=then, orelse=orelse)
        if isinstance(stmt, Loop):
            return replace(stmt, body=self.block(stmt.body))
        return stmt

    def is_fused(self, let: Let, rest: Sequence[Stmt]) -> bool:
        """Say whether an array needs no name."""
        op = let.value
        if not isinstance(op, Apply) or len(let.targets) != 1 or not _is_simple(op):
            return False
        key = self.plan.key(let.targets[0])
        names = (key, *(self.plan.key(v) for v in self.variables(op) if is_array(v)))
        if any(self.assigned[name] > 1 for name in names):
            return False
        if not self.values[key]:
            return self.shapes[key] > 0
        reader = self.readers[key]
        places = [k for k, stmt in enumerate(rest) if stmt is reader]
        if self.values[key] > 1 or not places or not self.reads_each_once(reader, key):
            return False
        between = (*walk(rest[: places[0]]),)
        return not any(self.writes(stmt, op) for stmt in between)

    def variables(self, op: Apply | If) -> Iterator[Var]:
        """Yield the variables that an expression reads."""
        for atom in parts_of(op):
            if isinstance(atom, Var):
                inner = self.plan.nested.get(atom.name)
                yield from (atom,) if inner is None else self.variables(inner)

    def writes(self, stmt: Stmt, op: Apply) -> bool:
        """Say whether a statement changes what an expression reads."""
        assigned = set(map(self.plan.key, targets_of(stmt)))
        if assigned & set(self.plan.leaves_of(op)):
            return True
        written: object = None
        if isinstance(stmt, Write):
            written = stmt.op.target
        elif isinstance(stmt, Let) and isinstance(stmt.value, Apply):
            written = stmt.value.args[0] if stmt.value.form == "augmented" else None
        if not isinstance(written, Var):
            return False
        return any(self.known.overlaps(written, atom) for atom in op.args)

    def reads_each_once(self, stmt: Stmt, key: str) -> bool:
        """Say whether the loops of a statement read each element of an array once."""
        value: object = None
        if isinstance(stmt, Let):
            value = stmt.value
        elif isinstance(stmt, Write):
            same = fact_of_atom(stmt.op.target).rank == fact_of_atom(stmt.op.value).rank
            value = stmt.op.value if same else None
        path = self._path(value, key)
        return path is not None and _is_even(path)

    def _path(self, part: object, key: str) -> list[Apply] | None:
        """Return the calls from an expression down to a variable."""
        if isinstance(part, Var) and part.name in self.plan.nested:
            part = self.plan.nested[part.name]
        if isinstance(part, Var):
            return [] if self.plan.key(part) == key else None
        if not isinstance(part, Apply) or part.form == "augmented":
            return None
        alone = shape_arguments(part)
        for k, atom in enumerate(parts_of(part)):
            found = None if k in alone else self._path(atom, key)
            if found is not None:
                return [part, *found]
        return None


def _is_even(path: Sequence[Apply]) -> bool:
    """Say whether calls are of numbers, then a sum at most, then elementwise ones of
    one rank."""
    ranks = {op.out.fact.rank for op in path if is_array(op.out)}
    inner = [op for op in path if is_array(op.out)]
    sums = [op for op in path if info(op.fn).in_loops in ("sum", "inner product")]
    if not all(is_elementwise(op) or op in sums for op in inner):
        return False
    alone = [op for op in path if not is_array(op.out) and op not in sums]
    numbers = all(info(op.fn).in_loops in ("elements", "numbers") for op in alone)
    at_the_top = path[: len(alone) + len(sums)] == [*alone, *sums]
    return numbers and len(sums) <= 1 and at_the_top and len(ranks - {None}) <= 1


def _is_simple(op: Apply) -> bool:
    """Say whether an op makes an array of its elements, of 64 bits or truth values."""
    if not is_array(op.out) or not is_elementwise(op) or op.form == "augmented":
        return False
    return op.out.fact.rank is not None and op.out.fact.dtype in (
        np.dtype(float),
        np.dtype(bool),
    )


def shape_arguments(op: Apply) -> tuple[int, ...]:
    """Return the places of arguments of which loops read the shape alone."""
    if op.fn in (unbroadcast, expand, ungetitem, np.full_like, np.size):
        return info(op.fn).shape_only
    return ()
