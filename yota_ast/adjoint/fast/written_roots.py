"""Ops -> what they write, or may write, and which memory that is."""

from __future__ import annotations

from collections.abc import Iterable

from yota_ast.analysis.points_to import PointsTo, written_by
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.nodes import Apply, Block, Op, Outlined, Simple, atoms_of, walk
from yota_ast.ops import info


def writes_of(op: Op) -> list[Atom | Undefined]:
    """What an op and the ops within it write, or may write."""
    found: list[Atom | Undefined] = []
    for each in [op] if isinstance(op, Simple) else walk(Block((op,))):
        target = written_by(each)
        found += [] if target is None else [target]
        if isinstance(each, Apply) and (each.effect or may_write(each)):
            found += atoms_of(each)
    return found


def may_write(op: Apply) -> bool:
    """Whether a call writes into arguments, or may."""
    return isinstance(op.fn, Outlined) or bool(info(op.fn).writes)


class WrittenRoots:
    """The memory that some ops write anywhere."""

    def __init__(self, ops: Iterable[Op], points: PointsTo) -> None:
        self.points = points
        written = (a for op in ops for a in writes_of(op) if isinstance(a, Var))
        self.roots = frozenset(r for a in written for r in points.memory(a))

    def may_hold(self, var: Var) -> bool:
        """Whether a variable may be memory that is written."""
        return not self.roots.isdisjoint(self.points.memory(var))
