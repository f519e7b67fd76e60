"""A plan -> what its named arrays hold, and which memory of them is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from yota_ast.analysis.points_to import PointsTo
from yota_ast.codegen.loops.elements import is_array
from yota_ast.codegen.plan.statement_plan import Let, Plan, Write, targets_of, walk
from yota_ast.ir.atoms import Atom, Var
from yota_ast.ir.nodes import Apply


class NamedArrays:
    """Answers questions about the arrays of a plan that have names."""

    def __init__(self, plan: Plan, points: PointsTo) -> None:
        self.plan = plan
        self.points = points
        self._dtypes = dict(self._stated())
        self._written = frozenset(self._stores())

    def _stated(self) -> Iterator[tuple[str, np.dtype[Any]]]:
        targets = (v for stmt in walk(self.plan.body) for v in targets_of(stmt))
        for var in (*targets, *self.plan.params):
            if is_array(var) and var.fact.dtype is not None:
                yield self.plan.key(var), var.fact.dtype

    def _stores(self) -> Iterator[str]:
        for stmt in walk(self.plan.body):
            if isinstance(stmt, Write):
                yield from self.points.memory(stmt.op.target)
            elif isinstance(stmt, Let) and isinstance(stmt.value, Apply):
                if stmt.value.form == "augmented":
                    yield from self.points.memory(stmt.value.args[0])

    def note(self, var: Var, dtype: np.dtype[Any]) -> None:
        """Note what an array holds that is made."""
        self._dtypes[self.plan.key(var)] = dtype

    def reads_float64(self, op: Apply) -> bool:
        """Say whether an array of 64-bit floats is among what an op reads."""
        names = (name for atom in op.args for name in self.plan.leaves(atom))
        return any(self._dtypes.get(name) == np.float64 for name in names)

    def is_written(self, var: Var) -> bool:
        """Say whether the memory of an array is written somewhere."""
        return bool(self._written & self.points.memory(var))

    def overlaps(self, target: Var, value: Atom) -> bool:
        """Say whether a value reads memory that a store into an array writes."""
        written = self.points.memory(target)
        names = self.plan.leaves(value)
        return any(written & self.points.memory(Var(n, target.fact)) for n in names)
