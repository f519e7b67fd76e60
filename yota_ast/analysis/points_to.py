"""Blocks -> which memory each of their variables may be, or be a view of.

Memory is called by the variable that it was made for, or by the argument that it came
with. What a branch hands on may be either array, and neither of them may be the other.

>>> import numpy as np
>>> import yota_ast.rules.numpy
>>> from yota_ast.ir.abstract_values import array_fact
>>> x, y, z = (Var(n, array_fact("f8", (None,))) for n in "xyz")
>>> turned = Apply(z, np.ndarray.swapaxes, (x, Const(0), Const(0)))
>>> found = PointsTo(Block((Apply(y, abs, (x,)), turned)))
>>> sorted(found.memory(y)), sorted(found.memory(z))
(['y'], ['x'])
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TypeGuard, assert_never

from yota_ast._speed.fast_dataclasses import dataclass
from yota_ast.analysis.engine import Analysis, defined_in
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Undefined, Var, fact_of_atom
from yota_ast.ir.built_values import builds
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Compound,
    For,
    Op,
    Read,
    Simple,
    Store,
    While,
    atoms_of,
    only,
    walk,
)
from yota_ast.ops import sharing
from yota_ast.support.reachable import reach

Roots = frozenset[str]
_NONE: Roots = frozenset()


@dataclass(frozen=True, slots=True)
class Points:
    """The memory that a value may be, and all that it may be or hold."""

    itself: Roots = _NONE
    memory: Roots = _NONE


class PointsTo(Analysis[Points]):
    """What memory the variables of some blocks may be.

    apart: variables that share memory with these alone, whatever their ops say.
    """

    bottom = Points()

    def __init__(
        self,
        *blocks: Block,
        apart: Mapping[str, tuple[Atom, ...]] = MappingProxyType({}),
    ) -> None:
        super().__init__(defined_in(*blocks))
        self.blocks, self.apart = blocks, apart
        self.arrays: set[str] = set()
        """The roots that are arrays or numbers, and no lists."""

    def memory(self, atom: Atom) -> Roots:
        """Return the memory that a value may be, be a view of, or hold."""
        found = self.of(atom).memory
        if self.held.keys().isdisjoint(found):
            return found
        return frozenset(reach(found, self.held.get))

    @cached_property
    def held(self) -> dict[str, Roots]:
        """What is put into each list or dict, under whichever of its names."""
        stores = only(itertools.chain.from_iterable(map(walk, self.blocks)), Store)
        found: dict[str, Roots] = {}
        for op in stores:
            if op.target.fact.kind not in ("array", "real"):
                value = self.of(op.value).memory
                for root in self.of(op.target).itself if value else ():
                    found[root] = found.get(root, _NONE) | value
        return found

    # ------------------------------------------------------------ the analysis

    def join(self, facts: Iterable[Points]) -> Points:
        """Return the memory of one of several values."""
        facts = tuple(facts)
        return Points(
            _NONE.union(*(f.itself for f in facts)),
            _NONE.union(*(f.memory for f in facts)),
        )

    def stated(self, var: Var) -> Points | None:
        """Return that what cannot be written has none."""
        return self.bottom if var.fact.is_immutable else None

    def of_const(self, const: Const) -> Points:
        """Return that a literal is not written."""
        return self.bottom

    def of_outside(self, var: Var) -> Points:
        """Return memory of its own, as arguments and new arrays have."""
        if is_array(var.fact):
            self.arrays.add(var.name)
        own = frozenset({var.name})
        return Points(own, own)

    def of_apply(self, op: Apply) -> Points:
        """Return the memory of a result: new, that of the first argument, or maybe that
        of any."""
        own = self.of_outside(op.out)
        apart = self.apart.get(op.out.name)
        if apart is not None:
            return self._within(apart) if apart else own
        if is_augmented(op):  # where it is no array yet, the sum is a new one
            target = op.args[:1]
            sure = fact_of_atom(op.args[0]).kind in ("array", "list")
            return self._within(target) if sure else self._within(target, own)
        if builds(op.fn):
            return Points(own.itself, own.memory | self._within(atoms_of(op)).memory)
        how = sharing(op) if op.args else "fresh"
        if how == "fresh":
            return own
        if how == "maybe":
            return self._within((*atoms_of(op), op.out), own)
        return self._within(op.args[:1])

    def of_read(self, op: Read) -> Points:
        """Return the memory of the argument that a field is of."""
        return self._within((op.root,))

    def of_store(self, op: Store) -> Points:
        """Return the memory of what is written: a list holds what is put into it."""
        target = self.of(op.target)
        if op.target.fact.kind in ("array", "real"):
            return target
        return Points(target.itself, target.memory | self.of(op.value).memory)

    def of_loop(self, loop: For | While, var: Var) -> Points:
        """Return the memory of an item, or of the list of what a loop saves."""
        own = self.of_outside(var)
        if var.name in self.apart:
            return self._within(self.apart[var.name]) if self.apart[var.name] else own
        if var != loop.stack:
            return self._within((loop.iterable,) if isinstance(loop, For) else ())
        return Points(own.itself, own.memory | self._within(loop.saved).memory)

    def _within(
        self, atoms: Iterable[Atom | Undefined], own: Points = bottom
    ) -> Points:
        """Return the memory of what may be, be a view of, or be in one of some."""
        every = own.memory.union(*(self.of(a).memory for a in atoms))
        return Points(every, every)


def written_by(op: Op) -> Atom | None:
    """Return what an op itself writes into."""
    match op:
        case Store():
            return op.target
        case Apply():
            return op.args[0] if is_augmented(op) else None
        case Simple() | Compound():
            return None
        case _:
            assert_never(op)


def is_augmented(op: Op) -> TypeGuard[Apply]:
    """Return whether an op is the `w -= x` of what may be written in place."""
    if not isinstance(op, Apply) or op.form != "augmented":
        return False
    target = op.args[0]
    return isinstance(target, Var) and not (
        target.fact.is_immutable or op.out.fact.is_immutable
    )


def is_array(fact: Fact) -> bool:
    """Return whether a value is an array or a number, and no list."""
    return fact.kind in ("array", "real") or fact.is_immutable
