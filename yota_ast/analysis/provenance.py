"""The variables of a block -> the arguments and fields that each is made of.

All that a value is computed from counts, also where its derivative is 0: `x > 0` is
made of x. The test of a branch does not: a branch has the slope of the arm taken.

>>> import operator
>>> from yota_ast.ir.abstract_values import UNKNOWN
>>> x, w, y, m = (Var(name, UNKNOWN) for name in "xwym")
>>> block = Block((Apply(y, abs, (x,)), Apply(m, operator.gt, (w, Const(0)))))
>>> sources = Sources(block)
>>> set(sources.of(y)), sources.are_apart(y, m), sources.are_apart(x, y)
({('x',)}, True, False)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TypeAlias

from yota_ast.analysis.engine import (
    Analysis,
    Definition,
    Definitions,
    definitions_in,
    inputs_of,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import Apply, Block, For, Read, Store, While, atoms_of
from yota_ast.ops import info

Leaf: TypeAlias = tuple[object, ...]
"""An argument by its name, and the way to a field of it."""
Leaves: TypeAlias = frozenset[Leaf]


class Sources(Analysis[Leaves]):
    """What the values of a block are made of."""

    bottom: Leaves = frozenset()

    def __init__(self, block: Block) -> None:
        super().__init__(self._definitions)
        self.block = block

    @cached_property
    def definitions(self) -> Definitions:
        """What defines the variables: found out where something asks."""
        return definitions_in(self.block)

    @cached_property
    def read(self) -> frozenset[str]:
        """The names of all that the block reads."""
        every = (d for found in self.definitions.values() for d in found)
        return frozenset(
            _home(a) for d in every for a in inputs_of(d) if isinstance(a, Var)
        )

    def _definitions(self, name: str) -> Sequence[Definition]:
        return self.definitions.get(name.partition("[")[0], ())

    def knows(self, var: Var) -> bool:
        """Return whether the block computes or reads a variable."""
        return _home(var) in self.definitions or _home(var) in self.read

    def are_apart(self, one: Atom, other: Atom) -> bool:
        """Return whether no argument, and no part of one, is in both values."""
        own, others = self.of(one), self.of(other)
        return not any(_overlap(p, q) for p in own for q in others)

    def parts_of(self, var: Var) -> list[Atom]:
        """Return what a variable is computed from at once."""
        inputs = (a for d in self._definitions(var.name) for a in inputs_of(d))
        return [a for a in inputs if isinstance(a, (Var, Const))]

    # ------------------------------------------------------------ the analysis

    def join(self, facts: Iterable[Leaves]) -> Leaves:
        """Return what any of several values is made of."""
        return frozenset().union(*facts)

    def of_const(self, const: Const) -> Leaves:
        """Return that a literal is made of nothing."""
        return frozenset()

    def of_outside(self, var: Var) -> Leaves:
        """Return an argument."""
        return frozenset({(_home(var),)})

    def of_apply(self, op: Apply) -> Leaves:
        """Return what a result is made of: not of what is asked for its shape alone."""
        shapes = info(op.fn).shape_only
        args = [a for k, a in enumerate(op.args) if k not in shapes]
        return self.join(map(self.of, (*args, *(a for _, a in op.kwargs))))

    def of_read(self, op: Read) -> Leaves:
        """Return a field of an argument."""
        return frozenset({(op.root.name, *op.path)})

    def of_store(self, op: Store) -> Leaves:
        """Return what stood in an array, what was put there, and what said where."""
        return self.join(map(self.of, atoms_of(op)))

    def of_loop(self, loop: For | While, var: Var) -> Leaves:
        """Return what the items of a loop are made of."""
        return self.of(loop.iterable) if isinstance(loop, For) else self.of_outside(var)


def _overlap(one: Leaf, other: Leaf) -> bool:
    """Whether one is the other, or a part of it."""
    return all(p == q for p, q in zip(one, other, strict=False))


def _home(var: Var) -> str:
    """The name of the variable, or of the container that an item is of."""
    return var.name.partition("[")[0]
