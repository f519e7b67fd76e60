"""A loop -> whether all that it hands on from iteration to iteration are sums.

Nothing but what adds to a sum reads it, and what is no sum stays as it is: then the
iterations may run in any order, and each of them beside that of another loop. Sums in
another order are rounded otherwise.

>>> from yota_ast.ir.abstract_values import FLOAT
>>> from yota_ast.ir.atoms import Const
>>> from yota_ast.ir.nodes import Carry
>>> first, total, after, t, end = (Var(n, FLOAT) for n in ("a", "b", "c", "t", "d"))
>>> loop = For(
...     (t,),
...     Const((1.0, 2.0)),
...     Block((Apply(after, operator.add, (total, t)),)),
...     (Carry(end, Const(0.0), total, after),),
... )
>>> only_adds(loop)
True
>>> carries = loop.carries
>>> only_adds(For((t,), t, Block((Apply(after, operator.mul, (total, t)),)), carries))
False
"""

from __future__ import annotations

import operator
from typing import assert_never

from yota_ast._speed.fast_dataclasses import dataclass, field
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.block_queries import ends_of
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    For,
    If,
    Op,
    Simple,
    Store,
    atoms_of,
    blocks_of,
)
from yota_ast.ir.store_changes import Update


def only_adds(loop: For) -> bool:
    """Return whether a loop does nothing to what it carries but add to it."""
    return _Sums().loop(loop)


@dataclass(slots=True)
class _Sums:
    """Follows sums through a block. of: of each name of a sum, which sum it is."""

    of: dict[str, str] = field(default_factory=dict)

    def block(self, block: Block) -> bool:
        """Return whether what reads a sum adds to it."""
        return all(map(self._op, block))

    def _op(self, op: Op) -> bool:
        if not any(map(self._name, self._read_by(op))):
            return True
        match op:
            case Apply():
                return self._addition(op)
            case Store():
                return self._store(op)
            case For():
                return self.loop(op)
            case If():
                return self._branch(op)
            case Simple() | Compound():
                return False
            case _:
                assert_never(op)

    def _read_by(self, op: Op) -> list[Atom | Undefined]:
        """Return what an op reads, with all within."""
        within = [a for b in blocks_of(op) for inner in b for a in self._read_by(inner)]
        return [*atoms_of(op), *ends_of(op), *within]

    def _name(self, atom: Atom | Undefined) -> str:
        return self.of.get(atom.name, "") if isinstance(atom, Var) else ""

    def _addition(self, op: Apply) -> bool:
        first, *others = map(self._name, atoms_of(op))
        if not first or any(others) or op.fn not in (operator.add, operator.sub):
            return False
        self.of[op.out.name] = first
        return True

    def _store(self, op: Store) -> bool:
        added = isinstance(op.change, Update) and op.change.is_sum
        if not added or self._name(op.index) or self._name(op.value):
            return False
        self.of[op.out.name] = self._name(op.target)
        return True

    def loop(self, loop: For) -> bool:
        """Return the same of what a loop carries, and of all within."""
        if self._name(loop.iterable) or loop.stop is not None:
            return False
        carries = [c for c in loop.carries if c.next != c.inside or self._name(c.init)]
        for carry in carries:
            self.of[carry.inside.name] = self._name(carry.init) or carry.inside.name
        if not self.block(loop.body) or any(map(self._name, loop.saved)):
            return False
        for carry in carries:
            if self._name(carry.next) != self.of[carry.inside.name]:
                return False
            self.of[carry.out.name] = self._name(carry.next)
        return True

    def _branch(self, branch: If) -> bool:
        if self._name(branch.test) or not all(map(self.block, blocks_of(branch))):
            return False
        for merge in branch.merges:
            name = self._name(merge.then)
            if name != self._name(merge.orelse):
                return False
            if name:
                self.of[merge.out.name] = name
        return True
